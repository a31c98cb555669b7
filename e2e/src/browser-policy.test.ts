import {
  type Browser,
  eventually,
  findFirefox,
  launchBrowser,
  launchFirefox,
  type Service,
  startService,
} from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPage, pageWith, type Site, startSite, storedEvents } from './browser-site.js';
import { startTap, type Tap } from './tap.js';

let service: Service;
let browser: Browser;
let site: Site;
let tap: Tap;
let policy: Record<string, string> = {};
/** Counts violations of the page's policy, and records the SDK's warnings. */
const WATCH = `window.violations = 0; window.warnings = []; window.faults = [];
document.addEventListener('securitypolicyviolation', () => { violations++; });
addEventListener('error', ({ message }) => faults.push(message));
addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason)));
const { warn } = console;
console.warn = (...parts) => { warnings.push(parts.join(' ')); warn(...parts); };`;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  tap = await startTap(service.url);
  const html = pageWith(tap.url, service.account.projectKey, {
    before: WATCH,
    options: { maxQueueSize: 50, rate_limiting: { events_per_second: 1e6 } },
  });
  site = await startSite(() => ({ html, headers: policy }));
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  tap?.close();
  await service?.close();
});
beforeEach(() => {
  tap.requests.length = 0;
});

/** The methods of a page that the check below uses. */
interface Page {
  evaluate<Result>(expression: string): Promise<Result>;
  goto(url: string): Promise<unknown>;
}

/** Warnings about the policy. */
const WARNED = `warnings.filter((line) => line.includes('Content-Security-Policy'))`;
const STORED = `Object.entries(localStorage).filter(([key]) => key.includes('.queue.')).flatMap(([, text]) => JSON.parse(text).events)
  .map(([, { event }]) => event)`;

/** Checks that a page whose policy forbids the service stops requests, warns once, and stores events for a page that may send them. */
async function forbidden(page: Page): Promise<void> {
  policy = { 'content-security-policy': `default-src 'self' 'unsafe-inline' ${tap.url}; connect-src 'self'` };
  await page.goto(site.url);
  await eventually(async () => {
    await page.evaluate('tidemark.capture("tried"), tidemark.flush().then(() => true)');
    expect(await page.evaluate(`${WARNED}.length`)).toBe(1);
  });
  expect(await page.evaluate<string[]>(WARNED)).toEqual([expect.stringMatching(/connect-src.*api_host/)]);
  expect(await page.evaluate<string[]>(WARNED)).toEqual([expect.stringContaining(`${tap.url}/`)]);

  const violations = await page.evaluate<number>('violations');
  const id = await page.evaluate<string>('tidemark.getDistinctId()');
  await page.evaluate(`(async () => {
    for (let i = 0; i < 60; i++) {
      tidemark.capture('waits ' + i);
      await tidemark.flush();
    }
    return true;
  })()`);
  // each address is tried once
  expect(await page.evaluate('violations')).toBeLessThan(violations + 5);
  expect(await page.evaluate(`${WARNED}.length`)).toBe(1);
  expect(await page.evaluate('faults')).toEqual([]);
  expect(tap.requests).toEqual([]);
  const newest = Array.from({ length: 50 }, (_, i) => `waits ${i + 10}`);
  await eventually(async () => expect(await page.evaluate(STORED)).toEqual(newest));

  policy = {};
  // `$pageleave` is one of the fifty then, and so is the next `$pageview` where it comes before they are sent
  await page.goto(`${site.url}/next`);
  await eventually(
    async () => {
      await page.evaluate('tidemark.flush().then(() => true)');
      const events = await storedEvents(service, [id]);
      expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(newest.slice(2)));
    },
    { every: 250 },
  );
}

test('a page whose policy blocks the service stops its requests, warns once, and keeps events for the next page', async () => {
  const { page, errors, close } = await openPage(browser);
  await forbidden(page);
  expect(errors).toEqual([]);
  await close();
});

test.runIf(findFirefox())('Firefox does the same under such a policy', async () => {
  const firefox = await launchFirefox();
  await forbidden(firefox);
  await firefox.close();
});

test('a policy that only reports, or blocks other addresses, has no effect', async () => {
  policy = {
    'content-security-policy-report-only': `connect-src 'self'`,
    'content-security-policy': `connect-src 'self' ${tap.url}`,
  };
  const { page, errors, close } = await openPage(browser);
  await page.goto(site.url);
  await page.evaluate(`fetch('http://127.0.0.1:9/other').catch(() => {})`);
  await page.evaluate(
    `import(performance.getEntriesByType('resource').find(({ name }) => name.includes('deferred'))?.name ?? '${tap.url}/static/tidemark.js').catch(() => {})`,
  );
  const id = await page.evaluate('tidemark.getDistinctId()');
  for (const name of ['one', 'two', 'three']) await page.evaluate(`tidemark.capture('${name}'), tidemark.flush()`);
  await eventually(async () => {
    const events = await storedEvents(service, [id]);
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['one', 'two', 'three']));
  });
  expect(await page.evaluate('violations > 0')).toBe(true);
  expect(await page.evaluate(WARNED)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});
