import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.js';
import { validateQuery } from '../../http/query-values.js';
import { ApiError } from '../../kernel/errors.js';
import { readSnapshots, snapshotQuery } from '../recordings/index.js';
import { lookOf } from './display-options.js';
import { playerPage, playerPolicy } from './player-page.js';
import { sendPublic } from './send.js';
import type { Share } from './store.js';

const LINES = 'application/jsonl; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

export type Request = FastifyRequest<{ Params: { token: string } }>;

/** The page of a request that this visitor may see; undefined: there is none, or not for them, and they have been told. */
export type Enter = (request: Request, reply: FastifyReply, form: 'page' | 'embedded' | 'json') => Promise<Share | undefined>;

/** Answers that there is no such page. */
type Missing = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Below the page of a shared recording: its player, in a document of its own, and what that plays. */
export function registerRecording(app: FastifyInstance, deps: Deps, enter: Enter, missing: Missing): void {
  app.get('/shared/:token/player', (request: Request, reply) => player(request, reply, 'page'));
  app.get('/embedded/:token/player', (request: Request, reply) => player(request, reply, 'embedded'));
  app.get('/shared/:token/snapshots', snapshots);

  async function player(request: Request, reply: FastifyReply, form: 'page' | 'embedded'): Promise<FastifyReply> {
    const share = await enter(request, reply, form);
    if (!share) return reply;
    if (!share.recording) return missing(request, reply);
    const nonce = deps.ids.token(16);
    return sendPublic(request, reply, {
      status: 200,
      type: 'text/html; charset=utf-8',
      body: playerPage(nonce, lookOf(share.settings), `/shared/${request.params.token}/snapshots`),
      framing: form === 'embedded' ? '*' : "'self'",
      policy: playerPolicy(nonce),
    });
  }

  /** The snapshots of the recording, asked for as below `session_recordings/`. */
  async function snapshots(request: Request, reply: FastifyReply): Promise<FastifyReply> {
    const share = await enter(request, reply, 'json');
    if (!share) return reply;
    if (!share.recording) return missing(request, reply);
    try {
      const query = validateQuery(snapshotQuery, request.query);
      const found = await readSnapshots(deps, { ...share.recording, projectId: share.projectId }, query);
      if (found instanceof Readable) return sendPublic(request, reply, { status: 200, type: LINES, body: found });
      return sendPublic(request, reply, { status: 200, type: JSON_TYPE, body: JSON.stringify(found) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return sendPublic(request, reply, { status: error.status, type: JSON_TYPE, body: JSON.stringify(error.body) });
    }
  }
}
