import { routeFor } from '../http/route.js';
import type { OrganizationContext, ProjectContext, UserContext } from './context.js';

export type { OrganizationContext, OrganizationRef, Principal, ProjectContext, ProjectRef, UserContext } from './context.js';

/** One row of a table for {@link mountUserRoutes}. */
export const userRoute = routeFor<UserContext>();
/** One row of a table for {@link mountOrganizationRoutes}. */
export const organizationRoute = routeFor<OrganizationContext>();
/** One row of a table for {@link mountProjectRoutes}. */
export const projectRoute = routeFor<ProjectContext>();
