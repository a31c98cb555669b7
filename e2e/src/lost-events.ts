import { type Browser, eventually, type Service } from '@tidemark/testkit';
import { pageWith, startSite } from './browser-site.js';
import { startTap, type Tap } from './tap.js';

/** Why a page cannot reach the service. `slow`: the response comes after the page was left. */
export const TROUBLES = ['offline', 'refused', '503', 'slow'] as const;
/** How a page is left. `hide`: the visitor goes to another app, and the page is shown again or killed. */
export const LEAVINGS = ['hide', 'navigate', 'close', 'bfcache'] as const;
export type Trouble = (typeof TROUBLES)[number];
export type Leaving = (typeof LEAVINGS)[number];

/** Fate of the events of a visit. */
export interface Visit {
  captured: number;
  lost: number;
  doubled: number;
}

type Context = Awaited<ReturnType<Browser['newContext']>>;
type Page = Awaited<ReturnType<Context['newPage']>>;

const SLOW_MS = 2_000;

/**
 * A visitor captures events while the service cannot be reached, leaves the page, and comes back when the service does.
 * @param browser for `bfcache` from `launchBrowser({ backForwardCache: true })`
 * @param round even rounds leave before the page has noticed the failure; in two of four rounds of `hide` the page is killed
 */
export async function visit(
  browser: Browser,
  service: Service,
  { trouble, leaving, events, round }: { trouble: Trouble; leaving: Leaving; events: number; round: number },
): Promise<Visit> {
  const tap = await startTap(service.url);
  const options = {
    api_host: tap.url,
    capture_pageview: false,
    disable_flags: true,
    flushInterval: 500,
    rate_limiting: { events_per_second: 1e6 },
  };
  const before = `addEventListener('pageshow', (event) => { window.wasRestored = event.persisted; });`;
  const html = pageWith(service.url, service.account.projectKey, { options, before });
  const site = await startSite(() => ({ html }));
  const context = await browser.newContext();
  try {
    let page = await context.newPage();
    await page.goto(site.url);
    await page.waitForFunction('window.tidemark?.isInitialized');
    await make(trouble, true, tap, context);
    const uuids = await capture(page, Math.ceil(events / 3));
    // the page notices the failure
    if (round % 2) await page.evaluate(trouble === 'slow' ? 'void tidemark.flush()' : 'tidemark.flush()');
    uuids.push(...(await capture(page, Math.ceil(events / 3))));
    const last = events - uuids.length;
    page = await leave(page, context, { leaving, round, url: site.url, last: (left) => capture(left, last, uuids) });
    await make(trouble, false, tap, context);
    if (!page.url().startsWith(site.url)) await page.goto(site.url);
    const stored = async () => (await service.storedUuids()).filter((uuid) => uuids.includes(uuid));
    await eventually(
      async () => {
        if ((await stored()).length < uuids.length) throw new Error('not all are stored yet');
      },
      { within: 60_000, every: 250 },
    ).catch(() => undefined);
    // a delayed request may still store an event a second time
    await eventually(async () => {
      if (tap.pending()) throw new Error('requests are pending');
    });
    const all = await stored();
    const distinct = new Set(all).size;
    return { captured: uuids.length, lost: uuids.length - distinct, doubled: all.length - distinct };
  } finally {
    await context.close();
    site.close();
    tap.close();
  }
}

async function make(trouble: Trouble, on: boolean, tap: Tap, context: Context): Promise<void> {
  if (trouble === 'offline') await context.setOffline(on);
  else if (trouble === 'refused') await tap.refuse(on);
  else if (!on) tap.mode = 'pass';
  else tap.mode = trouble === '503' ? { status: 503 } : { slowMs: SLOW_MS };
}

/** Captures events in the page; adds their uuids to `uuids` and returns it. */
async function capture(page: Page, count: number, uuids: string[] = []): Promise<string[]> {
  uuids.push(
    ...(await page.evaluate<string[]>(
      `Array.from({ length: ${count} }, (_, index) => tidemark.capture('left behind', { index, text: 'x'.repeat(300) }).uuid)`,
    )),
  );
  return uuids;
}

/** Leaves the page, calling `last` as late as possible, and returns the next page. */
async function leave(
  page: Page,
  context: Context,
  { leaving, round, url, last }: { leaving: Leaving; round: number; url: string; last: (page: Page) => Promise<unknown> },
): Promise<Page> {
  if (leaving === 'hide') {
    await last(page);
    await show(page, false);
    if (round % 4 < 2) {
      await show(page, true);
      return page;
    }
    await kill(page, context);
    return context.newPage();
  }
  if (leaving === 'close') {
    await last(page);
    await page.close({ runBeforeUnload: false });
    return context.newPage();
  }
  if (leaving === 'navigate') await last(page);
  // offline, this is the browser's own error page
  const gone = page.waitForEvent('framenavigated');
  await page.evaluate(`void setTimeout(() => { location.href = '/next'; })`);
  await gone;
  if (leaving === 'navigate') return page;
  await page.waitForLoadState();
  await page.evaluate('void setTimeout(() => history.back())');
  // a restored page fires no `load`, and on a busy machine Playwright takes the way to it for one that was broken off
  await page.waitForURL(`${url}/`, { waitUntil: 'commit' }).catch(() => undefined);
  await page.waitForFunction('window.wasRestored === true');
  await last(page);
  return page;
}

/** Simulates a change of visibility, because headless browsers never hide a page. */
async function show(page: Page, visible: boolean): Promise<void> {
  const state = visible ? 'visible' : 'hidden';
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`);
}

/** Kills the page's process, as phones do with background apps. */
async function kill(page: Page, context: Context): Promise<void> {
  const devtools = await context.newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  devtools.send('Page.crash').catch(() => undefined);
  await crashed;
  await page.close();
}
