import { loadPrincipal, openProject, type ProjectContext } from '../../../auth/index.js';
import type { Deps } from '../../../deps.js';
import { ApiError } from '../../../kernel/errors.js';

/** One run of an export: the user on whose behalf it reads, with their rights of now, the time of its data, and its deadline. */
export interface ExportContext extends Pick<ProjectContext, 'deps' | 'principal' | 'project' | 'level' | 'membership'> {
  /** The time that relative date ranges count from; epoch milliseconds. */
  now: number;
  /** Whether the file is a table. A table can show more values of a breakdown than a chart. */
  isTable: boolean;
  /** Aborts at the deadline of the job. */
  signal: AbortSignal;
}

/**
 * The context for the user who requested an export, and the personal API key that they used, null for a session.
 * @throws ApiError permission_denied: the user or the key may no longer enter the project
 */
export async function openExportContext(
  deps: Deps,
  { projectId, userId, keyId }: { projectId: number; userId: number; keyId: string | null },
  options: Pick<ExportContext, 'isTable' | 'signal'>,
): Promise<ExportContext> {
  const principal = await loadPrincipal(deps, userId, keyId);
  if (!principal) throw new ApiError('permission_denied', 'The user who requested this export no longer has access.');
  const access = await openProject(deps, principal, String(projectId));
  return { deps, principal, ...access, now: deps.clock.now(), ...options };
}
