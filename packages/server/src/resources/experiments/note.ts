import type { ProjectContext } from '../../identity/index.js';
import { type ActivityEntry, type Change, changesBetween } from '../activity/index.js';
import type { ExperimentRow } from './row.js';

type Who = Pick<ProjectContext, 'project' | 'principal'>;

const FIELDS = [
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

/** The caller did something with an experiment, for the activity log. */
export const experimentEntry = (
  { project, principal }: Who,
  row: ExperimentRow,
  activity: ActivityEntry['activity'],
  changes: readonly Change[] = [],
): ActivityEntry => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: principal.userId,
  scope: 'Experiment',
  itemId: row.id,
  activity,
  detail: { name: row.name, changes },
});

/** The caller changed an experiment. */
export function updateEntry(who: Who, before: ExperimentRow, after: ExperimentRow): ActivityEntry {
  const changes = changesBetween('Experiment', before, after, FIELDS);
  if (before.deleted === after.deleted) return experimentEntry(who, after, 'updated', changes);
  return experimentEntry(who, after, after.deleted ? 'deleted' : 'restored', changes);
}
