import { organizationRoute } from '../../../auth/index.js';
import { copyFlag } from './copy.js';
import { copiedSchema, copySchema } from './schema.js';

/** Below `/api/organizations/:organization_id`. */
export const copyRoutes = [
  organizationRoute({
    method: 'POST',
    path: '/feature_flags/copy_flags/',
    scope: 'feature_flag:write',
    summary: 'Copy a feature flag to other projects',
    description:
      'Projects that have a flag with the key get its filters and settings; the others a new flag. Cohorts, flags and group types that the conditions name must be there under the same names.',
    body: copySchema,
    status: 200,
    response: copiedSchema,
    errors: [404],
    handle: ({ body, ...context }) => copyFlag(context, body),
  }),
];
