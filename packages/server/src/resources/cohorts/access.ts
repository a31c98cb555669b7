import { type AccessControlOptions, type Found, findersOf, type ItemContext } from '../../access/index.js';
import { ApiError } from '../../kernel/errors.js';
import { recordActivity, ruleEntry } from '../activity/index.js';
import { cohortParams } from './schema.js';
import { type CohortRow, readCohort } from './store.js';

const { readLive, findVisible, findEditable } = findersOf<CohortRow>({
  resource: 'cohort',
  read: ({ deps, project }, id) => readCohort(deps.db, project.id, id),
});

export { findEditable, findVisible };

/** Finds a static cohort for a caller who may change it. @throws ApiError invalid_input: the cohort is dynamic */
export async function findStatic(context: ItemContext): Promise<Found<CohortRow>> {
  const found = await findEditable(context);
  if (!found.row.is_static) throw new ApiError('invalid_input', 'Only static cohorts are lists of people that can be changed.');
  return found;
}

/** The access rules of single cohorts. */
export const accessControls: AccessControlOptions<CohortRow> = {
  resource: 'cohort',
  path: '/cohorts/:id',
  params: cohortParams,
  load: readLive,
  changed: (tx, context, { id, name }, change) =>
    recordActivity(tx, context.deps, ruleEntry(context, { of: { resource: 'cohort', id }, name }, change)),
};
