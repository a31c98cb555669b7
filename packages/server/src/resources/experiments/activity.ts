import { type ActivityEntry, byCaller, type Caller, type Change, changesBetween, kindOfChange } from '../activity/index.js';
import type { ExperimentRow } from './store.js';

/** Fields whose changes the activity log records. */
const LOGGED = [
  'name',
  'description',
  'start_date',
  'end_date',
  'archived',
  'deleted',
  'parameters',
  'metrics',
  'metrics_secondary',
  'exposure_criteria',
  'stats_config',
  'holdout',
  'conclusion',
  'conclusion_comment',
  'shipped_variant',
] as const;

/** The entry of the activity log for something that the caller did with an experiment. */
export const experimentEntry = (
  caller: Caller,
  row: ExperimentRow,
  activity: ActivityEntry['activity'],
  changes: readonly Change[] = [],
): ActivityEntry => ({
  ...byCaller(caller),
  scope: 'Experiment',
  itemId: row.id,
  activity,
  detail: { name: row.name, changes },
});

/** The entry for an update of an experiment. */
export function updateEntry(caller: Caller, before: ExperimentRow, after: ExperimentRow): ActivityEntry {
  const changes = changesBetween('Experiment', before, after, LOGGED);
  return experimentEntry(caller, after, kindOfChange(before, after), changes);
}
