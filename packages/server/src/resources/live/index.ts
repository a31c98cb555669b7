import type { FastifyInstance } from 'fastify';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { liveRoutes } from './routes.js';

export { createLiveChannels, type LiveChannels } from './channels.js';

/** Events as they are stored, and what happened in the last half hour: `live/`. */
export function registerLive(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, liveRoutes);
}
