import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Service } from '@tidemark/testkit';
import { openPage, pageWith, startSite } from './browser-site.js';
import { startTap } from './tap.js';

/** Memory of a page after a garbage collection. */
export interface MemorySample {
  /** Simulated minutes since the visit began. */
  minute: number;
  /** Navigations so far. */
  navigations: number;
  heapBytes: number;
  /** DOM nodes, including detached ones. */
  nodes: number;
  listeners: number;
}

/** A single-page application that every 600 ms replaces its content, changes the path and clicks a button. */
const APP = `(() => {
  let n = 0;
  const go = () => {
    if (window.paused) return;
    n++;
    history.pushState({}, '', '/part/' + (n % 50));
    const main = document.querySelector('main');
    main.replaceChildren();
    for (let i = 0; i < 25; i++) {
      const row = document.createElement('section');
      const button = document.createElement('button');
      button.textContent = 'Buy ' + i;
      button.addEventListener('click', () => { row.className = 'bought' });
      const field = document.createElement('input');
      row.append(Object.assign(document.createElement('h2'), { textContent: 'Product ' + n + '.' + i }), field, button);
      main.append(row);
    }
    main.querySelector('button').click();
    const [field] = main.querySelectorAll('input');
    field.value = 'x' + n;
    field.dispatchEvent(new Event('change', { bubbles: true }));
    if (window.tidemark) {
      tidemark.getFeatureFlag('flag-' + (n % 5));
      tidemark.capture('seen', { n });
    }
    window.navigations = n;
  };
  setInterval(go, 600);
})()`;

/**
 * Simulates a visit of `minutes` on a page with all features on: recording, autocapture, page views, web vitals, exceptions and flags.
 * From minute `down[0]` to `down[1]` the service cannot be reached. Samples the memory every `every` minutes, and counts uploads of
 * recordings.
 * @param withClient false: the same page without the SDK
 */
export async function longVisit(
  browser: Browser,
  service: Service,
  {
    minutes,
    every,
    down,
    withClient = true,
  }: { minutes: number; every: number; down: readonly [number, number]; withClient?: boolean },
): Promise<{ samples: MemorySample[]; uploads: number }> {
  const tap = await startTap(service.url);
  const content = withClient
    ? pageWith(tap.url, service.account.projectKey, { options: { web_vitals: true, exceptions: true }, body: '<main></main>' })
    : '<!doctype html><title>Shop</title><main></main>';
  const site = await startSite(() => ({ html: content }));
  const { context, page, close } = await openPage(browser);
  try {
    await page.clock.install();
    await page.goto(site.url);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable');
    await devtools.send('HeapProfiler.enable');
    await page.evaluate(APP);
    const samples: MemorySample[] = [];
    let uploads = 0;
    const passed = () => {
      const count = tap.requests.length;
      uploads += tap.requests.filter(({ path }) => path.startsWith('/s/')).length;
      tap.requests.length = 0;
      return count;
    };
    /** Waits until nothing was sent for longer than the longest retry pause, because a queue is no leak. */
    const settle = async () => {
      for (let quiet = 0; quiet < 13; quiet = passed() ? 0 : quiet + 1) {
        await page.clock.runFor(5_000);
        await sleep(50);
      }
    };
    for (let second = 5; second <= minutes * 60; second += 5) {
      const minute = second / 60;
      tap.mode = minute > down[0] && minute <= down[1] ? 'down' : 'pass';
      await page.clock.runFor(5_000);
      // responses need real time
      await sleep(20);
      passed();
      if (minute % every) continue;
      await page.evaluate('window.paused = true');
      if (tap.mode === 'pass') await settle();
      await devtools.send('HeapProfiler.collectGarbage');
      await devtools.send('HeapProfiler.collectGarbage');
      const { metrics } = await devtools.send('Performance.getMetrics');
      const metric = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
      samples.push({
        minute,
        navigations: await page.evaluate<number>('window.navigations'),
        heapBytes: metric('JSHeapUsedSize'),
        nodes: metric('Nodes'),
        listeners: metric('JSEventListeners'),
      });
      await page.evaluate('window.paused = false');
    }
    return { samples, uploads };
  } finally {
    await close();
    site.close();
    tap.close();
  }
}
