import { type Access, accessOf, type ItemContext, requireResourceLevel } from '../../access/index.js';
import { projectRoute, projectUpdateRoutes } from '../../auth/index.js';
import { envelope, readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/ids.js';
import { createFeature, featureView, patchFeature, removeFeature } from './features.js';
import { createSchema, featurePage, featureParams, featureSchema, listQuery, patchSchema } from './schema.js';
import { type FeatureRow, listFeatures, readFeature } from './store.js';

/** Routes under `/api/projects/:project_id` and `/api/environments/:project_id`. The access rules of flags decide about features, too. */
export const featureRoutes = [
  projectRoute({
    method: 'GET',
    path: '/early_access_feature/',
    scope: 'early_access_feature:read',
    summary: 'List early access features, newest first',
    query: listQuery,
    status: 200,
    response: featurePage,
    handle: async ({ query: _, ...context }) => {
      const { deps, request, project } = context;
      const page = readPage(request);
      const [{ count, rows }, access] = await Promise.all([
        listFeatures(deps.db, project.id, page),
        accessOf(context, 'feature_flag'),
      ]);
      const views = rows.map((row) => featureView(context, access, row));
      return envelope(request, page, count, views);
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/early_access_feature/',
    scope: 'early_access_feature:write',
    summary: 'Create an early access feature, and its flag unless you name one',
    body: createSchema,
    status: 201,
    response: featureSchema,
    load: requireResourceLevel('feature_flag', 'editor'),
    handle: async ({ body, loaded: access, ...context }) =>
      featureView(context, access, await createFeature(context, access, body)),
  }),
  projectRoute({
    method: 'GET',
    path: '/early_access_feature/:id/',
    params: featureParams,
    scope: 'early_access_feature:read',
    summary: 'Retrieve an early access feature',
    status: 200,
    response: featureSchema,
    load: find,
    handle: async ({ loaded: { row, access }, ...context }) => featureView(context, access, row),
  }),
  ...projectUpdateRoutes({
    path: '/early_access_feature/:id/',
    params: featureParams,
    scope: 'early_access_feature:write',
    summary: {
      PATCH: 'Change an early access feature, such as its stage',
      PUT: 'Change an early access feature; fields that are left out stay',
    },
    body: patchSchema,
    status: 200,
    response: featureSchema,
    load: find,
    handle: async ({ body, loaded: { row, access }, ...context }) =>
      featureView(context, access, await patchFeature(context, access, row.id, body)),
  }),
  projectRoute({
    method: 'DELETE',
    path: '/early_access_feature/:id/',
    params: featureParams,
    scope: 'early_access_feature:write',
    summary: 'Delete an early access feature; its flag stays, and enrolling no longer decides about it',
    status: 204,
    load: find,
    handle: async ({ loaded: { row, access }, ...context }) => removeFeature(context, access, row.id),
  }),
];

/** Finds the feature of `params.id` and the caller's access to flags. @throws ApiError not_found */
async function find(context: ItemContext): Promise<{ row: FeatureRow; access: Access }> {
  const { deps, project, params } = context;
  const id = params['id'] ?? '';
  const [row, access] = await Promise.all([
    isUuid(id) ? readFeature(deps.db, project.id, id) : null,
    accessOf(context, 'feature_flag'),
  ]);
  if (!row) throw new ApiError('not_found');
  return { row, access };
}
