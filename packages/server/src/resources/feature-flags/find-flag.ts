import { type Access, type AccessContext, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { requestsRestore } from '../../http/body.js';
import { objectId } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import type { FlagRow } from './row.js';
import { readFlag } from './store.js';

export type ItemContext = ProjectContext & { params: Record<string, string> };

/** A flag that the caller may see, and what the access rules say to them about flags. */
export interface FoundFlag {
  row: FlagRow;
  access: Access;
}

/** The flag of a path segment (number, else key). @throws ApiError not_found; permission_denied: hidden from the caller */
export async function findFlag(context: ItemContext): Promise<FoundFlag> {
  const found = await find(context);
  found.access.requireOn(found.row, 'viewer');
  return found;
}

/**
 * The flag of a path segment, for somebody who may change it. A deleted one is there only for who restores it.
 * @throws ApiError not_found, permission_denied
 */
export async function findEditable(context: ItemContext): Promise<FoundFlag> {
  const found = await find(context);
  if (found.row.deleted && !(await requestsRestore(context.request))) throw new ApiError('not_found');
  found.access.requireOn(found.row, 'editor');
  return found;
}

async function find(context: ItemContext): Promise<FoundFlag> {
  const [row, access] = await Promise.all([findRow(context, context.params['id'] ?? ''), accessOf(context, 'feature_flag')]);
  return { row, access };
}

/** Finds the flag of a path segment, without checking access. A deleted flag is found by its id only. @throws ApiError not_found */
export async function findRow({ deps, project }: Pick<AccessContext, 'deps' | 'project'>, segment: string): Promise<FlagRow> {
  const id = objectId(segment);
  const byId = id === null ? null : await readFlag(deps.db, project.id, { id });
  const row = byId ?? (/^[\w-]{1,400}$/.test(segment) ? await readFlag(deps.db, project.id, { key: segment }) : null);
  if (!row) throw new ApiError('not_found');
  return row;
}
