import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import type { QueueKind } from '../../jobs/index.js';
import { CHECK_JOB, checkJob } from './check-job.js';
import { alertRoutes } from './routes.js';
import { WEBHOOK_JOB, webhookJob } from './webhook-job.js';

export { queueDueAlerts } from './check-job.js';

/** Alerts, which tell when a number of an insight leaves its bounds: `alerts/`. */
export function registerAlerts(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(
    app,
    deps,
    alertRoutes(() => void deps.services.runner.wake()),
  );
}

/** The jobs of alerts by kind: checks, and calls of webhooks. */
export const alertQueues = (deps: Deps): Record<string, QueueKind> => ({
  [CHECK_JOB]: checkJob(deps),
  [WEBHOOK_JOB]: webhookJob(deps),
});
