import { type AccessContext, accessOf, type Found, type ItemContext } from '../../access/index.js';
import { requestsRestore } from '../../http/body.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import { type FlagRow, readFlag } from './store.js';

/** A flag, and the caller's access to flags. */
export type FoundFlag = Found<FlagRow>;

/**
 * Finds the flag of `params.id`, a number or else a key, for a caller who may see it. Unlike other objects, deleted flags are found by
 * their number.
 * @throws ApiError not_found, permission_denied
 */
export async function findVisible(context: ItemContext): Promise<FoundFlag> {
  const found = await find(context);
  found.access.requireOn(found.row, 'viewer');
  return found;
}

/**
 * Finds the flag of `params.id` for a caller who may change it. Only requests that restore (`deleted: false`) find deleted flags.
 * @throws ApiError not_found, permission_denied
 */
export async function findEditable(context: ItemContext): Promise<FoundFlag> {
  const found = await find(context);
  if (found.row.deleted && !(await requestsRestore(context.request))) throw new ApiError('not_found');
  found.access.requireOn(found.row, 'editor');
  return found;
}

async function find(context: ItemContext): Promise<FoundFlag> {
  const [row, access] = await Promise.all([readAny(context, context.params['id'] ?? ''), accessOf(context, 'feature_flag')]);
  return { row, access };
}

async function readAny({ deps, project }: AccessContext, segment: string): Promise<FlagRow> {
  const id = objectId(segment);
  const byId = id === null ? null : await readFlag(deps.db, project.id, { id });
  const row = byId ?? (/^[\w-]{1,400}$/.test(segment) ? await readFlag(deps.db, project.id, { key: segment }) : null);
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Reads the flag of `params.id` without checking the access rules. @throws ApiError not_found */
export async function readLive(context: ItemContext): Promise<FlagRow> {
  const row = await readAny(context, context.params['id'] ?? '');
  if (row.deleted) throw new ApiError('not_found');
  return row;
}
