import { countPeople } from '../../analytics/index.js';
import type { Deps } from '../../deps.js';
import { type CohortRow, inCohort } from './row.js';
import { readCohort, saveCount } from './store.js';

/** Milliseconds that a change of a cohort waits for its people to be counted. */
const MAX_WAIT = 5000;

/**
 * Counts the people in a cohort and keeps the number. When they cannot be counted in time the number stays what it was, and
 * `errors_calculating` says so.
 */
export async function calculate(deps: Deps, projectId: number, row: CohortRow): Promise<CohortRow> {
  const count = row.deleted ? row.count : await countOf(deps, projectId, row);
  if (!row.deleted) await saveCount(deps.db, projectId, row, count, new Date(deps.clock.now()));
  return (await readCohort(deps.db, projectId, row.id)) ?? row;
}

async function countOf(deps: Deps, projectId: number, row: CohortRow): Promise<number | null> {
  try {
    // of a list it is counted whenever the row is read
    if (row.is_static) return row.count;
    return (await countPeople(deps, projectId, [inCohort(row)], AbortSignal.timeout(MAX_WAIT))).matching;
  } catch (error) {
    deps.log.warn({ err: error, cohort: row.id }, 'the people of a cohort could not be counted');
    return null;
  }
}
