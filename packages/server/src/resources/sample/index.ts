import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { sampleRoutes } from './routes.js';

export { sampleQueues } from './jobs.js';
export { loadSample, removeSample } from './sample.js';

/** Data of an invented shop, to try things with: `sample_data/`. */
export function registerSample(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(
    app,
    deps,
    sampleRoutes(() => void deps.services.runner.wake()),
  );
}
