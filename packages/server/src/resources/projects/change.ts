import type { Deps } from '../../deps.js';
import { isUniqueViolation } from '../../http/unique.js';
import { forgetProjectKeys } from '../../identity/index.js';
import { ApiError } from '../../kernel/errors.js';
import { ADMIN, type MembershipLevel } from '../../kernel/levels.js';
import type { ProjectFields } from './schema.js';
import { pickSettings } from './settings.js';
import { deleteProject, groupTypesOf, insertProject, newProjectKey, type ProjectChange, updateProject } from './store.js';
import { projectView } from './view.js';

/** Makes a project as a request asks for, and shows it. @throws ApiError unique when the key is taken */
export async function createProject(deps: Deps, organizationId: string, level: MembershipLevel, fields: ProjectFields) {
  try {
    const row = await insertProject(deps.db, deps, {
      organizationId,
      name: fields.name ?? 'Default project',
      apiToken: fields.api_token ?? null,
      timezone: fields.timezone,
      accessControl: fields.access_control,
      anonymizeIps: fields.anonymize_ips,
      settings: pickSettings(fields),
    });
    forgetProjectKeys(deps, [row.api_token]);
    return projectView(row, level, []);
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('unique', 'A project with this API key already exists.', 'api_token');
    throw error;
  }
}

/** Changes a project as a request asks for, and shows it. @throws ApiError permission_denied for what needs an administrator */
export function patchProject(deps: Deps, projectId: number, level: MembershipLevel, fields: ProjectFields) {
  if (fields.access_control !== undefined && level < ADMIN) {
    throw new ApiError(
      'permission_denied',
      'Your organization access level is insufficient to configure project access restrictions.',
    );
  }
  return change(deps, projectId, level, {
    name: fields.name,
    timezone: fields.timezone,
    accessControl: fields.access_control,
    anonymizeIps: fields.anonymize_ips,
    settings: pickSettings(fields),
  });
}

/** Gives a project a new key; the old one stops at once. `oldToken` is that key. */
export const resetToken = (deps: Deps, projectId: number, level: MembershipLevel, oldToken: string) =>
  change(deps, projectId, level, { apiToken: newProjectKey(deps) }, oldToken);

async function change(deps: Deps, projectId: number, level: MembershipLevel, fields: ProjectChange, oldToken?: string) {
  const row = await updateProject(deps.db, projectId, fields, new Date(deps.clock.now()));
  if (!row) throw new ApiError('not_found', 'Project not found.');
  forgetProjectKeys(deps, oldToken ? [row.api_token, oldToken] : [row.api_token]);
  return projectView(row, level, await groupTypesOf(deps.db, projectId));
}

/** Deletes a project and all that the metadata holds of it. */
export async function removeProject(deps: Deps, projectId: number, apiToken: string): Promise<void> {
  await deleteProject(deps.db, projectId);
  forgetProjectKeys(deps, [apiToken]);
}

/** @throws ApiError permission_denied below administrator of the project */
export function requireProjectAdmin(level: MembershipLevel): void {
  if (level < ADMIN) throw new ApiError('permission_denied', "You don't have sufficient permissions in the project.");
}
