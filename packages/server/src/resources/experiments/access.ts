import { accessOf, type Found, type ItemContext } from '../../access/index.js';
import { requestsRestore } from '../../http/body.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import { type ExperimentRow, readExperiment } from './store.js';

/** An experiment, and the caller's access to experiments. */
export type FoundExperiment = Found<ExperimentRow>;

/** Finds the experiment of `params.id` for a caller who may see it. @throws ApiError not_found, permission_denied */
export const findVisible = async (context: ItemContext): Promise<FoundExperiment> => requireLive(await find(context, 'viewer'));

/** Finds the experiment of `params.id` for a caller who may change it. @throws ApiError not_found, permission_denied */
export const findEditable = async (context: ItemContext): Promise<FoundExperiment> => requireLive(await find(context, 'editor'));

/** As {@link findEditable}; requests that restore (`deleted: false`) find deleted experiments too. */
export async function findForUpdate(context: ItemContext): Promise<FoundExperiment> {
  const found = await find(context, 'editor');
  return found.row.deleted && (await requestsRestore(context.request)) ? found : requireLive(found);
}

/** As {@link findEditable}, for a caller who may change the flag of the experiment too. */
export async function findWithFlag(context: ItemContext): Promise<FoundExperiment> {
  const found = await findEditable(context);
  (await accessOf(context, 'feature_flag')).requireOn(found.row.flag, 'editor');
  return found;
}

async function find(context: ItemContext, level: 'viewer' | 'editor'): Promise<FoundExperiment> {
  const [row, access] = await Promise.all([readAny(context), accessOf(context, 'experiment')]);
  access.requireOn(row, level);
  return { row, access };
}

function requireLive(found: FoundExperiment): FoundExperiment {
  if (found.row.deleted) throw new ApiError('not_found');
  return found;
}

async function readAny({ deps, project, params }: ItemContext): Promise<ExperimentRow> {
  const id = objectId(params['id']);
  const row = id === null ? null : await readExperiment(deps.db, project.id, id);
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Reads the experiment of `params.id` without checking the access rules. @throws ApiError not_found */
export async function readLive(context: ItemContext): Promise<ExperimentRow> {
  const row = await readAny(context);
  if (row.deleted) throw new ApiError('not_found');
  return row;
}
