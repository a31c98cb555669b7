import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.js';
import { readBody } from '../../http/body.js';
import { html } from '../../http/html.js';
import { origin } from '../../http/origin.js';
import { compressed, finishedBody } from '../../http/page/compressed.js';
import { messagePage } from '../../http/page/document.js';
import { sendPage } from '../../http/page/send-page.js';
import { isObject } from '../../kernel/json.js';
import { createScriptAddresses } from '../static/index.js';
import { createLimit, isUnlocked, type PublishedShare, tryPassword, withPublisher } from './access.js';
import { createCharts } from './chart-svg.js';
import { createDashboardLoader, dashboardJson, type OpenDashboard, whole } from './dashboard-loader.js';
import { createDashboardPngs } from './dashboard-png.js';
import { readDateRange } from './date-ranges.js';
import { createMarkdown } from './markdown.js';
import { dashboardPage, type FootOptions, type PageOptions, pageEnd, unlockPage } from './page.js';
import { createPageCache } from './page-cache.js';
import { type Request, registerRecording } from './recording-routes.js';
import { countView, displayOptionsOf, findShare, type Share } from './store.js';

export { markdown } from './markdown.js';

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
/** Body limit of the password form; bytes. */
const FORM = 16_384;
const PROTECTED = {
  type: 'authentication_error',
  code: 'not_authenticated',
  detail: 'This page is protected by a password.',
  attr: null,
};

type Form = 'page' | 'embedded' | 'json' | 'png' | 'preview';

/** Seconds between two loads of a page on a screen: results are up to five minutes old anyway, but a page may be younger. */
const REFRESH = { min: 60, max: 86_400 };

/** The seconds that the parameter `refresh` asks for, within bounds; null: it is no number. */
const readRefresh = (text: unknown): number | null =>
  typeof text === 'string' && /^\d{1,9}$/.test(text) ? Math.min(REFRESH.max, Math.max(REFRESH.min, Number(text))) : null;

/** The query that starts the player of a recording at a time, seconds from its start. */
const readStart = (text: unknown): string => (typeof text === 'string' && /^\d{1,6}$/.test(text) ? `?t=${text}` : '');

async function* parts(text: string): AsyncGenerator<string> {
  yield text;
}

/** Public pages of shared dashboards, insights and recordings, for everybody who has the address. Sessions do not count here. */
export function registerPublic(app: FastifyInstance, deps: Deps): void {
  const limit = createLimit(deps.clock);
  const loader = createDashboardLoader(deps);
  const renderers = { charts: createCharts(deps), markdown: createMarkdown(deps.scheduler) };
  const pages = createPageCache(deps);
  const pngs = createDashboardPngs(deps);
  const scriptAddress = createScriptAddresses();

  app.get('/shared/:token', (request: Request, reply) => {
    const [, token = '', ending] = /^(.*?)(?:\.(json|png))?$/s.exec(request.params.token) ?? [];
    return show(request, reply, token, ending === 'json' || ending === 'png' ? ending : 'page');
  });
  app.get('/embedded/:token', (request: Request, reply) => show(request, reply, request.params.token, 'embedded'));
  // the picture of a link to the page
  app.get('/shared/:token/preview.png', (request: Request, reply) => show(request, reply, request.params.token, 'preview'));
  // the address of former versions
  app.get('/shared_dashboard/:token', (request: Request, reply) => show(request, reply, request.params.token, 'page'));
  app.post('/shared/:token', { bodyLimit: FORM }, unlock);
  registerRecording(app, deps, (request, reply, form) => enter(request, reply, request.params.token, form), missing);

  /** The page of a token. Undefined: there is none, or the visitor exceeds the limit; the response is sent. */
  async function open(request: FastifyRequest, reply: FastifyReply, token: string): Promise<PublishedShare | undefined> {
    const wait = limit.wait(request.ip, token);
    if (wait > 0) {
      tooManyRequests(request, reply, wait);
      return undefined;
    }
    const known = /^[\w-]{1,100}$/.test(token) ? token : '-';
    const found = await findShare(deps.db, known, new Date(deps.clock.now()));
    const share = found && (await withPublisher(deps, found));
    if (!share) missing(request, reply);
    return share;
  }

  /** As `open`; a page with a password needs its cookie. */
  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    form: Form,
  ): Promise<PublishedShare | undefined> {
    const share = await open(request, reply, token);
    if (!share || (await isUnlocked(deps, request, share))) return share;
    locked(request, reply, token, form);
    return undefined;
  }

  async function show(request: Request, reply: FastifyReply, token: string, form: Form): Promise<FastifyReply> {
    const share = await enter(request, reply, token, form);
    if (!share) return reply;
    const display = displayOptionsOf(share.settings);
    const { range: rangeText, refresh: refreshText } = request.query;
    const range = display.hasRanges && !share.recording ? readDateRange(rangeText) : null;
    const dashboard = await loader.dashboard(share, range);
    if (form === 'json') {
      const body = JSON.stringify(dashboardJson(await whole(dashboard), display));
      return sendPage(request, reply, { status: 200, type: JSON_TYPE, body: compressed(request, reply, parts(body)) });
    }
    if (form === 'png' || form === 'preview') {
      const body = Buffer.from(
        await pngs.draw(form === 'png' ? 'whole' : 'preview', await whole(dashboard), display, share.timezone),
      );
      return sendPage(request, reply, { status: 200, type: 'image/png', body, framing: "'self'" });
    }
    if (request.method === 'GET') addView(share);
    const isEmbedded = form === 'embedded';
    const nonce = deps.ids.token(16);
    const path = `/${isEmbedded ? 'embedded' : 'shared'}/${token}`;
    const refresh = readRefresh(refreshText);
    // a header, because a page that reloads itself by its markup takes the choice away from its readers
    if (refresh !== null) reply.header('refresh', String(refresh));
    const script = share.recording ? null : await scriptAddress('charts');
    const foot = { display, timezone: share.timezone, now: deps.clock.now() };
    const options: PageOptions = {
      display,
      isEmbedded,
      nonce,
      image: `${origin(request)}/shared/${token}/preview.png`,
      timezone: share.timezone,
      player: share.recording && `${path}/player${readStart(request.query['t'])}`,
      range,
      refresh,
      path,
      script,
    };
    const finished = pages.find(dashboard, options);
    const body = finished
      ? await finishedBody(request, reply, finished, nonce, await pageEnd(dashboard, foot))
      : compressed(request, reply, newPage(dashboard, options, foot));
    return sendPage(request, reply, {
      status: 200,
      type: HTML,
      body,
      framing: isEmbedded ? '*' : "'self'",
      nonce,
      hasFrame: share.recording !== null,
      hasScript: script !== null,
    });
  }

  async function* newPage(dashboard: OpenDashboard, options: PageOptions, foot: FootOptions): AsyncGenerator<string> {
    yield* pages.stored(dashboardPage(renderers, dashboard, options), dashboard, options);
    yield await pageEnd(dashboard, foot);
  }

  async function unlock(request: Request, reply: FastifyReply): Promise<FastifyReply> {
    const { token } = request.params;
    const share = await open(request, reply, token);
    if (!share) return reply;
    const path = `/shared/${token}`;
    if (share.passwordRequired) {
      const body = await readBody(request);
      const given = isObject(body) && typeof body['password'] === 'string' ? body['password'] : '';
      const outcome = await tryPassword(deps, request, reply, share, path, given);
      if ('wait' in outcome) return tooManyRequests(request, reply, outcome.wait);
      if (!outcome.isRight) return page(request, reply, 401, (nonce) => unlockPage(nonce, path, 'That is not the password.'));
    }
    return reply
      .code(303)
      .headers({ location: path, 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
      .send();
  }

  function locked(request: FastifyRequest, reply: FastifyReply, token: string, form: Form): FastifyReply {
    if (form === 'json' || form === 'png' || form === 'preview') {
      return sendPage(request, reply, { status: 401, type: JSON_TYPE, body: JSON.stringify(PROTECTED) });
    }
    const path = `/shared/${token}`;
    if (form === 'page') return page(request, reply, 200, (nonce) => unlockPage(nonce, path, null));
    // SameSite: browsers send no cookie from an iframe of another site, so the form would appear again and again
    const link = html`<p><a href="${path}" target="_blank" rel="noopener">Open it in a window of its own</a></p>`;
    const nonce = deps.ids.token(16);
    const body = messagePage(nonce, 'This page is protected', 'It cannot be shown within another page.', link);
    return sendPage(request, reply, { status: 401, type: HTML, body, framing: '*', nonce });
  }

  function missing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return page(request, reply, 404, (nonce) =>
      messagePage(nonce, 'Page not found', 'There is nothing at this address, or not any more.'),
    );
  }

  function tooManyRequests(request: FastifyRequest, reply: FastifyReply, seconds: number): FastifyReply {
    reply.header('retry-after', String(seconds));
    return page(request, reply, 429, (nonce) =>
      messagePage(nonce, 'Too many requests', `Please try again in ${seconds} seconds.`),
    );
  }

  function page(request: FastifyRequest, reply: FastifyReply, status: number, make: (nonce: string) => string): FastifyReply {
    const nonce = deps.ids.token(16);
    return sendPage(request, reply, { status, type: HTML, body: make(nonce), nonce });
  }

  function addView({ id }: Share): void {
    countView(deps.db, id, new Date(deps.clock.now())).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'a view of a public page could not be counted'),
    );
  }
}
