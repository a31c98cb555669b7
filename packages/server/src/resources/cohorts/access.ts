import { type Found, findersOf, type ItemContext } from '../../access/index.js';
import { ApiError } from '../../kernel/errors.js';
import { type CohortRow, readCohort } from './store.js';

const { readLive, findVisible, findEditable } = findersOf<CohortRow>({
  resource: 'cohort',
  read: ({ deps, project }, id) => readCohort(deps.db, project.id, id),
});

export { findEditable, findVisible, readLive };

/** Finds a static cohort for a caller who may change it. @throws ApiError invalid_input: the cohort is dynamic */
export async function findStatic(context: ItemContext): Promise<Found<CohortRow>> {
  const found = await findEditable(context);
  if (!found.row.is_static) throw new ApiError('invalid_input', 'Only static cohorts are lists of people that can be changed.');
  return found;
}
