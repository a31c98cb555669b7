import type { Deps } from '../deps.js';
import { locateProject, type Standing } from './access.js';
import { loadPrincipal } from './authenticate.js';

/**
 * The place of a user in a project, whoever sends the request. Null: the user is gone or may not enter the project.
 * @throws ApiError not_found: no such project
 */
export async function standingOf(deps: Deps, userId: number, projectId: number): Promise<Standing | null> {
  const principal = await loadPrincipal(deps, userId, null);
  return principal && (await locateProject(deps, principal, String(projectId))).standing;
}
