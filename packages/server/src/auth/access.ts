import type { Deps } from '../deps.js';
import { ApiError } from '../kernel/errors.js';
import { isUuid, objectId } from '../kernel/ids.js';
import type { MembershipLevel } from '../kernel/rights.js';
import type { Db } from '../ports/db.js';
import type { OrganizationRef, Principal, ProjectRef } from './context.js';
import { effectiveLevel, toLevel } from './effective-level.js';
import { requireOrganizationInReach, requireProjectInReach } from './key-limits.js';
import { findOrganization, findProject, membersWithGrants, projectsWithGrants } from './store.js';
import { type User, userView } from './user.js';

/** The membership of a principal with access to a project. */
export interface Standing {
  /** Effective level: the higher of the organization's and the explicit one. */
  level: MembershipLevel;
  membership: { id: string; level: MembershipLevel };
}

/** A project that the principal has access to, and the principal's membership. */
export interface ProjectAccess extends Standing {
  project: ProjectRef;
}

const PROJECT_NOT_FOUND = 'Project not found.';
const NO_ACCESS = "You don't have access to the project.";

/** A project, and the rights of a principal in it. */
interface LocatedProject {
  project: ProjectRef;
  /** Null: no access. */
  standing: Standing | null;
  /** Whether the principal is a member of the organization of the project. */
  isInOrganization: boolean;
}

/**
 * Finds the project of a path segment (an id or `@current`), and the principal's membership.
 * @throws ApiError not_found: no such project; permission_denied: out of reach of this key
 */
export async function locateProject(deps: Deps, principal: Principal, segment: string): Promise<LocatedProject> {
  const id = segment === '@current' ? principal.currentProjectId : objectId(segment);
  const row = id === null ? undefined : await findProject(deps.db, id, principal.userId);
  if (!row) throw new ApiError('not_found', PROJECT_NOT_FOUND);
  const isInOrganization = row.membership_id !== null;
  if (isInOrganization) requireProjectInReach(principal, row);
  const { id: projectId, uuid, organization_id: organizationId, name, api_token: apiToken, timezone } = row;
  const project = { id: projectId, uuid, organizationId, name, apiToken, timezone };
  const level = levelOf(row);
  if (level === null || row.membership_id === null || row.organization_level === null) {
    return { project, standing: null, isInOrganization };
  }
  const membership = { id: row.membership_id, level: toLevel(row.organization_level) };
  return { project, standing: { level, membership }, isInOrganization };
}

/**
 * As {@link locateProject}, for requests: the project of an organization of others is not found, because numbers of projects are easily
 * guessed, and a different response would reveal which of them exist.
 */
export async function locateOwnProject(deps: Deps, principal: Principal, segment: string): Promise<LocatedProject> {
  const located = await locateProject(deps, principal, segment);
  if (!located.isInOrganization) throw new ApiError('not_found', PROJECT_NOT_FOUND);
  return located;
}

/**
 * Opens the project of a path segment (an id or `@current`).
 * @throws ApiError not_found: no such project in the organizations of the user; permission_denied: not for this key or user
 */
export async function openProject(deps: Deps, principal: Principal, segment: string): Promise<ProjectAccess> {
  return accessIn(await locateOwnProject(deps, principal, segment));
}

/**
 * Opens the project that stored work of a user belongs to.
 * @throws ApiError not_found: no such project; permission_denied: no longer for this key or user
 */
export async function reopenProject(deps: Deps, principal: Principal, projectId: number): Promise<ProjectAccess> {
  return accessIn(await locateProject(deps, principal, String(projectId)));
}

function accessIn({ project, standing }: LocatedProject): ProjectAccess {
  if (!standing) throw new ApiError('permission_denied', NO_ACCESS);
  return { project, ...standing };
}

/** The level of any user in a project; null: no access. */
export async function levelInProject(db: Db, projectId: number, userId: number): Promise<MembershipLevel | null> {
  const row = await findProject(db, projectId, userId);
  return row ? levelOf(row) : null;
}

const levelOf = (row: NonNullable<Awaited<ReturnType<typeof findProject>>>): MembershipLevel | null => effectiveLevel(row);

/**
 * Opens the organization of a path segment (a UUID or `@current`).
 * @throws ApiError not_found: no such organization; permission_denied: not for this key or user
 */
export async function openOrganization(deps: Deps, principal: Principal, segment: string): Promise<OrganizationRef> {
  const id = segment === '@current' ? principal.currentOrganizationId : segment;
  const row = id === null || !isUuid(id) ? undefined : await findOrganization(deps.db, id, principal.userId);
  if (!row) throw new ApiError('not_found', 'Organization not found.');
  requireOrganizationInReach(principal, row.id);
  if (row.membership_id === null || row.level === null) {
    throw new ApiError('permission_denied', "You don't have access to the organization.");
  }
  return { id: row.id, name: row.name, membershipId: row.membership_id, level: toLevel(row.level) };
}

/** The projects that a user may see, with the user's level in each, by name. */
export async function listVisibleProjects(db: Db, userId: number) {
  const rows = await projectsWithGrants(db, userId);
  return rows.flatMap((row) => {
    const level = effectiveLevel(row);
    return level === null ? [] : [{ ...row, level }];
  });
}

/** A member of the project's organization who may enter the project. */
interface ProjectMember extends Standing {
  user: User;
  /** Whether an explicit membership of a private project lets them in. */
  isExplicit: boolean;
}

/** The members of the project's organization, by name: who may enter the project, and how many may not. */
export async function listProjectMembers(db: Db, projectId: number): Promise<{ members: ProjectMember[]; outside: number }> {
  const rows = await membersWithGrants(db, projectId);
  const members = rows.flatMap((row): ProjectMember[] => {
    const level = effectiveLevel(row);
    if (level === null) return [];
    const membership = { id: row.membership_id, level: toLevel(row.organization_level) };
    return [{ user: userView(row), level, membership, isExplicit: row.access_control && row.explicit_level !== null }];
  });
  return { members, outside: rows.length - members.length };
}
