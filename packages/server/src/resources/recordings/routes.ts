import { Readable } from 'node:stream';
import { z } from 'zod';
import { accessOf } from '../../access/index.js';
import { type ProjectContext, projectRoute } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { sendPage } from '../../http/page/send-page.js';
import { readPage } from '../../http/pagination.js';
import { ApiError } from '../../kernel/errors.js';
import { findFor } from './access.js';
import { findRecordings, showRecordings } from './list.js';
import { personFacts, playerPage, playerPolicy, recordingTitle, sessionFacts } from './player-page.js';
import { removeRecordings } from './remove.js';
import {
  bulkAnswer,
  bulkSchema,
  patchSchema,
  playerQuery,
  recordingPage,
  recordingParams,
  recordingQuery,
  recordingSchema,
  snapshotQuery,
  sourcesSchema,
} from './schema.js';
import { readSnapshots } from './snapshots.js';
import { findRecordingRow, presentRecordings, type RecordingRow, setViewed } from './store.js';

export const recordingRoutes = [
  projectRoute({
    method: 'GET',
    path: '/session_recordings/',
    scope: 'session_recording:read',
    summary: 'List recorded sessions, newest first',
    query: recordingQuery,
    status: 200,
    response: recordingPage,
    handle: ({ query, ...context }) => findRecordings(context, query, readPage(context.request)),
  }),
  projectRoute({
    method: 'GET',
    path: '/session_recordings/:id/',
    params: recordingParams,
    scope: 'session_recording:read',
    summary: 'Retrieve a recorded session, without its snapshots',
    status: 200,
    response: recordingSchema,
    load: findFor('viewer'),
    handle: ({ loaded, ...context }) => show(context, loaded),
  }),
  projectRoute({
    method: 'PATCH',
    path: '/session_recordings/:id/',
    params: recordingParams,
    scope: 'session_recording:write',
    summary: 'Note that you have looked at a recorded session',
    body: patchSchema,
    status: 200,
    response: recordingSchema,
    load: findFor('viewer'),
    handle: async ({ body, loaded: { id, session_id }, ...context }) => {
      const { deps, principal, project } = context;
      if (typeof body.viewed === 'boolean') {
        await setViewed(deps.db, id, principal.userId, body.viewed, new Date(deps.clock.now()));
      }
      const row = await findRecordingRow(deps.db, project.id, session_id);
      if (!row) throw new ApiError('not_found');
      return show(context, row);
    },
  }),
  projectRoute({
    method: 'DELETE',
    path: '/session_recordings/:id/',
    params: recordingParams,
    scope: 'session_recording:write',
    summary: 'Delete a recorded session for good; what still comes of it is thrown away',
    status: 204,
    load: findFor('editor'),
    handle: async ({ loaded, ...context }) => {
      await remove(context, [loaded]);
    },
  }),
  projectRoute({
    method: 'POST',
    path: '/session_recordings/bulk_delete/',
    scope: 'session_recording:write',
    summary: 'Delete several recorded sessions for good',
    body: bulkSchema,
    status: 200,
    response: bulkAnswer,
    load: (context) => accessOf(context, 'session_recording'),
    handle: async ({ body, loaded: access, ...context }) => {
      const { deps, project } = context;
      const ids = [...new Set(body.session_recording_ids)];
      const rows = await presentRecordings(deps.db, project.id, ids);
      for (const { id } of rows) access.requireOn({ id, created_by: null }, 'editor');
      await remove(context, rows);
      return { success: true, deleted_count: rows.length, total_requested: ids.length };
    },
  }),
];

const remove = ({ deps, project }: ProjectContext, rows: readonly { id: number; session_id: string }[]): Promise<void> =>
  inTransaction(deps.db, (tx) => removeRecordings(tx, project.id, rows, new Date(deps.clock.now())));

async function show(context: ProjectContext, row: RecordingRow) {
  const [shown] = await showRecordings(context, [row]);
  return shown;
}

/** What plays a recording: its snapshots, and the page of the player. */
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
  projectRoute({
    method: 'GET',
    path: '/session_recordings/:id/player/',
    params: recordingParams,
    scope: 'session_recording:read',
    summary: 'Show the player of a recorded session',
    description: `A page for an iframe of this server, for callers with a session: its policy lets the recorded page load styles and images from
anywhere, which an application does not want for itself.`,
    query: playerQuery,
    status: 200,
    mediaType: 'text/html',
    response: z.string().describe('A page for browsers.'),
    load: findFor('viewer'),
    handle: async ({ query, loaded, ...context }) => {
      const { deps, project, request, reply } = context;
      const [shown] = await showRecordings(context, [loaded]);
      const { start_time, end_time, click_count: clicks, console_error_count: errors, start_url: url } = loaded;
      const session = { start: start_time.getTime(), end: end_time.getTime(), clicks, errors, url };
      const person = shown?.person;
      const nonce = deps.ids.token(16);
      const id = encodeURIComponent(loaded.session_id);
      const body = playerPage(nonce, {
        title: recordingTitle(session, project.timezone),
        theme: query.theme ?? 'system',
        snapshots: `/api/projects/${project.id}/session_recordings/${id}/snapshots/`,
        link: `/p/${project.id}/recordings/${id}`,
        facts: [...personFacts(person?.name ?? loaded.distinct_id, person?.properties ?? {}), ...sessionFacts(session)],
      });
      const type = 'text/html; charset=utf-8';
      return sendPage(request, reply, { status: 200, type, body, framing: "'self'", policy: playerPolicy(nonce) });
    },
  }),
];
