import { requireResourceLevel } from '../../access/index.js';
import {
  type OrganizationContext,
  type OrganizationRef,
  openOrganization,
  openProject,
  organizationRoute,
  type ProjectContext,
  projectRoute,
  type UserContext,
  userRoute,
} from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { ADMIN, type MembershipLevel } from '../../kernel/rights.js';
import { createProject, patchProject, removeProject, requireProjectAdmin, resetToken } from './change.js';
import { previewRetention, retentionPreview, retentionQuery } from './retention.js';
import { createSchema, patchSchema, projectPage, projectSchema } from './schema.js';
import { groupTypesOf, listProjects, readProject } from './store.js';
import { projectBasicView, projectView } from './view.js';

/** Routes under `/api/projects` and `/api/environments`: the projects of the caller's current organization. */
export const listRoutes = [
  userRoute({
    method: 'GET',
    path: '/',
    scope: 'project:read',
    summary: 'List the projects of the current organization',
    status: 200,
    response: projectPage,
    handle: (context) => list(context, reachable(context)),
  }),
];

/** Routes under `/api/projects`. */
export const createRoutes = [
  userRoute({
    method: 'POST',
    path: '/',
    scope: 'project:write',
    summary: 'Create a project in the current organization',
    body: createSchema,
    status: 201,
    response: projectSchema,
    load: async ({ deps, principal }) => requireAdminOf(await openOrganization(deps, principal, '@current')),
    handle: ({ loaded, body, ...context }) => createProject(context, loaded.id, loaded.level, body),
  }),
];

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const projectRoutes = [
  projectRoute({
    method: 'GET',
    path: '/',
    scope: 'project:read',
    summary: 'Retrieve a project',
    status: 200,
    response: projectSchema,
    handle: ({ deps, project, level }) => show(deps, project.id, level),
  }),
  projectRoute({
    method: 'PATCH',
    path: '/',
    scope: 'project:write',
    summary: 'Change a project',
    body: patchSchema,
    status: 200,
    response: projectSchema,
    load: requireResourceLevel('project_settings', 'editor'),
    handle: ({ project, level, body, ...context }) => patchProject(context, project.id, level, body),
  }),
  projectRoute({
    method: 'GET',
    path: '/retention/',
    scope: 'project:read',
    summary: 'Say what retention settings would delete now',
    query: retentionQuery,
    status: 200,
    response: retentionPreview,
    load: requireResourceLevel('project_settings', 'viewer'),
    handle: ({ deps, project, query }) => previewRetention(deps, project.id, query),
  }),
  projectRoute({
    method: 'DELETE',
    path: '/',
    scope: 'project:write',
    summary: 'Delete a project',
    status: 204,
    load: async ({ level }) => requireProjectAdmin(level),
    handle: ({ project, ...context }) => removeProject(context, project.id),
  }),
  projectRoute({
    method: 'PATCH',
    path: '/reset_token/',
    scope: 'project:write',
    summary: 'Give a project a new API key',
    status: 200,
    response: projectSchema,
    load: async ({ level }) => requireProjectAdmin(level),
    handle: ({ project, level, ...context }) => resetToken(context, project.id, level),
  }),
];

/** Routes under `/api/organizations/:organization_id`. */
export const organizationRoutes = [
  organizationRoute({
    method: 'GET',
    path: '/projects/',
    scope: 'project:read',
    summary: 'List the projects of an organization',
    status: 200,
    response: projectPage,
    handle: (context) => list(context, [context.organization.id]),
  }),
  organizationRoute({
    method: 'POST',
    path: '/projects/',
    scope: 'project:write',
    summary: 'Create a project',
    body: createSchema,
    status: 201,
    response: projectSchema,
    load: async ({ organization }) => requireAdminOf(organization),
    handle: ({ organization, body, ...context }) => createProject(context, organization.id, organization.level, body),
  }),
  organizationRoute({
    method: 'GET',
    path: '/projects/:project_id/',
    scope: 'project:read',
    summary: 'Retrieve a project of an organization',
    status: 200,
    response: projectSchema,
    load: within,
    handle: ({ deps, loaded }) => show(deps, loaded.project.id, loaded.level),
  }),
  organizationRoute({
    method: 'PATCH',
    path: '/projects/:project_id/',
    scope: 'project:write',
    summary: 'Change a project of an organization',
    body: patchSchema,
    status: 200,
    response: projectSchema,
    load: withinAsEditor,
    handle: ({ loaded, body, ...context }) => patchProject(context, loaded.project.id, loaded.level, body),
  }),
  organizationRoute({
    method: 'DELETE',
    path: '/projects/:project_id/',
    scope: 'project:write',
    summary: 'Delete a project of an organization',
    status: 204,
    load: withinAsAdmin,
    handle: ({ loaded, ...context }) => removeProject(context, loaded.project.id),
  }),
  organizationRoute({
    method: 'PATCH',
    path: '/projects/:project_id/reset_token/',
    scope: 'project:write',
    summary: 'Give a project of an organization a new API key',
    status: 200,
    response: projectSchema,
    load: withinAsAdmin,
    handle: ({ loaded: { project, level }, ...context }) => resetToken(context, project.id, level),
  }),
];

function requireAdminOf(organization: OrganizationRef): OrganizationRef {
  if (organization.level >= ADMIN) return organization;
  throw new ApiError('permission_denied', 'Your organization access level is insufficient.');
}

/** The current organization, as far as the key reaches. */
function reachable({ principal: { key, currentOrganizationId } }: UserContext): string[] {
  if (key && key.organizations.length > 0) return key.organizations;
  return currentOrganizationId ? [currentOrganizationId] : [];
}

async function list({ deps, request, principal }: UserContext, organizations: string[]) {
  const page = readPage(request);
  const { count, rows } = await listProjects(deps.db, principal.userId, organizations, page);
  return envelope(request, page, count, rows.map(projectBasicView));
}

async function show(deps: ProjectContext['deps'], projectId: number, level: MembershipLevel) {
  const [row, groupTypes] = await Promise.all([readProject(deps.db, projectId), groupTypesOf(deps.db, projectId)]);
  if (!row) throw new ApiError('not_found', 'Project not found.');
  return projectView(row, level, groupTypes);
}

/** The project of the path, if it is one of the organization's. */
async function within({ deps, principal, organization, params }: OrganizationContext & { params: Record<string, string> }) {
  const found = await openProject(deps, principal, params['project_id'] ?? '');
  if (found.project.organizationId !== organization.id) throw new ApiError('not_found');
  return found;
}

async function withinAsEditor(context: OrganizationContext & { params: Record<string, string> }) {
  const found = await within(context);
  await requireResourceLevel('project_settings', 'editor')({ ...context, ...found });
  return found;
}

async function withinAsAdmin(context: OrganizationContext & { params: Record<string, string> }) {
  const found = await within(context);
  requireProjectAdmin(found.level);
  return found;
}
