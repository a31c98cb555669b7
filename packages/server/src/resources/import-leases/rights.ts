import { type AccessResource, accessOf } from '../../access/index.js';
import { type ProjectContext, requireScope } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { Scope } from '../../kernel/rights.js';

/** What a caller needs to create each kind of objects that two imports at once would make twice: a scope of its key, and access as an editor. */
const CREATED: readonly (readonly [Scope, AccessResource])[] = [
  ['cohort:write', 'cohort'],
  ['action:write', 'action'],
  ['feature_flag:write', 'feature_flag'],
  ['early_access_feature:write', 'feature_flag'],
  ['experiment:write', 'experiment'],
  ['survey:write', 'survey'],
  ['insight:write', 'insight'],
  ['alert:write', 'insight'],
  ['dashboard:write', 'dashboard'],
  ['annotation:write', 'annotation'],
  ['project:write', 'project_settings'],
];

/**
 * Admits a caller that may create any of what imports make. A caller that may create nothing needs no lease, and cannot keep imports out with one.
 * @throws ApiError permission_denied
 */
export async function requireRightToImport(
  context: Pick<ProjectContext, 'deps' | 'project' | 'principal' | 'membership'>,
): Promise<void> {
  const granted = CREATED.filter(([scope]) => isAllowed(() => requireScope(context.principal, scope)));
  const resources = [...new Set(granted.map(([, resource]) => resource))];
  const accesses = await Promise.all(resources.map((resource) => accessOf(context, resource)));
  if (accesses.some((access) => isAllowed(() => access.requireResource('editor')))) return;
  throw new ApiError('permission_denied', 'An import needs the right to create one of the kinds of objects that it makes.');
}

function isAllowed(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'permission_denied') return false;
    throw error;
  }
}
