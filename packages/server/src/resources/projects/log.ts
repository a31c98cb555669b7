import type { Deps } from '../../deps.js';
import { isObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import { type Activity, changesBetween, recordActivity } from '../activity/index.js';
import { allSettings } from './settings.js';
import type { ProjectRow } from './store.js';

/** Settings of a project in the activity log: all but its keys. */
const stateOf = (row: ProjectRow): Record<string, unknown> => ({
  name: row.name,
  timezone: row.timezone,
  access_control: row.access_control,
  anonymize_ips: row.anonymize_ips,
  ...allSettings(isObject(row.settings) ? row.settings : {}),
});

/** Writes down what a user did to a project. `before`: as it was, if that is of interest. */
export function logProject(
  db: Db,
  deps: Deps,
  userId: number,
  activity: Activity,
  project: ProjectRow,
  before: ProjectRow = project,
): Promise<void> {
  const state = stateOf(project);
  return recordActivity(db, deps, {
    organizationId: project.organization_id,
    // the log of a project is deleted with it, so the deletion is an entry of the organization
    projectId: activity === 'deleted' ? null : project.id,
    userId,
    activity,
    scope: 'Project',
    itemId: project.id,
    detail: { name: project.name, changes: changesBetween('Project', stateOf(before), state, Object.keys(state)) },
  });
}
