import type { FastifyInstance } from 'fastify';
import { accessOf } from '../../access/index.js';
import { mountOrganizationRoutes, mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity, mountImportedActivity, mountLoggedRules } from '../activity/index.js';
import { findEditable, findVisible, readLive } from './access.js';
import { blastRadiusRoutes } from './blast-radius.js';
import { copyRoutes } from './copy.js';
import { evaluationRoutes } from './evaluation/routes.js';
import { flagRoutes } from './routes.js';
import { scheduleRoutes } from './scheduled/routes.js';
import { flagParams } from './schema.js';
import { versionRoutes } from './versions.js';

export { runDueChanges } from './scheduled/run-due.js';
export { flagKey, type UpdateFields as FlagChangeFields } from './schema.js';
export { changeFlag, createFlag } from './service.js';
export { type FlagRow, flagOfSurvey, type LinkedFlag, linkedFlagJson, lockFlags, readFlag } from './store.js';

/** Feature flags with their versions, scheduled changes, evaluation and activity log: `feature_flags/`, `scheduled_changes/`. */
export function registerFeatureFlags(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...flagRoutes, ...versionRoutes, ...scheduleRoutes, ...blastRadiusRoutes, ...evaluationRoutes]);
  mountOrganizationRoutes(app, deps, copyRoutes);
  mountLoggedRules(app, deps, {
    resource: 'feature_flag',
    path: '/feature_flags/:id',
    params: flagParams,
    load: readLive,
    nameOf: ({ key }) => ({ name: key }),
  });
  mountActivity(app, deps, {
    path: '/feature_flags/activity/',
    scope: 'FeatureFlag',
    summary: 'List who changed what of the feature flags of a project, newest first',
    load: async (context) => {
      (await accessOf(context, 'feature_flag')).requireResource('viewer');
      return null;
    },
  });
  mountActivity(app, deps, {
    path: '/feature_flags/:id/activity/',
    params: flagParams,
    scope: 'FeatureFlag',
    summary: 'List who changed what of a feature flag, newest first',
    load: async (context) => (await findVisible(context)).row.id,
  });
  mountImportedActivity(app, deps, {
    path: '/feature_flags/:id/activity/',
    params: flagParams,
    scope: 'FeatureFlag',
    summary: 'Import what happened to a feature flag in another service',
    load: async (context) => (await findEditable(context)).row.id,
  });
}
