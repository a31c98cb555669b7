import type { ProjectContext } from '../auth/index.js';
import { inTransaction } from '../http/in-transaction.js';
import { ApiError } from '../kernel/errors.js';
import type { Db } from '../ports/db.js';
import { deleteRule, lockMembership, lockRole, lockRule, type Subject, type Target, upsertRule } from './rules-store.js';
import { type RuleView, ruleView } from './schema.js';

/** The rule in a request. */
export interface RuleRequest {
  access_level: string | null;
  organization_member?: string | null | undefined;
  role?: string | null | undefined;
}

/** A rule before and after a request; null: no rule. */
export interface RuleChange {
  before: RuleView | null;
  after: RuleView | null;
}

/** Writes the activity entry of a change, in its transaction. */
export type OnChange = (tx: Db, change: RuleChange) => Promise<void>;

/**
 * Creates, changes or (level null) removes the rule of a request. Resolves with the rule, or null if it was removed.
 * @throws ApiError invalid_input, permission_denied (`refusal`: unless null), does_not_exist
 */
export async function putRule(
  { deps, project, principal }: ProjectContext,
  target: Target,
  requested: RuleRequest,
  refusal: string | null,
  onChange: OnChange,
): Promise<RuleView | null> {
  const subject: Subject = { membershipId: requested.organization_member ?? null, roleId: requested.role ?? null };
  if (subject.membershipId !== null && subject.roleId !== null) {
    throw new ApiError('invalid_input', 'You can not scope an access control to both a member and a role.');
  }
  if (refusal !== null) throw new ApiError('permission_denied', refusal);
  const level = requested.access_level;
  return inTransaction(deps.db, async (tx) => {
    await lockSubject(tx, project.organizationId, subject);
    const stored = await lockRule(tx, project.id, target, subject);
    const before = stored ? ruleView(stored) : null;
    let after: RuleView | null = null;
    if (level === null) await deleteRule(tx, project.id, target, subject);
    else {
      const rule = { ...target, ...subject, id: deps.ids.uuid(), level, createdBy: principal.userId };
      after = ruleView(await upsertRule(tx, project.id, { ...rule, now: new Date(deps.clock.now()) }));
    }
    if (before?.access_level !== after?.access_level) await onChange(tx, { before, after });
    return after;
  });
}

async function lockSubject(tx: Db, organizationId: string, { membershipId, roleId }: Subject): Promise<void> {
  if (membershipId !== null && !(await lockMembership(tx, organizationId, membershipId))) {
    throw unknown(membershipId, 'organization_member');
  }
  if (roleId !== null && !(await lockRole(tx, organizationId, roleId))) throw unknown(roleId, 'role');
}

const unknown = (id: string, attr: string): ApiError =>
  new ApiError('does_not_exist', `Invalid pk "${id}" - object does not exist.`, attr);
