import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { repeatInTurn } from '../../jobs/index.js';
import { findRecording } from './find-recording.js';
import { purge } from './purge.js';
import { recordingRoutes } from './routes.js';
import { recordingParams } from './schema.js';
import { snapshotRoutes } from './snapshot-routes.js';

export { findRecording } from './find-recording.js';
export { snapshotQuery } from './schema.js';
export { readSnapshots } from './snapshots.js';

const PURGE_EVERY_MS = 60_000;

/** Recorded sessions: `session_recordings/`. Also deletes those that are older than their project keeps them. */
export function registerRecordings(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...recordingRoutes, ...snapshotRoutes]);
  mountAccessControls(app, deps, {
    resource: 'session_recording',
    path: '/session_recordings/:id',
    params: recordingParams,
    load: async (context) => (await findRecording(context)).subject,
  });
  const purging = repeatInTurn(deps, { name: 'purge-recordings', everyMs: PURGE_EVERY_MS, run: () => purge(deps) });
  app.addHook('onClose', () => purging.stop());
}
