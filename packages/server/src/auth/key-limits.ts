import { ApiError } from '../kernel/errors.js';
import { covers, type Scope } from '../kernel/rights.js';
import type { Principal } from './context.js';

/** What a route asks of a key; see `Route.scope`. */
export type NeededScope = Scope | 'session' | 'any' | null;

/** @throws ApiError permission_denied when the principal's key may not do this; sessions may do all */
export function requireScope({ key }: Principal, needed: NeededScope): void {
  if (!key || needed === 'any' || needed === null) return;
  if (needed === 'session') throw new ApiError('permission_denied', 'This action does not support personal API key access');
  if (!covers(key.scopes, needed)) throw new ApiError('permission_denied', `API key missing required scope '${needed}'`);
}

type Reaching = Pick<Principal, 'key'>;

/** Whether a principal's key is limited to projects that include this one; sessions reach everything. */
const isProjectInReach = ({ key }: Reaching, projectId: number): boolean =>
  key === null || key.teams.length === 0 || key.teams.includes(projectId);

/** Whether a principal's key is limited to organizations that include this one; sessions reach everything. */
const isOrganizationInReach = ({ key }: Reaching, organizationId: string): boolean =>
  key === null || key.organizations.length === 0 || key.organizations.includes(organizationId);

/** Whether a principal's key reaches a project, by both of its limits. */
export const isInReach = (principal: Reaching, project: { id: number; organization_id: string }): boolean =>
  isProjectInReach(principal, project.id) && isOrganizationInReach(principal, project.organization_id);

/** @throws ApiError permission_denied when the key is limited to other projects or organizations */
export function requireProjectInReach(principal: Reaching, project: { id: number; organization_id: string }): void {
  if (!isProjectInReach(principal, project.id)) {
    throw new ApiError('permission_denied', `API key does not have access to the requested project: ID ${project.id}.`);
  }
  requireOrganizationInReach(principal, project.organization_id);
}

/** @throws ApiError permission_denied when the key is limited to other organizations */
export function requireOrganizationInReach(principal: Reaching, organizationId: string): void {
  if (!isOrganizationInReach(principal, organizationId)) {
    throw new ApiError('permission_denied', `API key does not have access to the requested organization: ID ${organizationId}.`);
  }
}

/** @throws ApiError permission_denied for a key limited to organizations, which makes no others */
export function requireNoOrganizationLimit({ key }: Reaching): void {
  if (key && key.organizations.length > 0) {
    throw new ApiError('permission_denied', 'API keys with scoped organizations cannot create organizations.');
  }
}

/** @throws ApiError permission_denied for a key limited to projects, on a route that belongs to none */
export function requireNoProjectLimit({ key }: Reaching): void {
  if (key && key.teams.length > 0) {
    throw new ApiError('permission_denied', 'API keys with scoped projects are only supported on project-based endpoints.');
  }
}
