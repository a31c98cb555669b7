import type { Deps } from '../../../deps.js';
import { loadPrincipal, openProject, type ProjectContext } from '../../../auth/index.js';
import { ApiError } from '../../../kernel/errors.js';

/** Who reads what is exported: its creator, with the rights they have now. */
export type Reader = Pick<ProjectContext, 'deps' | 'principal' | 'project' | 'level' | 'membership'>;

/** @throws ApiError permission_denied: they, or the key they used, may not enter the project any more */
export async function openReader(deps: Deps, projectId: number, userId: number, keyId: string | null): Promise<Reader> {
  const principal = await loadPrincipal(deps, userId, keyId);
  if (!principal) throw new ApiError('permission_denied', 'Whoever asked for this export has no access any more.');
  return { deps, principal, ...(await openProject(deps, principal, String(projectId))) };
}
