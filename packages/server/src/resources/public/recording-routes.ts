import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.js';
import { sendPage } from '../../http/page/send-page.js';
import { validateQuery } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { playerPage, playerPolicy, readSnapshots, recordingTitle, sessionFacts, snapshotQuery } from '../recordings/index.js';
import { displayOptionsOf, type Share } from './store.js';

const LINES = 'application/jsonl; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

export type Request = FastifyRequest<{ Params: { token: string }; Querystring: Record<string, unknown> }>;

/** The page of a request. Undefined: there is none, or the visitor may not see it; the response is sent. */
export type Enter = (request: Request, reply: FastifyReply, form: 'page' | 'embedded' | 'json') => Promise<Share | undefined>;

/** Sends a 404. */
type Missing = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** The player of a shared recording, in a document of its own with its own policy, and the snapshots that it plays. */
export function registerRecording(app: FastifyInstance, deps: Deps, enter: Enter, missing: Missing): void {
  app.get('/shared/:token/player', (request: Request, reply) => player(request, reply, 'page'));
  app.get('/embedded/:token/player', (request: Request, reply) => player(request, reply, 'embedded'));
  app.get('/shared/:token/snapshots', snapshots);

  async function player(request: Request, reply: FastifyReply, form: 'page' | 'embedded'): Promise<FastifyReply> {
    const share = await enter(request, reply, form);
    if (!share) return reply;
    if (!share.recording) return missing(request, reply);
    const nonce = deps.ids.token(16);
    const path = `/shared/${request.params.token}`;
    return sendPage(request, reply, {
      status: 200,
      type: 'text/html; charset=utf-8',
      body: playerPage(nonce, {
        title: recordingTitle(share.recording, share.timezone),
        theme: displayOptionsOf(share.settings).theme,
        snapshots: `${path}/snapshots`,
        link: path,
        facts: sessionFacts(share.recording),
      }),
      framing: form === 'embedded' ? '*' : "'self'",
      policy: playerPolicy(nonce),
    });
  }

  /** The snapshots of the recording; same parameters as `session_recordings/:id/snapshots`. */
  async function snapshots(request: Request, reply: FastifyReply): Promise<FastifyReply> {
    const share = await enter(request, reply, 'json');
    if (!share) return reply;
    if (!share.recording) return missing(request, reply);
    try {
      const query = validateQuery(snapshotQuery, request.query);
      const found = await readSnapshots(deps, { ...share.recording, projectId: share.projectId }, query);
      if (found instanceof Readable) return sendPage(request, reply, { status: 200, type: LINES, body: found });
      return sendPage(request, reply, { status: 200, type: JSON_TYPE, body: JSON.stringify(found) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return sendPage(request, reply, { status: error.status, type: JSON_TYPE, body: JSON.stringify(error.body) });
    }
  }
}
