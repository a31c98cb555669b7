import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { openPage, type WatchedPage } from '../browser-site.js';
import { type ReplaySite, startReplaySite, strictPage } from '../replay-site.js';
import { startTap, type Tap } from '../tap.js';

/** A tab. */
export type Page = WatchedPage['page'];

export let service: Service;
export let browser: Browser;
export let site: ReplaySite;
export let tap: Tap;
/** The service, browser, site and proxy of a test file; the project records without conditions. */
export function withReplay(): void {
  beforeAll(async () => {
    [service, browser, site] = await Promise.all([startService(), launchBrowser(), startReplaySite()]);
    tap = await startTap(service.url);
  });
  afterAll(async () => {
    await browser?.close();
    tap?.close();
    await site?.close();
    await service?.close();
  });
  beforeEach(async () => {
    tap.requests.length = 0;
    site.scripts.length = 0;
    await settings({});
  });
}

const UNSET = {
  session_recording_opt_in: true,
  session_recording_sample_rate: null,
  session_recording_minimum_duration_milliseconds: null,
  session_recording_linked_flag: null,
  session_recording_url_trigger_config: null,
  session_recording_url_blocklist_config: null,
  session_recording_event_trigger_config: null,
  session_recording_trigger_match_type_config: null,
};
let marker = 0;
/** Changes the project's settings, and waits until the remote config contains them. */
export const settings = async (changes: object) => {
  const masking = { marker: ++marker };
  const body = { ...UNSET, session_recording_masking_config: masking, ...changes };
  const answer = await service.call('PATCH', '/api/projects/@current/', { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  await eventually(async () => {
    const config = await (await fetch(`${service.url}/array/${service.account.projectKey}/config`)).json();
    const recording = config.sessionRecording;
    if (body.session_recording_opt_in ? recording.masking.marker !== marker : recording !== false) throw new Error('not yet');
  });
};
export interface Recorded {
  type: number;
  timestamp: number;
  data: Record<string, unknown>;
}

interface Visit {
  options?: object;
  replayOptions?: object;
  path?: string;
  /** Script that runs before the page's own. */
  before?: string;
}

/** Opens the site's page with the client in it. */
export async function open(body: string, { options = {}, replayOptions = {}, path = '/', before }: Visit = {}) {
  Object.assign(site.page, strictPage({ host: tap.url, key: service.account.projectKey, options, replayOptions }, body));
  site.scripts.length = 0;
  const opened = await openPage(browser);
  if (before) await opened.page.addInitScript(before);
  await opened.page.goto(site.url + path);
  await becomes(opened.page, '!!window.client');
  return opened;
}

export const active = (page: Page) => page.evaluate<boolean>('client.isSessionReplayActive()');
export const becomesActive = (page: Page, yes = true) => eventually(async () => expect(await active(page)).toBe(yes));
/** Waits until the page has the remote config. */
export const configArrived = (page: Page) =>
  becomes(page, `performance.getEntriesByType('resource').some(({ name }) => name.includes('/config'))`);
/** Waits until an expression is true. Playwright's own wait uses `eval`, which strict pages forbid. */
const becomes = (page: Page, expression: string) => eventually(async () => expect(await page.evaluate(expression)).toBe(true));
/** Waits until the recorder was requested, and then a while, since no event says that it has loaded and does not record. */
export async function settle(page: Page): Promise<void> {
  await eventually(async () => expect(site.scripts.some((path) => path.includes('controller'))).toBe(true));
  await page.waitForTimeout(500);
}
/** Waits longer than the idle callback that loads the recorder may be delayed: no event says that the browser did not load it. */
export const loadDelayPasses = (page: Page) => page.waitForTimeout(1_500);
/** Waits longer than the recorder's interval, a timer of the browser: no event says that it has nothing to send. */
export const uploadIntervalPasses = (page: Page) => page.waitForTimeout(2_500);
export const sessionOf = (page: Page) => page.evaluate<string>('client.getSessionId()');
export const uploads = () => tap.requests.filter(({ path }) => path.startsWith('/s/'));

/** The recording of a session, once it has so many events and contains a text. */
export async function snapshotsOf(sessionId: string, atLeast = 1, holding = ''): Promise<Recorded[]> {
  return eventually(
    async () => {
      const path = `/api/projects/@current/session_recordings/${sessionId}/snapshots/`;
      const { status, body } = await service.get(path);
      if (status !== 200) throw new Error(`${status}`);
      const { sources } = body as { sources: unknown[] };
      const answer = await fetch(`${service.url}${path}?source=blob_v2&start_blob_key=0&end_blob_key=${sources.length - 1}`, {
        headers: { authorization: `Bearer ${service.account.personalKey}` },
      });
      const text = await answer.text();
      if (!text.includes(holding)) throw new Error(`no ${holding} yet`);
      const events = text
        .trim()
        .split('\n')
        .map((line): Recorded => JSON.parse(line)[1]);
      if (events.length < atLeast) throw new Error(`only ${events.length}`);
      return events.sort((a, b) => a.timestamp - b.timestamp);
    },
    { every: 100 },
  );
}

export const PAGE = `<h1 id="title">Welcome</h1><ul id="list"><li class="card">One</li></ul>
<form><input id="name"><input id="password" type="password"><input id="card" autocomplete="cc-number"><input type="hidden" id="token" value="hidden-4711"></form>
<p class="tm-mask"><b>secret words</b><i>more of them</i></p><div class="tm-block"><em>blocked words</em></div>`;

/** Evaluates a function on the document that rrweb's player shows after these snapshots. @param shape source text of the function */
export async function replay(events: unknown[], shape: string): Promise<string[]> {
  const player = await openPage(browser);
  site.page.headers = {};
  site.page.html = '<!doctype html><div id="player"></div><script type="module" src="/player.js"></script>';
  await player.page.goto(site.url);
  await player.page.waitForFunction('window.Replayer');
  const shown = await player.page.evaluate<string[]>(
    `(async (events) => {
      const replayer = new Replayer(events, { root: document.querySelector('#player'), mouseTail: false });
      replayer.pause(events.at(-1).timestamp - events[0].timestamp + 100);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return (${shape})(replayer.iframe.contentDocument);
    })(${JSON.stringify(events)})`,
  );
  await player.close();
  return shown;
}
