import type { RequestContext } from '../http/route.js';
import type { MembershipLevel } from '../kernel/levels.js';

/** Who asks, proven by a personal API key or a login session. */
export interface Principal {
  userId: number;
  userUuid: string;
  email: string;
  /** The key used, or null for a login session. */
  key: { id: string; scopes: string[]; teams: number[]; organizations: string[] } | null;
  /** For `@current`. */
  currentOrganizationId: string | null;
  currentProjectId: number | null;
}

/** The project of `:project_id`, as far as every room needs it. */
export interface ProjectRef {
  id: number;
  uuid: string;
  organizationId: string;
  name: string;
  apiToken: string;
  timezone: string;
}

/** The organization of `:organization_id`, and the caller's place in it. */
export interface OrganizationRef {
  id: string;
  name: string;
  /** The caller's membership. */
  membershipId: string;
  level: MembershipLevel;
}

/** Context of routes that need only a user. */
export interface UserContext extends RequestContext {
  principal: Principal;
}

/** Context of routes under `/api/organizations/:organization_id`. */
export interface OrganizationContext extends UserContext {
  organization: OrganizationRef;
}

/** Context of project routes that decide themselves what those may do who may not enter the project. */
export interface MembershipContext extends UserContext {
  project: ProjectRef;
  /** The caller's place in the project; null: they may not enter it. */
  standing: Pick<ProjectContext, 'level' | 'membership'> | null;
}

/** Context of routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export interface ProjectContext extends UserContext {
  /** Counts one more request of the same caller. @throws ApiError throttled */
  recheckRateLimit: (request: RequestContext['request']) => Promise<void>;
  project: ProjectRef;
  /** Effective membership level in the project: the higher of the organization's and the explicit one. */
  level: MembershipLevel;
  /** The caller's membership of the project's organization. */
  membership: { id: string; level: MembershipLevel };
}
