import { type Access, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { asksToRestore } from '../../http/asks-to-restore.js';
import { objectId } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import type { CohortRow } from './row.js';
import { readCohort } from './store.js';

export type ItemContext = ProjectContext & { params: Record<string, string> };

/** A cohort that the caller may see, and what the access rules say to them about cohorts. */
export interface FoundCohort {
  row: CohortRow;
  access: Access;
}

/** The cohort of the path. @throws ApiError not_found; permission_denied: hidden from the caller */
export async function findCohort(context: ItemContext): Promise<FoundCohort> {
  const found = await find(context, 'viewer');
  if (found.row.deleted) throw new ApiError('not_found');
  return found;
}

/**
 * The cohort of the path, for somebody who may change it. A deleted one is there only for who restores it.
 * @throws ApiError not_found, permission_denied
 */
export async function findEditable(context: ItemContext): Promise<FoundCohort> {
  const found = await find(context, 'editor');
  if (found.row.deleted && !(await asksToRestore(context.request))) throw new ApiError('not_found');
  return found;
}

/** {@link findEditable}, of a list of people. @throws ApiError invalid_input: it is no list */
export async function findStatic(context: ItemContext): Promise<FoundCohort> {
  const found = await findEditable(context);
  if (!found.row.is_static) throw new ApiError('invalid_input', 'Only static cohorts are lists of people that can be changed.');
  return found;
}

async function find(context: ItemContext, level: 'viewer' | 'editor'): Promise<FoundCohort> {
  const [row, access] = await Promise.all([readRow(context), accessOf(context, 'cohort')]);
  access.requireOn(row, level);
  return { row, access };
}

/** The cohort of the path, deleted or not, whoever asks. @throws ApiError not_found */
export async function readRow({ deps, project, params }: ItemContext): Promise<CohortRow> {
  const id = objectId(params['id']);
  const row = id === null ? null : await readCohort(deps.db, project.id, id);
  if (!row) throw new ApiError('not_found');
  return row;
}
