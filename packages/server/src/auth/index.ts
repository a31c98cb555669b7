import { type RequestContext, routeFor, updateRoutesFor } from '../http/route.js';
import type { MembershipContext, OrganizationContext, ProjectContext, UserContext } from './context.js';

export {
  levelInProject,
  listProjectMembers,
  listVisibleProjects,
  openOrganization,
  openProject,
  reopenProject,
} from './access.js';
export { authenticate, loadPrincipal } from './authenticate.js';
export type {
  MembershipContext,
  OrganizationContext,
  OrganizationRef,
  ProjectContext,
  UserContext,
} from './context.js';
export { rejectCrossSiteWrite } from './cross-site.js';
export { toLevel } from './effective-level.js';
export { createImpersonation, type Impersonation } from './impersonate.js';
export { isInReach, requireNoOrganizationLimit, requireScope } from './key-limits.js';
export {
  enterProject,
  mountMembershipRoutes,
  mountOrganizationRoutes,
  mountProjectRoutes,
  mountPublicRoutes,
  mountUserRoutes,
} from './mount.js';
export { createProjectKeys, type ProjectByKey, type ProjectKeys } from './project-by-key.js';
export { createRateLimits, type RateLimits } from './rate-limits.js';
export {
  endOneSession,
  endOtherSessions,
  endSession,
  endSessions,
  findSession,
  listSessions,
  startSession,
} from './sessions.js';
export { standingOf } from './standing.js';
export { secretHash, userJson, visibleProjects } from './store.js';
export { type User, userColumns, userSchema, usersById, userView } from './user.js';

/** One row of a table for {@link mountPublicRoutes}. */
export const publicRoute = routeFor<RequestContext>();
/** One row of a table for {@link mountUserRoutes}. */
export const userRoute = routeFor<UserContext>();
/** One row of a table for {@link mountOrganizationRoutes}. */
export const organizationRoute = routeFor<OrganizationContext>();
/** One row of a table for {@link mountProjectRoutes}. */
export const projectRoute = routeFor<ProjectContext>();
/** The PATCH and the PUT row of a table for {@link mountProjectRoutes}. */
export const projectUpdateRoutes = updateRoutesFor<ProjectContext>();
/** One row of a table for {@link mountMembershipRoutes}. */
export const membershipRoute = routeFor<MembershipContext>();
