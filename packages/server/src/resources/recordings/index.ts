import type { FastifyInstance } from 'fastify';
import { mountAccessControls } from '../../access/index.js';
import { mountProjectRoutes } from '../../auth/index.js';
import type { Deps } from '../../deps.js';
import { findRecording } from './access.js';
import { recordingRoutes, snapshotRoutes } from './routes.js';
import { recordingParams } from './schema.js';

export { findRecording } from './access.js';
export { playerPage, playerPolicy, publicPage, recordingTitle, sessionFacts } from './player-page.js';
export { purgeRecordings } from './purge.js';
export { removeRecordingsOf } from './remove.js';
export { snapshotQuery } from './schema.js';
export { readSnapshots } from './snapshots.js';
export { recordingsOf } from './store.js';

/** Recorded sessions: `session_recordings/`. */
export function registerRecordings(app: FastifyInstance, deps: Deps): void {
  mountProjectRoutes(app, deps, [...recordingRoutes, ...snapshotRoutes]);
  mountAccessControls(app, deps, {
    resource: 'session_recording',
    path: '/session_recordings/:id',
    params: recordingParams,
    load: async (context) => (await findRecording(context)).subject,
  });
}
