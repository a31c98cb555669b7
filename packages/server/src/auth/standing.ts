import type { Deps } from '../deps.js';
import { locateProject, type Standing } from './access.js';
import { loadPrincipal } from './authenticate.js';

/**
 * The membership of any user in a project, independent of the caller. null: the user is deleted or has no access to the project.
 * @throws ApiError not_found: no such project
 */
export async function standingOf(deps: Deps, userId: number, projectId: number): Promise<Standing | null> {
  const principal = await loadPrincipal(deps, userId, null);
  return principal && (await locateProject(deps, principal, String(projectId))).standing;
}
