import { type Access, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { asksToRestore } from '../../http/asks-to-restore.js';
import { objectId } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import type { ActionRow } from './row.js';
import { readAction } from './store.js';

type ItemContext = ProjectContext & { params: Record<string, string> };

/** An action that the caller may see, and what the access rules say to them about actions. */
export interface FoundAction {
  row: ActionRow;
  access: Access;
}

/** The action of the path. @throws ApiError not_found; permission_denied: hidden from the caller */
export async function findAction(context: ItemContext): Promise<FoundAction> {
  const found = await find(context, 'viewer');
  if (found.row.deleted) throw new ApiError('not_found');
  return found;
}

/**
 * The action of the path, for somebody who may change it. A deleted one is there only for who restores it.
 * @throws ApiError not_found, permission_denied
 */
export async function findEditable(context: ItemContext): Promise<FoundAction> {
  const found = await find(context, 'editor');
  if (found.row.deleted && !(await asksToRestore(context.request))) throw new ApiError('not_found');
  return found;
}

async function find(context: ItemContext, level: 'viewer' | 'editor'): Promise<FoundAction> {
  const [row, access] = await Promise.all([readRow(context), accessOf(context, 'action')]);
  access.requireOn(row, level);
  return { row, access };
}

/** The action of the path, deleted or not, whoever asks. @throws ApiError not_found */
export async function readRow({ deps, project, params }: ItemContext): Promise<ActionRow> {
  const id = objectId(params['id']);
  const row = id === null ? null : await readAction(deps.db, project.id, id);
  if (!row) throw new ApiError('not_found');
  return row;
}
