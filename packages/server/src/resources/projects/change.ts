import type { UserContext } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { objectId } from '../../kernel/ids.js';
import { isObject } from '../../kernel/json.js';
import { ADMIN, type MembershipLevel } from '../../kernel/rights.js';
import { isUniqueViolation } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { type Activity, changesBetween, recordActivity } from '../activity/index.js';
import type { ProjectFields } from './schema.js';
import { allSettings, pickSettings, RETENTION_SETTINGS } from './settings.js';
import {
  deleteProject,
  groupTypesOf,
  holdDashboard,
  insertProject,
  lockProject,
  type NewProject,
  newProjectKey,
  type ProjectChange,
  type ProjectRow,
  updateProject,
} from './store.js';
import { projectView } from './view.js';

/** The caller who changes a project. */
type Changer = Pick<UserContext, 'deps' | 'principal'>;

/** Creates a project from the fields of a request, and returns its view. @throws ApiError unique when the key is taken, does_not_exist */
export async function createProject(
  { deps, principal }: Changer,
  organizationId: string,
  level: MembershipLevel,
  fields: ProjectFields,
) {
  const project = {
    organizationId,
    name: fields.name ?? 'Default project',
    apiToken: fields.api_token ?? null,
    timezone: fields.timezone,
    accessControl: fields.access_control,
    anonymizeIps: fields.anonymize_ips,
    settings: pickSettings(fields),
  };
  try {
    const row = await inTransaction(deps.db, async (tx) => {
      const row = await foundProject(tx, deps, principal.userId, project);
      await requirePrimaryDashboard(tx, row.id, project.settings);
      return row;
    });
    deps.services.projectKeys.forget([row.api_token]);
    return projectView(row, level, []);
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('unique', 'A project with this API key already exists.', 'api_token');
    throw error;
  }
}

/** Creates a project for a user, inside a transaction; violates the unique constraint of `api_token` when a key is taken. */
export async function foundProject(
  tx: Db,
  deps: Pick<Deps, 'clock' | 'ids'>,
  userId: number,
  project: NewProject,
): Promise<ProjectRow> {
  const row = await insertProject(tx, deps, project);
  await logProject(tx, deps, userId, 'created', row);
  return row;
}

/** Changes the fields of a project that a request sends, and returns its view. @throws ApiError permission_denied, does_not_exist */
export function patchProject(changer: Changer, projectId: number, level: MembershipLevel, fields: ProjectFields) {
  if (fields.access_control !== undefined && level < ADMIN) {
    throw new ApiError(
      'permission_denied',
      'Your organization access level is insufficient to configure project access restrictions.',
    );
  }
  const settings = pickSettings(fields);
  if (level < ADMIN && RETENTION_SETTINGS.some((name) => name in settings)) {
    throw new ApiError('permission_denied', 'Only administrators of the project can change for how long its data is kept.');
  }
  return change(changer, projectId, level, 'updated', {
    name: fields.name,
    timezone: fields.timezone,
    accessControl: fields.access_control,
    anonymizeIps: fields.anonymize_ips,
    settings,
  });
}

/** Gives a project a new key; the old one stops at once. */
export const resetToken = (changer: Changer, projectId: number, level: MembershipLevel) =>
  change(changer, projectId, level, 'token_reset', { apiToken: newProjectKey(changer.deps) });

async function change(
  { deps, principal }: Changer,
  projectId: number,
  level: MembershipLevel,
  activity: 'updated' | 'token_reset',
  fields: ProjectChange,
) {
  const { before, row } = await inTransaction(deps.db, async (tx) => {
    const before = requireRow(await lockProject(tx, projectId));
    await requirePrimaryDashboard(tx, projectId, fields.settings ?? {});
    const row = requireRow(await updateProject(tx, projectId, fields, new Date(deps.clock.now())));
    await logProject(tx, deps, principal.userId, activity, row, before);
    return { before, row };
  });
  deps.services.projectKeys.forget([row.api_token, before.api_token]);
  return projectView(row, level, await groupTypesOf(deps.db, projectId));
}

/** @throws ApiError does_not_exist when settings name a dashboard that is not one of the project */
async function requirePrimaryDashboard(tx: Db, projectId: number, settings: Record<string, unknown>): Promise<void> {
  const wanted = settings['primary_dashboard'] ?? null;
  if (wanted === null) return;
  const id = objectId(String(wanted));
  if (id !== null && (await holdDashboard(tx, projectId, id))) return;
  throw new ApiError('does_not_exist', `Invalid pk "${wanted}" - object does not exist.`, 'primary_dashboard');
}

/** Deletes a project and its rows in PostgreSQL. */
export async function removeProject({ deps, principal }: Changer, projectId: number): Promise<void> {
  const row = await inTransaction(deps.db, async (tx) => {
    const row = requireRow(await lockProject(tx, projectId));
    await logProject(tx, deps, principal.userId, 'deleted', row);
    await deleteProject(tx, projectId);
    return row;
  });
  deps.services.projectKeys.forget([row.api_token]);
}

function requireRow(row: ProjectRow | undefined): ProjectRow {
  if (!row) throw new ApiError('not_found', 'Project not found.');
  return row;
}

/** @throws ApiError permission_denied below administrator of the project */
export function requireProjectAdmin(level: MembershipLevel): void {
  if (level < ADMIN) throw new ApiError('permission_denied', "You don't have sufficient permissions in the project.");
}

/** Settings of a project in the activity log: all but its keys. */
const stateOf = (row: ProjectRow): Record<string, unknown> => ({
  name: row.name,
  timezone: row.timezone,
  access_control: row.access_control,
  anonymize_ips: row.anonymize_ips,
  ...allSettings(isObject(row.settings) ? row.settings : {}),
});

/** Records a change of a project. `before`: its row before an update. */
function logProject(
  db: Db,
  deps: Pick<Deps, 'clock' | 'ids'>,
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
