import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.js';
import { Html, html } from '../../http/html.js';
import { sendPage } from '../../http/page/send-page.js';
import { validateQuery } from '../../http/validate.js';
import { ApiError } from '../../kernel/errors.js';
import { readSnapshots, snapshotQuery } from '../recordings/index.js';
import { recordingTitle } from './dashboard-loader.js';
import { type DisplayOptions, displayOptionsOf, type Share } from './store.js';
import { colorStyles } from './styles.js';

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
    return sendPage(request, reply, {
      status: 200,
      type: 'text/html; charset=utf-8',
      body: playerPage(nonce, displayOptionsOf(share.settings), {
        title: recordingTitle(share.recording, share.timezone),
        snapshots: `/shared/${request.params.token}/snapshots`,
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

/** The document of the player, which is a script. `snapshots`: address of the data that it plays. */
const playerPage = (nonce: string, display: DisplayOptions, { title, snapshots }: { title: string; snapshots: string }): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex, nofollow, noarchive"><meta name="referrer" content="no-referrer">
<style>${new Html(colorStyles(display))}body{margin:0;background:var(--surface);color:var(--text);font:15px/1.4 system-ui,sans-serif}noscript{display:block;padding:24px}h1{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}</style></head>
<body><main id="player" data-snapshots="${snapshots}"><h1>${title}</h1></main>
<noscript>Playing the recording needs JavaScript.</noscript>
<script type="module" nonce="${nonce}" src="/static/player.js"></script></body></html>
`.text;

/**
 * The Content-Security-Policy of the player: its script, and styles, images, fonts and media from anywhere. The recorded page is shown
 * in an iframe without an address, which inherits this policy.
 */
const playerPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline' https: http:",
    ...['img-src', 'font-src', 'media-src'].map((kind) => `${kind} https: http: data: blob:`),
    "connect-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
