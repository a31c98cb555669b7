import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.js';
import { mountRoutes } from '../http/mount-routes.js';
import type { AnyRoute, Guard, RequestContext } from '../http/route.js';
import { ApiError } from '../kernel/errors.js';
import { locateOwnProject, openOrganization, openProject } from './access.js';
import { authenticate } from './authenticate.js';
import type { MembershipContext, OrganizationContext, Principal, ProjectContext, UserContext } from './context.js';
import { type NeededScope, requireNoProjectLimit, requireScope } from './key-limits.js';
import { enforceRateLimit } from './rate-limits.js';

/** Mounts routes that need no credentials. */
export function mountPublicRoutes(
  app: FastifyInstance,
  deps: Deps,
  prefix: string,
  routes: readonly AnyRoute<RequestContext>[],
): void {
  mountRoutes(app, deps, [prefix], async (context) => context, routes);
}

/** What stands before every route that needs a user: who asks, not too often, and with a key that may. */
async function admit(context: RequestContext, { scope, path }: { scope: NeededScope; path: string }): Promise<Principal> {
  const principal = await authenticate(context);
  await enforceRateLimit(context, principal, path);
  requireScope(principal, scope);
  return principal;
}

const userGuard =
  (takesLimitedKeys: boolean): Guard<UserContext> =>
  async (context, route) => {
    const principal = await admit(context, route);
    if (!takesLimitedKeys) requireNoProjectLimit(principal);
    return { ...context, principal };
  };

/** Mounts routes that need a user. Keys limited to projects are refused unless `takesLimitedKeys` (what is about the caller alone). */
export function mountUserRoutes(
  app: FastifyInstance,
  deps: Deps,
  prefix: string,
  routes: readonly AnyRoute<UserContext>[],
  { takesLimitedKeys = false }: { takesLimitedKeys?: boolean } = {},
): void {
  mountRoutes(app, deps, [prefix], userGuard(takesLimitedKeys), routes);
}

const organizationGuard: Guard<OrganizationContext> = async (context, route) => {
  const principal = await admit(context, route);
  requireNoProjectLimit(principal);
  const { organization_id: segment = '' } = context.request.params as Record<string, string>;
  try {
    return { ...context, principal, organization: await openOrganization(context.deps, principal, segment) };
  } catch (error) {
    // the organization itself is an object that others do not see; what lies below it is closed to them
    if (route.path === '/' && error instanceof ApiError && error.code === 'permission_denied') throw new ApiError('not_found');
    throw error;
  }
};

/** Mounts routes under `/api/organizations/:organization_id`; `@current` stands for the caller's own. */
export function mountOrganizationRoutes(
  app: FastifyInstance,
  deps: Deps,
  routes: readonly AnyRoute<OrganizationContext>[],
): void {
  mountRoutes(app, deps, ['/api/organizations/:organization_id'], organizationGuard, routes);
}

const projectGuard: Guard<ProjectContext> = (context, route) => {
  const { project_id: segment = '' } = context.request.params as Record<string, string>;
  return enterProject(context, route, segment);
};

/** Lets a caller into a project: an id or `@current`, wherever the request names it. @throws ApiError as the guards do */
export async function enterProject(
  context: RequestContext,
  route: { scope: NeededScope; path: string },
  segment: string,
): Promise<ProjectContext> {
  const principal = await admit(context, route);
  const { deps } = context;
  const again = (request: RequestContext['request']) => enforceRateLimit({ deps, request }, principal, route.path);
  return { ...context, principal, recheckRateLimit: again, ...(await openProject(deps, principal, segment)) };
}

const PROJECT_PREFIXES = ['/api/projects/:project_id', '/api/environments/:project_id'];

/**
 * Mounts routes under `/api/projects/:project_id` and `/api/environments/:project_id` (or the `prefixes` given); `@current`
 * stands for the caller's own.
 */
export function mountProjectRoutes(
  app: FastifyInstance,
  deps: Deps,
  routes: readonly AnyRoute<ProjectContext>[],
  prefixes: readonly string[] = PROJECT_PREFIXES,
): void {
  mountRoutes(app, deps, prefixes, projectGuard, routes);
}

const membershipGuard: Guard<MembershipContext> = async (context, route) => {
  const principal = await admit(context, route);
  const { project_id: segment = '' } = context.request.params as Record<string, string>;
  return { ...context, principal, ...(await locateOwnProject(context.deps, principal, segment)) };
};

/** As {@link mountProjectRoutes}, for routes that also serve members of the organization without access to the project. */
export function mountMembershipRoutes(app: FastifyInstance, deps: Deps, routes: readonly AnyRoute<MembershipContext>[]): void {
  mountRoutes(app, deps, PROJECT_PREFIXES, membershipGuard, routes);
}
