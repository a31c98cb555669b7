import { Readable } from 'node:stream';
import { projectRoute } from '../../auth/index.js';
import { findFor } from './find-recording.js';
import { recordingParams, snapshotQuery, sourcesSchema } from './schema.js';
import { readSnapshots } from './snapshots.js';

/** What was recorded, below a recording. */
export const snapshotRoutes = [
  projectRoute({
    method: 'GET',
    path: '/session_recordings/:id/snapshots/',
    params: recordingParams,
    scope: 'session_recording:read',
    summary: 'Retrieve what was recorded',
    description: `Without \`source\`: the list of blocks. With \`source=blob_v2\`, \`start_blob_key\` and \`end_blob_key\`: the snapshots of these blocks as
lines of JSON, \`["<window id>", {event}]\` each, by time.`,
    query: snapshotQuery,
    status: 200,
    response: sourcesSchema,
    otherMediaType: 'application/jsonl',
    load: findFor('viewer'),
    handle: async ({ deps, project, query, loaded: { id, session_id }, reply }) => {
      const answer = await readSnapshots(deps, { id, projectId: project.id, sessionId: session_id }, query);
      if (!(answer instanceof Readable)) return answer;
      return reply.type('application/jsonl; charset=utf-8').header('cache-control', 'private, no-cache').send(answer);
    },
  }),
];
