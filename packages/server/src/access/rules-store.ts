import type { Db } from '../ports/db.js';

/** The target of a rule: a kind of object, or one object. */
export interface Target {
  resource: string;
  resourceId: string | null;
}

/** The subject of a rule. Both null: everybody. */
export interface Subject {
  membershipId: string | null;
  roleId: string | null;
}

const columns = [
  'access_level',
  'resource',
  'resource_id',
  'membership_id',
  'role_id',
  'created_by',
  'created_at',
  'updated_at',
] as const;

const aliased = columns.map((column) => `a.${column}` as const);

/** The operator that compares with a value or null. */
const is = (value: string | null) => (value === null ? 'is' : '=');

export type RuleRow = Awaited<ReturnType<typeof listRules>>[number];

/** The rules about one object, oldest first; without those of deactivated members, which have no effect. */
export const listRules = (db: Db, projectId: number, target: Target) =>
  rulesOfActiveMembers(db, projectId)
    .where('a.resource', '=', target.resource)
    .where('a.resource_id', is(target.resourceId), target.resourceId)
    .execute();

/** The rules about whole kinds of objects, oldest first. */
export const listResourceRules = (db: Db, projectId: number) =>
  rulesOfActiveMembers(db, projectId).where('a.resource_id', 'is', null).where('a.resource', '<>', 'project').execute();

const rulesOfActiveMembers = (db: Db, projectId: number) =>
  db
    .selectFrom('access_controls as a')
    .leftJoin('organization_memberships as m', 'm.id', 'a.membership_id')
    .select(aliased)
    .where('a.project_id', '=', projectId)
    .where((w) => w.or([w('a.membership_id', 'is', null), w('m.is_active', '=', true)]))
    .orderBy('a.created_at')
    .orderBy('a.id');

/** The one rule about a target for a subject, locked until the transaction ends. */
export const lockRule = (db: Db, projectId: number, target: Target, subject: Subject): Promise<RuleRow | undefined> =>
  db
    .selectFrom('access_controls')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('resource', '=', target.resource)
    .where('resource_id', is(target.resourceId), target.resourceId)
    .where('membership_id', is(subject.membershipId), subject.membershipId)
    .where('role_id', is(subject.roleId), subject.roleId)
    .forUpdate()
    .executeTakeFirst();

/** Creates a rule or changes its level. Its creator stays the same. */
export const upsertRule = (
  db: Db,
  projectId: number,
  rule: Target & Subject & { id: string; level: string; createdBy: number; now: Date },
): Promise<RuleRow> =>
  db
    .insertInto('access_controls')
    .values({
      id: rule.id,
      project_id: projectId,
      resource: rule.resource,
      resource_id: rule.resourceId,
      membership_id: rule.membershipId,
      role_id: rule.roleId,
      access_level: rule.level,
      created_by: rule.createdBy,
      created_at: rule.now,
      updated_at: rule.now,
    })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'resource', 'resource_id', 'membership_id', 'role_id']).doUpdateSet((e) => ({
        access_level: e.ref('excluded.access_level'),
        updated_at: e.ref('excluded.updated_at'),
      })),
    )
    .returning(columns)
    .executeTakeFirstOrThrow();

export async function deleteRule(db: Db, projectId: number, target: Target, subject: Subject): Promise<void> {
  await db
    .deleteFrom('access_controls')
    .where('project_id', '=', projectId)
    .where('resource', '=', target.resource)
    .where('resource_id', is(target.resourceId), target.resourceId)
    .where('membership_id', is(subject.membershipId), subject.membershipId)
    .where('role_id', is(subject.roleId), subject.roleId)
    .execute();
}

/** Whether an organization has this active member. Locks the membership until the transaction ends. */
export const lockMembership = async (db: Db, organizationId: string, membershipId: string): Promise<boolean> =>
  (await db
    .selectFrom('organization_memberships')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', membershipId)
    .where('is_active', '=', true)
    .forKeyShare()
    .executeTakeFirst()) !== undefined;

/** Whether an organization has this role. Locks the role until the transaction ends. */
export const lockRole = async (db: Db, organizationId: string, roleId: string): Promise<boolean> =>
  (await db
    .selectFrom('roles')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', roleId)
    .forKeyShare()
    .executeTakeFirst()) !== undefined;
