import { projectRoute } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import { parseUuid } from '../../kernel/ids.js';
import { leaseView, renew, take } from './import-leases.js';
import { requireRightToImport } from './rights.js';
import { LEASE_SECONDS, leaseParams, leaseSchema, takeSchema } from './schema.js';
import { deleteLease } from './store.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. */
export const importLeaseRoutes = [
  projectRoute({
    method: 'POST',
    path: '/import_leases/',
    scope: 'any',
    summary: 'Take a project for an import of objects',
    description: `For imports: two at once would both make what neither has found. The lease is valid for ${LEASE_SECONDS} seconds. While it is, the import of another \`holder\` is refused (409), with the lease that stands against it as \`extra\`. It keeps no other request from changing the project. A key needs a scope to write, and its owner access as an editor, for one of the kinds of objects that imports create.`,
    body: takeSchema,
    status: 201,
    response: leaseSchema,
    errors: [409],
    load: requireRightToImport,
    handle: async ({ body, ...context }) => leaseView(await take(context, body)),
  }),
  projectRoute({
    method: 'POST',
    path: '/import_leases/:id/renew/',
    params: leaseParams,
    scope: 'any',
    summary: 'Extend the lease of an import',
    description: `It is valid for ${LEASE_SECONDS} seconds again. An import whose lease has expired gets it back if no other has had the project since; otherwise (409) it must write nothing more.`,
    status: 200,
    response: leaseSchema,
    errors: [409],
    load: requireRightToImport,
    handle: async ({ params, ...context }) => leaseView(await renew(context, requireId(params['id']))),
  }),
  projectRoute({
    method: 'DELETE',
    path: '/import_leases/:id/',
    params: leaseParams,
    scope: 'any',
    summary: 'Give the project back at the end of an import',
    status: 204,
    load: requireRightToImport,
    handle: async ({ params, deps, project }) => {
      if (!(await deleteLease(deps.db, project.id, requireId(params['id'])))) throw new ApiError('not_found');
    },
  }),
];

/** @throws ApiError not_found: it is no UUID */
function requireId(segment: string | undefined): string {
  const id = parseUuid(segment ?? '');
  if (id === null) throw new ApiError('not_found');
  return id;
}
