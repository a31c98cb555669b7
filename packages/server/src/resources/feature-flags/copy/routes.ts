import { organizationRoute } from '../../../auth/index.js';
import { copiedSchema, copySchema } from './schema.js';
import { copyFlag } from './service.js';

/** Routes under `/api/organizations/:organization_id`. */
export const copyRoutes = [
  organizationRoute({
    method: 'POST',
    path: '/feature_flags/copy_flags/',
    scope: 'feature_flag:write',
    summary: 'Copy a feature flag to other projects',
    description:
      'Updates the flag with the same key in each project, or creates it. Cohorts, flags and group types of the conditions must exist in the project under the same names.',
    body: copySchema,
    status: 200,
    response: copiedSchema,
    errors: [404],
    handle: ({ body, ...context }) => copyFlag(context, body),
  }),
];
