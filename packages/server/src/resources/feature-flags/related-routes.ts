import { z } from 'zod';
import { projectRoute } from '../../auth/index.js';
import { dependentsOf } from './dependencies.js';
import { findFlag } from './find-flag.js';
import { readKnown } from './known-store.js';
import { flagNameSchema, statusSchema } from './response.js';
import { flagParams } from './routes.js';
import { statusOf } from './status.js';
import { readNames } from './store.js';

/** What is known about a flag beyond itself. */
export const relatedRoutes = [
  projectRoute({
    method: 'GET',
    path: '/feature_flags/:id/status/',
    params: flagParams,
    scope: 'feature_flag:read',
    summary: 'Retrieve whether a feature flag is in use, with the reason',
    status: 200,
    response: statusSchema,
    load: findFlag,
    handle: async ({ deps, loaded: { row } }) => statusOf(row, deps.clock.now()),
  }),
  projectRoute({
    method: 'GET',
    path: '/feature_flags/:id/dependent_flags/',
    params: flagParams,
    scope: 'feature_flag:read',
    summary: 'List the feature flags whose conditions ask for this one',
    status: 200,
    response: z.array(flagNameSchema),
    load: findFlag,
    handle: async ({ deps, project, loaded: { row, access } }) => {
      const { flags } = await readKnown(deps.db, project.id);
      const names = await readNames(
        deps.db,
        project.id,
        dependentsOf(row, flags).map(({ id }) => id),
      );
      return names
        .filter((flag) => access.levelOn(flag) !== 'none')
        .map(({ id, key, name, active }) => ({ id, key, name, active }));
    },
  }),
];
