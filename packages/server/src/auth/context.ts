import type { RequestContext } from '../http/route.js';
import type { MembershipLevel } from '../kernel/rights.js';

/** The caller, authenticated by a personal API key or a login session. */
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

/** The project of `:project_id`: the fields that all modules need. */
export interface ProjectRef {
  id: number;
  uuid: string;
  organizationId: string;
  name: string;
  apiToken: string;
  timezone: string;
}

/** The organization of `:organization_id`, and the caller's membership. */
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

/** Context of project routes that also serve callers without access to the project. */
export interface MembershipContext extends UserContext {
  project: ProjectRef;
  /** The caller's membership; null: no access to the project. */
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
