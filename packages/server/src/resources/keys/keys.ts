import type { z } from 'zod';
import { secretHash, type UserContext } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { isoTime } from '../../http/dates.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { logKey } from './activity.js';
import type { createSchema, KeyFields } from './schema.js';
import {
  countMemberships,
  countVisible,
  deleteKey,
  insertKey,
  type KeyChange,
  type KeyRow,
  lockKey,
  readKey,
  updateKey,
} from './store.js';

const MAX_KEYS = 10;
const MAX_LIMITS = 1000;

/** Creates a key; no other response shows its value. @throws ApiError invalid_input */
export async function createKey(
  { deps, principal }: { deps: Pick<Deps, 'db' | 'clock' | 'ids'>; principal: Pick<UserContext['principal'], 'userId'> },
  fields: z.output<typeof createSchema>,
) {
  await requireOwnLimits(deps, principal.userId, fields);
  const { value, ...secret } = newSecret(deps);
  const key = {
    id: deps.ids.token(12),
    label: fields.label,
    ...secret,
    scopes: fields.scopes,
    scoped_teams: fields.scoped_teams ?? [],
    scoped_organizations: fields.scoped_organizations ?? [],
    created_at: new Date(deps.clock.now()),
  };
  const row = await inTransaction(deps.db, async (tx) => {
    const made = await insertKey(tx, principal.userId, key, MAX_KEYS);
    if (made) await logKey(tx, deps, null, made);
    return made;
  });
  if (row) return keyView(row, value);
  throw new ApiError(
    'invalid_input',
    `You can only have ${MAX_KEYS} personal API keys. Remove an existing key before creating a new one.`,
  );
}

/** Changes the label, the scopes and the limits of a key. @throws ApiError invalid_input */
export async function patchKey(context: UserContext, id: string, fields: KeyFields) {
  const { deps, principal } = context;
  await requireOwnLimits(deps, principal.userId, fields);
  const { label, scopes, scoped_teams: teams, scoped_organizations: organizations } = fields;
  const change = {
    label,
    scopes,
    scoped_teams: teams === null ? [] : teams,
    scoped_organizations: organizations === null ? [] : organizations,
  };
  return keyView(await changeKey(context, id, change, 'updated'));
}

/** Gives a key a new value; the old one stops at once. */
export async function rollKey(context: UserContext, id: string) {
  const { value, ...secret } = newSecret(context.deps);
  return keyView(await changeKey(context, id, secret, 'rolled'), value);
}

const changeKey = (
  { deps, principal }: UserContext,
  id: string,
  change: KeyChange,
  activity: 'updated' | 'rolled',
): Promise<KeyRow> =>
  inTransaction(deps.db, async (tx) => {
    const before = requireRow(await lockKey(tx, principal.userId, id));
    const after = requireRow(await updateKey(tx, principal.userId, id, change));
    await logKey(tx, deps, before, after, activity);
    return after;
  });

/** Deletes a key; it stops at once. */
export const removeKey = ({ deps, principal }: UserContext, id: string): Promise<void> =>
  inTransaction(deps.db, async (tx) => {
    const before = requireRow(await lockKey(tx, principal.userId, id));
    await deleteKey(tx, principal.userId, id);
    await logKey(tx, deps, before, null);
  });

/**
 * The key of a path segment: an id, or `@current` for the key of the request. A key sees only itself.
 * @throws ApiError not_found, permission_denied
 */
export async function requireKey({ deps, principal }: UserContext, segment: string): Promise<KeyRow> {
  const id = segment === '@current' ? principal.key?.id : segment;
  const row = id && /^[\w-]{1,64}$/.test(id) ? await readKey(deps.db, principal.userId, id) : undefined;
  if (!row) throw new ApiError('not_found');
  if (principal.key && principal.key.id !== row.id) {
    throw new ApiError('permission_denied', 'This action does not support personal API key access');
  }
  return row;
}

function newSecret(deps: Pick<Deps, 'ids'>): { value: string; secure_hash: Buffer; mask_value: string } {
  const value = `tms_${deps.ids.token(32)}`;
  return { value, secure_hash: secretHash(value), mask_value: `tms_...${value.slice(-4)}` };
}

async function requireOwnLimits(deps: Pick<Deps, 'db'>, userId: number, fields: KeyFields): Promise<void> {
  const teams = [...new Set(fields.scoped_teams ?? [])];
  const organizations = [...new Set(fields.scoped_organizations ?? [])];
  if (teams.length > MAX_LIMITS || (teams.length > 0 && (await countVisible(deps.db, userId, teams)) < teams.length)) {
    throw new ApiError('invalid_input', 'You must be a member of all teams that you are scoping the key to.', 'scoped_teams');
  }
  const foreign = async () => (await countMemberships(deps.db, userId, organizations)) < organizations.length;
  if (organizations.length > MAX_LIMITS || (organizations.length > 0 && (await foreign()))) {
    throw new ApiError(
      'invalid_input',
      'You must be a member of all organizations that you are scoping the key to.',
      'scoped_organizations',
    );
  }
}

function requireRow(row: KeyRow | undefined): KeyRow {
  if (!row) throw new ApiError('not_found');
  return row;
}

/** A key as its owner sees it. `value`: the secret, only in the response that created it. */
export const keyView = (row: KeyRow, value: string | null = null) => ({
  id: row.id,
  label: row.label,
  value,
  mask_value: row.mask_value,
  created_at: isoTime(row.created_at),
  last_used_at: isoTime(row.last_used_at),
  user_id: row.user_id,
  scopes: row.scopes,
  scoped_teams: row.scoped_teams,
  scoped_organizations: row.scoped_organizations,
});
