// npm run bench -- client: the cost of the browser SDK for a page, against two others in the same run. `--navigations` adds 1,000 abrupt ones;
import { launchBrowser, startService } from '@tidemark/testkit';
import { abruptNavigations } from '../../e2e/src/abrupt-navigations.js';
import { EVENTS, LIBRARIES, type Library, servePages } from './client-pages.js';
import { type Figure, finish, report } from './report.js';

interface Cost {
  /** Milliseconds. */
  init: number;
  /** Milliseconds of init() and of its deferred work in the next half second. */
  started: number;
  /** Microseconds, of an ordinary event right after another. */
  capture: number;
  /** Microseconds, of an ordinary event after a pause of 4 ms. */
  cold: number;
  /** Microseconds, of an event with nested objects right after another. */
  nested: number;
  /** Milliseconds. */
  click: number;
  /** Milliseconds of a request without any SDK, a measure of this machine's speed. */
  request: number;
}

const ROUNDS = 11;
/** Captures per measurement, because a browser's clock has steps of 5 µs. The first follows a pause, and is measured alone. */
const CAPTURES = 11;
const browser = await launchBrowser();
const { server, url } = await servePages();
const rounds: Cost[][] = LIBRARIES.map(() => []);
// alternates, so that other load on the machine affects all alike
for (let round = 0; round < ROUNDS; round++)
  for (const [i, library] of LIBRARIES.entries()) rounds[i]?.push(await costOf(library, i));
const costs = rounds.map((list) => ({
  init: median(list.map(({ init }) => init)),
  started: median(list.map(({ started }) => started)),
  capture: median(list.map(({ capture }) => capture)),
  cold: median(list.map(({ cold }) => cold)),
  nested: median(list.map(({ nested }) => nested)),
  click: median(list.map(({ click }) => click)),
}));
const request = median(rounds.flat().map((cost) => cost.request));

const figures = LIBRARIES.flatMap(({ name }, i): Figure[] => {
  const { init, started, capture, cold, nested, click } = costs[i] ?? {
    init: Number.NaN,
    started: Number.NaN,
    capture: Number.NaN,
    cold: Number.NaN,
    nested: Number.NaN,
    click: Number.NaN,
  };
  const ours = i === 0;
  const amplitude = costs[2]?.capture ?? 0;
  return [
    { name: `${name}: init()`, value: init, unit: 'ms', ...(ours ? { below: 10 } : {}) },
    { name: `${name}: init() and the half second after it`, value: started, unit: 'ms' },
    {
      name: `${name}: capture() of an ordinary event, median`,
      value: capture,
      unit: 'µs',
      ...(ours ? { below: Math.min(5, amplitude) } : {}),
    },
    { name: `${name}: the same after a pause of 4 ms`, value: cold, unit: 'µs' },
    { name: `${name}: capture() of an event with a cart of five items, median`, value: nested, unit: 'µs' },
    { name: `${name}: click on a page of 2,000 elements`, value: click, unit: 'ms', ...(ours ? { below: 0.3 } : {}) },
  ];
});
figures.push({ name: 'one fetch() of a page, without a library', value: request, unit: 'ms' });
if (process.argv.includes('--navigations')) {
  const service = await startService();
  const { captured, stored, duplicates } = await abruptNavigations(browser, service, 1_000);
  await service.close();
  figures.push(
    { name: 'events lost in 1,000 abrupt navigations', value: (100 * (captured - stored)) / captured, unit: '%', below: 0.5 },
    { name: 'events stored twice', value: duplicates, unit: '', below: 1 },
  );
}
await browser.close();
server.closeAllConnections();
server.close();
finish(report(`Browser library in ${browser.version()}`, figures));

/** Measures one SDK in a fresh browser context, without warm caches. */
async function costOf({ init, capture }: Library, place: number): Promise<Cost> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/${place}`, { waitUntil: 'load' });
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  /** CPU time of the page's thread so far, milliseconds; waiting for other processes does not count. */
  const spent = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
  };
  /** CPU time of an expression, minus the overhead of the measurement. */
  const costOfRunning = async (expression: string) => {
    const start = await spent();
    await page.evaluate('0');
    const between = await spent();
    await page.evaluate(`${expression}; 0`);
    const alone = (await spent()) - between - (between - start);
    await page.waitForTimeout(500);
    return { alone, withWhatFollows: (await spent()) - between - (between - start) };
  };
  await page.evaluate('0');
  const initTook = await costOfRunning(init);
  // Short batches, most of which nothing else comes between; what a library does later is done between them. The first event of a batch finds
  // the caches of the processor cold: on slow virtual machines even `JSON.stringify` of its properties then takes 16 µs.
  const captureTook = (properties: string) =>
    page.evaluate<{ cold: number; next: number }>(`(async () => {
    const given = Array.from({ length: ${CAPTURES} }, () => (${properties}));
    const cold = [];
    const next = [];
    for (let batch = 0; batch < 150; batch++) {
      const start = performance.now();
      const i = 0;
      ${capture('given[i]')};
      const afterFirst = performance.now();
      for (let i = 1; i < ${CAPTURES}; i++) ${capture('given[i]')};
      next.push(performance.now() - afterFirst);
      cold.push(afterFirst - start);
      await new Promise((later) => setTimeout(later, 4));
    }
    const middle = (times) => times.slice(50).sort((a, b) => a - b)[50] * 1_000;
    return { cold: middle(cold), next: middle(next) / ${CAPTURES - 1} };
  })()`);
  const ordinary = await captureTook(EVENTS.ordinary);
  const nested = await captureTook(EVENTS.nested);
  const clickTook = await page.evaluate<number>(`(async () => {
    const times = [];
    for (let i = 0; i < 60; i++) {
      const button = document.getElementById('b' + i * 8);
      const event = new MouseEvent('click', { bubbles: true, composed: true, clientX: i * 50, clientY: 10 });
      const start = performance.now();
      button.dispatchEvent(event);
      times.push(performance.now() - start);
      await new Promise((later) => setTimeout(later, 4));
    }
    return times.slice(10).sort((a, b) => a - b)[25];
  })()`);
  // a page without any
  await page.goto(`${url}/plain`);
  await page.evaluate('0');
  const { alone: request } = await costOfRunning(`fetch('/answer', { method: 'POST', body: '{}' })`);
  await context.close();
  return {
    init: initTook.alone,
    started: initTook.withWhatFollows,
    capture: ordinary.next,
    cold: ordinary.cold,
    nested: nested.next,
    click: clickTook,
    request,
  };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
