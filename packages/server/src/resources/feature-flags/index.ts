import type { FastifyInstance } from 'fastify';
import { accessOf, mountAccessControls } from '../../access/index.js';
import { mountOrganizationRoutes, mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { mountActivity } from '../activity/index.js';
import { accessControls } from './access-controls.js';
import { blastRadiusRoutes } from './blast-radius.js';
import { copyRoutes } from './copy/routes.js';
import { evaluationRoutes } from './evaluation/routes.js';
import { findFlag } from './find-flag.js';
import { relatedRoutes } from './related-routes.js';
import { flagParams, flagRoutes } from './routes.js';
import { scheduleRoutes } from './scheduled/routes.js';
import { versionRoutes } from './version-routes.js';

export { changeFlag, createFlag } from './change.js';
export type { FlagRow } from './row.js';
export { runDueChanges } from './scheduled/run-due.js';
export { flagKey, type UpdateFields as FlagChangeFields } from './schema.js';
export { flagOfSurvey, lockFlags, readFlag } from './store.js';

/** Switches that give each person or group a value: `feature_flags/`. */
export function registerFeatureFlags(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [
    ...flagRoutes,
    ...relatedRoutes,
    ...versionRoutes,
    ...scheduleRoutes,
    ...blastRadiusRoutes,
    ...evaluationRoutes,
  ]);
  mountOrganizationRoutes(app, deps, copyRoutes);
  mountAccessControls(app, deps, accessControls);
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
    load: async (context) => (await findFlag(context)).row.id,
  });
}
