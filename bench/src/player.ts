// npm run bench -- player: an hour of recording, 30 MB, in the player of its public page.
import { eventually, launchBrowser, startService } from '@tidemark/testkit';
import { type Figure, finish, report } from './report.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Recorders send every two seconds, and the whole page every five minutes. */
const EVERY_MS = 2 * SECOND_MS;
const PICTURE_EVERY_MS = 5 * MINUTE_MS;
const ROWS = 1_000;
/** The number of the text of the page's title. */
const TITLE = 6;
/** The idle part of the recording. */
const AWAY = { from: 40 * MINUTE_MS, to: 45 * MINUTE_MS };
const SPEED = '8';
const WATCHED_MS = 10_000;

const service = await startService();
const browser = await launchBrowser();
let met = false;
try {
  const { events, bytes, token } = await recordAndShare(Date.now() - 2 * HOUR_MS);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  let fetched = 0;
  page.on('response', async (answer) => {
    if (answer.url().includes('source=')) fetched += (await answer.body().catch(() => '')).length;
  });
  const figures: Figure[] = [];
  /** Measures CPU and wall-clock time until a text is shown. */
  const measure = async (name: string, run: () => Promise<unknown>, shown: string, below = 2_000) => {
    const [begun, worked] = [performance.now(), await metric('ThreadTime')];
    await run();
    await eventually(
      async () => {
        const text = await page.evaluate<string>(
          `document.querySelector('#player').shadowRoot?.querySelector('.screen:not([hidden]) iframe')?.contentDocument.title ?? ''`,
        );
        if (text !== shown) throw new Error(`shows "${text}"`);
      },
      { every: 20 },
    );
    figures.push(
      { name: `${name}, processor time of the page`, value: ((await metric('ThreadTime')) - worked) * 1_000, unit: 'ms', below },
      { name: `${name}, by the clock`, value: performance.now() - begun, unit: 'ms' },
    );
  };
  const metric = async (wanted: string) =>
    (await cdp.send('Performance.getMetrics')).metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  const goTo = (ms: number) => page.getByRole('slider').fill(String(ms));

  await measure('first picture', () => page.goto(`${service.url}/shared/${token}/player`), titleAt(0), 1_000);
  await measure('to the middle', () => goTo(HOUR_MS / 2 + 1_500), titleAt(HOUR_MS / 2));
  await measure('to the end', () => goTo(HOUR_MS - 500), titleAt(HOUR_MS - EVERY_MS));
  await measure('back to the middle', () => goTo(HOUR_MS / 2 + 1_500), titleAt(HOUR_MS / 2));
  await measure('to where it begins', () => goTo(0), titleAt(0));

  await page.getByLabel('Speed').selectOption(SPEED);
  await page.getByRole('button', { name: 'Play the recording' }).click();
  const [worked, at] = [await metric('ThreadTime'), await position()];
  await page.waitForTimeout(WATCHED_MS);
  const played = (await position()) - at;
  figures.push(
    {
      name: `${SPEED} times as fast, processor time of a second`,
      value: (((await metric('ThreadTime')) - worked) / (WATCHED_MS / SECOND_MS)) * 1_000,
      unit: 'ms',
      below: 1_000,
    },
    { name: `${SPEED} times as fast, played in ten seconds`, value: played / SECOND_MS, unit: 's', atLeast: 70 },
  );
  await cdp.send('HeapProfiler.collectGarbage');
  figures.push(
    { name: 'fetched in all', value: fetched / 1e6, unit: 'MB' },
    { name: 'heap at the end', value: (await metric('JSHeapUsedSize')) / 1e6, unit: 'MB', below: 100 },
  );
  met = report(`An hour of recording in the player, ${events} events, ${Math.round(bytes / 1e6)} MB`, figures);

  function position(): Promise<number> {
    return page.evaluate<number>(`Number(document.querySelector('[type=range]').value)`);
  }
} finally {
  await browser.close();
  await service.close();
}
finish(met);

/** The title of the recorded page at a time. */
function titleAt(ms: number): string {
  return `At ${ms / SECOND_MS}`;
}

/** Records an hour from `start` on, and returns the token of its public page. */
async function recordAndShare(start: number): Promise<{ events: number; bytes: number; token: string }> {
  await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
  let [events, bytes] = [0, 0];
  const parts: (() => object[])[] = [];
  for (let at = 0; at < HOUR_MS; at += EVERY_MS) {
    if (at <= AWAY.from || at >= AWAY.to) parts.push(() => partOf(start, at));
  }
  const worker = async () => {
    for (let next = parts.shift(); next; next = parts.shift()) {
      const snapshots = next();
      events += snapshots.length;
      bytes += JSON.stringify(snapshots).length;
      const properties = {
        $session_id: 'hour',
        $window_id: 'w',
        $snapshot_data: snapshots,
        distinct_id: 'ada',
        token: service.account.projectKey,
      };
      const { status } = await service.post('/s/', [{ event: '$snapshot', properties }]);
      if (status !== 200) throw new Error(`/s/ answers ${status}`);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  const path = '/api/projects/@current/session_recordings/hour/sharing/';
  const { body } = await service.call('PATCH', path, { body: { enabled: true } });
  const token = Object.entries(body ?? {}).find(([name]) => name === 'access_token')?.[1];
  return { events, bytes, token: String(token) };
}

/** What is recorded in two seconds: the page when its time has come, moves of the mouse, a click, and rows that change. */
function partOf(start: number, at: number): object[] {
  const timestamp = start + at;
  const change = (ms: number, data: object) => ({ type: 3, timestamp: timestamp + ms, data });
  const moves = Array.from({ length: 6 }, (_, i) =>
    change(i * 330, {
      source: 1,
      positions: Array.from({ length: 10 }, (_, k) => ({
        x: (at + k * 13) % 1_280,
        y: (i * 90 + k) % 800,
        id: 20 + k,
        timeOffset: k * 50 - 500,
      })),
    }),
  );
  const changes = Array.from({ length: 6 }, (_, i) =>
    change(100 + i * 300, {
      source: 0,
      texts: [
        { id: TITLE, value: titleAt(at) },
        ...Array.from({ length: 15 }, (_, k) => ({
          id: textOf((at / EVERY_MS + i * 40 + k) % ROWS),
          value: `Changed at ${at + i}, row ${k}`,
        })),
      ],
      attributes: Array.from({ length: 10 }, (_, k) => ({
        id: textOf(k) - 1,
        attributes: { class: `cell is-${(at + k) % 7}`, style: { width: `${(at + k) % 90}px` } },
      })),
      removes: [],
      adds: [],
    }),
  );
  const click = change(1_900, { source: 2, type: 2, id: textOf(1) - 1, x: 200, y: 100 });
  const whole = at % PICTURE_EVERY_MS === 0 || at === AWAY.to;
  return [...(whole ? pictureAt(timestamp, titleAt(at)) : []), ...moves, ...changes, click].sort(
    (a, b) => a.timestamp - b.timestamp,
  );
}

/** The number of the text in a row: each has four cells, and each of these a text. */
function textOf(row: number): number {
  return 20 + row * 9 + 2;
}

/** A page with a table. */
function pictureAt(timestamp: number, title: string): { type: number; timestamp: number; data: object }[] {
  const element = (id: number, tagName: string, attributes: object, ...childNodes: object[]) => ({
    type: 2,
    id,
    tagName,
    attributes,
    childNodes,
  });
  const text = (id: number, textContent: string) => ({ type: 3, id, textContent });
  const row = (index: number) => {
    const id = 20 + index * 9;
    const cells = Array.from({ length: 4 }, (_, k) =>
      element(
        id + 1 + 2 * k,
        'td',
        { class: `cell cell-${k}`, 'data-testid': `row-${index}-cell-${k}`, title: `Cell ${k} of row ${index}` },
        text(id + 2 + 2 * k, `Cell ${k}, row ${index}`),
      ),
    );
    return element(id, 'tr', { class: 'row', 'data-id': `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` }, ...cells);
  };
  const css =
    '.cell { color: #123; border: 1px solid #ccc } .is-3 { background: #fee } .row:nth-child(2n) { background: #f4f4f4 }';
  const head = element(4, 'head', {}, element(5, 'title', {}, text(TITLE, title)), element(7, 'style', { _cssText: css }));
  const body = element(
    8,
    'body',
    {},
    element(9, 'table', {}, element(10, 'tbody', {}, ...Array.from({ length: ROWS }, (_, i) => row(i)))),
  );
  const html = element(3, 'html', {}, head, body);
  const node = { type: 0, id: 1, childNodes: [{ type: 1, id: 2, name: 'html', publicId: '', systemId: '' }, html] };
  return [
    { type: 4, timestamp: timestamp - 2, data: { href: 'https://shop.example/orders', width: 1_280, height: 800 } },
    { type: 2, timestamp: timestamp - 1, data: { node, initialOffset: { top: 0, left: 0 } } },
  ];
}
