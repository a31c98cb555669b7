import { type OrganizationContext, type OrganizationRef, toLevel } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import { isObject } from '../../kernel/json.js';
import { MEMBER } from '../../kernel/rights.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { logAccess, logInvites, logMember } from './activity.js';
import {
  deleteInvite,
  findInvite,
  type InviteRow,
  insertExplicitMemberships,
  memberEmails,
  ownProjects,
  takeInvite,
  upsertInvites,
} from './invite-store.js';
import { requireMayGrant } from './members.js';
import type { InviteFields } from './schema.js';
import { insertMembership, setCurrent } from './store.js';
import { expiredFrom, isExpired } from './view.js';

const MAX_BULK = 20;
const MAX_PROJECTS = 100;

/** Who invites. `userId` null: the operator, by a command. */
interface Inviter {
  deps: Pick<Deps, 'db' | 'clock' | 'ids'>;
  organization: Pick<OrganizationRef, 'id' | 'level'>;
  principal: { userId: number | null };
}

/** Invites people, all or none. @throws ApiError permission_denied, invalid_input, max_length */
export async function invite(
  { deps, organization, principal }: Inviter,
  requests: readonly InviteFields[],
): Promise<InviteRow[]> {
  if (requests.length > MAX_BULK) {
    throw new ApiError('max_length', `A maximum of ${MAX_BULK} invites can be sent in a single request.`);
  }
  if (requests.length === 0) return [];
  for (const { level } of requests) requireMayGrant(organization, level);
  // one address twice: the later entry counts, as it would in a later request
  const byAddress = new Map(requests.map((request) => [request.target_email.toLowerCase(), request]));
  if ((await memberEmails(deps.db, organization.id, [...byAddress.keys()])).length > 0) {
    throw new ApiError('invalid_input', 'A user with this email address already belongs to the organization.', 'target_email');
  }
  await requireOwnProjects(deps, organization.id, requests);
  const invites = [...byAddress.values()].map((request) => ({
    id: deps.ids.uuid(),
    target_email: request.target_email,
    first_name: request.first_name ?? '',
    level: request.level ?? MEMBER,
    message: request.message ?? null,
    private_project_access: request.private_project_access ?? [],
  }));
  return inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    const by = { createdBy: principal.userId, maxLevel: organization.level, expired: expiredFrom(now) };
    const rows = await upsertInvites(tx, organization.id, by, invites, new Date(now));
    if (rows.length < invites.length) {
      throw new ApiError('permission_denied', 'You can only replace invites with level lower or equal to you.');
    }
    await logInvites(tx, deps, { organizationId: organization.id, userId: principal.userId }, 'created', rows);
    return rows;
  });
}

/** Takes an invite back. @throws ApiError not_found, also for one above the caller's own level */
export function takeBack({ deps, organization, principal }: OrganizationContext, inviteId: string): Promise<void> {
  return inTransaction(deps.db, async (tx) => {
    const row = isUuid(inviteId) ? await deleteInvite(tx, organization.id, inviteId, organization.level) : undefined;
    if (!row) throw new ApiError('not_found');
    await logInvites(tx, deps, { organizationId: organization.id, userId: principal.userId }, 'deleted', [row]);
  });
}

async function requireOwnProjects(
  deps: Pick<Deps, 'db'>,
  organizationId: string,
  requests: readonly InviteFields[],
): Promise<void> {
  const wanted = requests.flatMap((request) => request.private_project_access ?? []).map((access) => access.id);
  const distinct = new Set(wanted);
  const known = wanted.length > MAX_PROJECTS ? [] : await ownProjects(deps.db, organizationId, [...distinct]);
  if (known.length === distinct.size) return;
  throw new ApiError(
    'invalid_input',
    'Project does not exist on this organization, or it is private and you do not have access to it.',
    'private_project_access',
  );
}

export type OpenInvite = NonNullable<Awaited<ReturnType<typeof findInvite>>>;

/** The invite of a link. @throws ApiError invalid_input: no such invite; expired */
export async function openInvite(deps: Deps, inviteId: string): Promise<OpenInvite> {
  const found = isUuid(inviteId) ? await findInvite(deps.db, inviteId) : undefined;
  if (!found) throw new ApiError('invalid_input', 'The provided invite ID is not valid.');
  if (isExpired(found, deps.clock.now())) throw new ApiError('expired');
  return found;
}

/** Creates the membership of an invite for a user and deletes the invite, inside a transaction. @throws ApiError invalid_input */
export async function acceptInvite(db: Db, deps: Deps, invite: OpenInvite, userId: number): Promise<void> {
  if (!(await takeInvite(db, invite.id))) throw new ApiError('invalid_input', 'The provided invite ID is not valid.');
  await joinOrganization(db, deps, invite, userId);
}

/** What an invite offers. */
type Offer = Pick<OpenInvite, 'organization_id' | 'target_email' | 'level' | 'private_project_access'>;

/** Creates the membership of a user, with explicit ones in projects, inside a transaction. @throws ApiError invalid_input */
export async function joinOrganization(db: Db, deps: Pick<Deps, 'clock' | 'ids'>, invite: Offer, userId: number): Promise<void> {
  const membershipId = await join(db, deps, invite, userId);
  const { organization_id: organizationId, target_email: email, level } = invite;
  const member = { membership_id: membershipId, email, level, is_active: true };
  await logMember(db, deps, { organizationId, userId }, null, member, 'joined');
  const access = accessOf(invite.private_project_access);
  // projects may have gone since the invite was made
  const known = await ownProjects(db, invite.organization_id, [...access.keys()]);
  const granted = known.map((id) => ({
    id: deps.ids.uuid(),
    project_id: id,
    membership_id: membershipId,
    level: access.get(id) ?? MEMBER,
  }));
  await insertExplicitMemberships(db, granted, new Date(deps.clock.now()));
  await logAccess(db, deps, { organizationId, userId }, email, granted);
  await setCurrent(db, userId, invite.organization_id, null);
}

async function join(db: Db, deps: Pick<Deps, 'clock' | 'ids'>, invite: Offer, userId: number): Promise<string> {
  try {
    return await insertMembership(db, deps, {
      organizationId: invite.organization_id,
      userId,
      level: toLevel(invite.level),
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('invalid_input', 'You are already a member of this organization.');
    throw error;
  }
}

function accessOf(stored: unknown): Map<number, number> {
  const entries = Array.isArray(stored) ? stored : [];
  return new Map(entries.filter(isObject).map((entry) => [Number(entry['id']), Number(entry['level'])]));
}
