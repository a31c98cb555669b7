import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../ports/db.js';
import { type User, userColumns } from './user.js';

/** SHA-256 of a key or session token, which is all that the database stores of it. They are random, so neither salt nor slow hash is needed. */
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The user of a key or session, and where they are. */
export interface Identity {
  userId: number;
  userUuid: string;
  email: string;
  isActive: boolean;
  /** Whether any organization has them, deactivated or not. */
  isMember: boolean;
  /** Whether any organization has them as an active member. */
  isActiveMember: boolean;
  /** The organization last chosen if they are active in it, else the first they are active in; of those that their key reaches. */
  currentOrganizationId: string | null;
  /** The project last chosen if they may see it, else the first they may see; of those that their key reaches. */
  currentProjectId: number | null;
}

export interface KeyIdentity extends Identity {
  keyId: string;
  scopes: string[];
  teams: number[];
  organizations: string[];
  lastUsedAt: Date | null;
}

export interface SessionIdentity extends Identity {
  expiresAt: Date;
  lastUsedAt: Date | null;
}

/**
 * What a project's own rules (`access_controls`) give a member, as a level: 0 closed, 1 member, 8 administrator, null no rule.
 * The highest of the rules for the member and their roles, else the rule for everybody.
 */
const projectRule = (projectId: string, membershipId: string) => sql<number | null>`(
  select coalesce(max(rule.level) filter (where rule.is_named), max(rule.level))
  from (
    select case a.access_level when 'admin' then 8 when 'none' then 0 else 1 end as level,
      num_nonnulls(a.membership_id, a.role_id) > 0 as is_named
    from access_controls a
    where a.project_id = ${sql.ref(projectId)} and a.resource = 'project' and (
      a.membership_id = ${sql.ref(membershipId)}
      or a.role_id in (select r.role_id from role_memberships r where r.membership_id = ${sql.ref(membershipId)})
      or num_nonnulls(a.membership_id, a.role_id) = 0
    )
  ) rule
)`;

const isOpenByRule = (projectId: string, membershipId: string) =>
  sql<boolean>`coalesce(${projectRule(projectId, membershipId)}, 1) > 0`;

const identity = sql`
  u.id as "userId", u.uuid as "userUuid", u.email, u.is_active as "isActive",
  exists (select from organization_memberships m where m.user_id = u.id) as "isMember",
  exists (select from organization_memberships m where m.user_id = u.id and m.is_active) as "isActiveMember",
  current.organization_id as "currentOrganizationId", project.id as "currentProjectId"`;

/** What a key `k` lets its user reach: an organization `m.organization_id`, and a project `p.id`. */
interface Reach {
  organization: RawBuilder<boolean>;
  project: RawBuilder<boolean>;
}
const EVERYWHERE: Reach = { organization: sql`true`, project: sql`true` };
const OF_KEY: Reach = {
  organization: sql`(k.scoped_organizations = '{}' or m.organization_id = any (k.scoped_organizations)) and (k.scoped_teams = '{}'
      or exists (select from projects p where p.organization_id = m.organization_id and p.id = any (k.scoped_teams)))`,
  project: sql`(k.scoped_teams = '{}' or p.id = any (k.scoped_teams))`,
};

/** Where a user `u` is: `current` organization and `project`. */
const whereabouts = (reach: Reach) => sql`
  left join lateral (
    select m.id, m.organization_id, m.level from organization_memberships m
    where m.user_id = u.id and m.is_active and ${reach.organization}
    order by (m.organization_id is not distinct from u.current_organization_id) desc, m.joined_at, m.id
    limit 1
  ) current on true
  left join lateral (
    select p.id from projects p
    where p.organization_id = current.organization_id and ${reach.project} and (
      current.level >= 8
      or (
        not p.access_control
        or exists (select from explicit_memberships e where e.project_id = p.id and e.membership_id = current.id)
      ) and ${isOpenByRule('p.id', 'current.id')}
    )
    order by (p.id is not distinct from u.current_project_id) desc, p.id
    limit 1
  ) project on true`;

/** The embedded user of a row `users u`, as one JSON document. */
export const userJson = sql<User>`json_build_object(
  'id', u.id, 'uuid', u.uuid, 'distinct_id', u.distinct_id, 'first_name', u.first_name, 'last_name', u.last_name,
  'email', u.email, 'is_email_verified', u.is_email_verified, 'hedgehog_config', u.hedgehog_config)`;

const first = async <Row>(db: Db, statement: RawBuilder<Row>): Promise<Row | null> =>
  (await statement.execute(db)).rows[0] ?? null;

export const identityByKey = (db: Db, hash: Buffer): Promise<KeyIdentity | null> =>
  first(
    db,
    sql<KeyIdentity>`
      select ${identity}, k.id as "keyId", k.scopes, k.scoped_teams as teams, k.scoped_organizations as organizations,
        k.last_used_at as "lastUsedAt"
      from personal_api_keys k join users u on u.id = k.user_id ${whereabouts(OF_KEY)}
      where k.secure_hash = ${hash}`,
  );

export const identityBySession = (db: Db, id: Buffer, now: Date): Promise<SessionIdentity | null> =>
  first(
    db,
    sql<SessionIdentity>`
      select ${identity}, s.expires_at as "expiresAt", s.last_used_at as "lastUsedAt"
      from login_sessions s join users u on u.id = s.user_id ${whereabouts(EVERYWHERE)}
      where s.id = ${id} and s.expires_at > ${now}`,
  );

/** A user with one of their keys; null when either is gone. `keyId` null: without a key. */
export async function identityOf(
  db: Db,
  userId: number,
  keyId: string | null,
): Promise<(Identity & Partial<Pick<KeyIdentity, 'scopes' | 'teams' | 'organizations'>>) | null> {
  if (keyId === null) {
    return first(db, sql<Identity>`select ${identity} from users u ${whereabouts(EVERYWHERE)} where u.id = ${userId}`);
  }
  return first(
    db,
    sql<KeyIdentity>`
      select ${identity}, k.scopes, k.scoped_teams as teams, k.scoped_organizations as organizations
      from personal_api_keys k join users u on u.id = k.user_id ${whereabouts(OF_KEY)}
      where k.id = ${keyId} and u.id = ${userId}`,
  );
}

export async function touchKey(db: Db, keyId: string, now: Date, unlessAfter: Date): Promise<void> {
  await db
    .updateTable('personal_api_keys')
    .set({ last_used_at: now })
    .where('id', '=', keyId)
    .where((w) => w.or([w('last_used_at', 'is', null), w('last_used_at', '<', unlessAfter)]))
    .execute();
}

/** The device of a session, as its last request showed it. */
interface Device {
  user_agent: string;
  address: string;
}

export async function insertSession(
  db: Db,
  session: Device & { id: Buffer; user_id: number; created_at: Date; expires_at: Date },
): Promise<void> {
  await db.deleteFrom('login_sessions').where('expires_at', '<=', session.created_at).execute();
  await db
    .insertInto('login_sessions')
    .values({ ...session, last_used_at: session.created_at })
    .execute();
}

/** Records a use of a session, and extends it if `expires_at` is given. */
export async function touchSession(
  db: Db,
  id: Buffer,
  use: Device & { last_used_at: Date; expires_at?: Date | undefined },
): Promise<void> {
  await db.updateTable('login_sessions').set(use).where('id', '=', id).execute();
}

/** The sessions of a user that have not expired, the last used first. */
export const sessionsOf = (db: Db, userId: number, now: Date) =>
  db
    .selectFrom('login_sessions')
    .select(['id', 'public_id', 'user_agent', 'address', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy(sql`coalesce(last_used_at, created_at)`, 'desc')
    .orderBy('public_id')
    .execute();

/** Ends one session of a user. @returns its id, or undefined if the user has no such session */
export const deleteSessionOf = (db: Db, userId: number, publicId: string): Promise<{ id: Buffer } | undefined> =>
  db
    .deleteFrom('login_sessions')
    .where('user_id', '=', userId)
    .where('public_id', '=', publicId)
    .returning('id')
    .executeTakeFirst();

export async function deleteSession(db: Db, id: Buffer): Promise<void> {
  await db.deleteFrom('login_sessions').where('id', '=', id).execute();
}

/** Ends all sessions of a user except `keep`. @returns how many there were */
export async function deleteSessionsOf(db: Db, userId: number, keep: Buffer | null): Promise<number> {
  let sessions = db.deleteFrom('login_sessions').where('user_id', '=', userId);
  if (keep) sessions = sessions.where('id', '<>', keep);
  return (await sessions.returning('public_id').execute()).length;
}

/** A project and the user's place in it, whether or not they may see it. */
export const findProject = (db: Db, projectId: number, userId: number) =>
  db
    .selectFrom('projects as p')
    .leftJoin('organization_memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'p.organization_id').on('m.user_id', '=', userId).on('m.is_active', '=', true),
    )
    .leftJoin('explicit_memberships as e', (join) =>
      join.onRef('e.project_id', '=', 'p.id').onRef('e.membership_id', '=', 'm.id'),
    )
    .select(['p.id', 'p.uuid', 'p.organization_id', 'p.name', 'p.api_token', 'p.timezone', 'p.access_control'])
    .select(['m.id as membership_id', 'm.level as organization_level', 'e.level as explicit_level'])
    .select(projectRule('p.id', 'm.id').as('rule_level'))
    .where('p.id', '=', projectId)
    .executeTakeFirst();

/** The projects (as `p`) that a user may see, through memberships (as `m`) and explicit ones (as `e`): for others to select from. */
export const visibleProjects = (db: Db, userId: number) =>
  db
    .selectFrom('projects as p')
    .innerJoin('organization_memberships as m', 'm.organization_id', 'p.organization_id')
    .leftJoin('explicit_memberships as e', (join) =>
      join.onRef('e.project_id', '=', 'p.id').onRef('e.membership_id', '=', 'm.id'),
    )
    .where('m.user_id', '=', userId)
    .where('m.is_active', '=', true)
    .where((w) =>
      w.or([
        w('m.level', '>=', 8),
        w.and([w.or([w('p.access_control', '=', false), w('e.id', 'is not', null)]), isOpenByRule('p.id', 'm.id')]),
      ]),
    );

/** The projects that a user may see, with what counts for their level in each. */
export const projectsWithGrants = (db: Db, userId: number) =>
  visibleProjects(db, userId)
    .select(['p.id', 'p.uuid', 'p.organization_id', 'p.name', 'p.api_token', 'p.timezone', 'p.access_control'])
    .select(['p.is_demo', 'p.ingested_event', 'm.level as organization_level', 'e.level as explicit_level'])
    .select(projectRule('p.id', 'm.id').as('rule_level'))
    .orderBy('p.name')
    .orderBy('p.id')
    .execute();

/** The active members of a project's organization with what counts for their level in the project, by name. */
export const membersWithGrants = (db: Db, projectId: number) =>
  db
    .selectFrom('projects as p')
    .innerJoin('organization_memberships as m', 'm.organization_id', 'p.organization_id')
    .innerJoin('users', 'users.id', 'm.user_id')
    .leftJoin('explicit_memberships as e', (join) =>
      join.onRef('e.project_id', '=', 'p.id').onRef('e.membership_id', '=', 'm.id'),
    )
    .select(userColumns)
    .select(['p.access_control', 'm.id as membership_id', 'm.level as organization_level', 'e.level as explicit_level'])
    .select(projectRule('p.id', 'm.id').as('rule_level'))
    .where('p.id', '=', projectId)
    .where('m.is_active', '=', true)
    .where('users.is_active', '=', true)
    .orderBy('users.first_name')
    .orderBy('users.email')
    .execute();

/** An organization and the user's active membership of it, if any. */
export const findOrganization = (db: Db, organizationId: string, userId: number) =>
  db
    .selectFrom('organizations as o')
    .leftJoin('organization_memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'o.id').on('m.user_id', '=', userId).on('m.is_active', '=', true),
    )
    .select(['o.id', 'o.name', 'm.id as membership_id', 'm.level'])
    .where('o.id', '=', organizationId)
    .executeTakeFirst();

export const projectByToken = (db: Db, apiToken: string) =>
  db
    .selectFrom('projects')
    .select(['id', 'organization_id', 'api_token', 'timezone', 'anonymize_ips'])
    .select(sql<string | null>`settings ->> 'cookieless_server_hash_mode'`.as('cookieless_mode'))
    .where('api_token', '=', apiToken)
    .executeTakeFirst();
