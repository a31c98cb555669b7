import { type Access, accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { requestsRestore } from '../../http/body.js';
import { objectId } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import type { ExperimentRow } from './row.js';
import { readExperiment } from './store.js';

export type ItemContext = ProjectContext & { params: Record<string, string> };

/** An experiment that the caller may see, and what the access rules say to them about experiments. */
export interface FoundExperiment {
  row: ExperimentRow;
  access: Access;
}

/** The experiment of the path. @throws ApiError not_found; permission_denied: hidden from the caller */
export async function findExperiment(context: ItemContext): Promise<FoundExperiment> {
  const found = await find(context, 'viewer');
  if (found.row.deleted) throw new ApiError('not_found');
  return found;
}

/** The experiment of the path, for somebody who may change it. @throws ApiError not_found, permission_denied */
export async function findEditable(context: ItemContext): Promise<FoundExperiment> {
  const found = await find(context, 'editor');
  if (found.row.deleted) throw new ApiError('not_found');
  return found;
}

/** {@link findEditable}; a deleted one is there for who restores it. @throws ApiError not_found, permission_denied */
export async function findForChange(context: ItemContext): Promise<FoundExperiment> {
  const found = await find(context, 'editor');
  if (found.row.deleted && !(await requestsRestore(context.request))) throw new ApiError('not_found');
  return found;
}

/** {@link findEditable}, for somebody who may change its flag too. @throws ApiError not_found, permission_denied */
export async function findWithFlag(context: ItemContext): Promise<FoundExperiment> {
  const found = await findEditable(context);
  (await accessOf(context, 'feature_flag')).requireOn(found.row.flag, 'editor');
  return found;
}

async function find(context: ItemContext, level: 'viewer' | 'editor'): Promise<FoundExperiment> {
  const [row, access] = await Promise.all([readRow(context), accessOf(context, 'experiment')]);
  access.requireOn(row, level);
  return { row, access };
}

/** Finds the experiment of the path, deleted or not, without checking access. @throws ApiError not_found */
export async function readRow({ deps, project, params }: ItemContext): Promise<ExperimentRow> {
  const id = objectId(params['id']);
  const row = id === null ? null : await readExperiment(deps.db, project.id, id);
  if (!row) throw new ApiError('not_found');
  return row;
}
