import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { abruptNavigations } from './abrupt-navigations.js';
import { openPage, pageWith, type Site, startSite } from './browser-site.js';
import { startTap, type Tap } from './tap.js';

let service: Service;
let browser: Browser;
let site: Site;
let tap: Tap;
let html = '';
let headers: Record<string, string> = {};
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  site = await startSite(() => ({ html, headers }));
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});
beforeEach(async () => {
  headers = {};
  tap = await startTap(service.url);
});
afterEach(() => tap.close());

// four of each kind; `npm run bench -- client` makes 1,000
test('abrupt navigations lose no event and send none twice', async () => {
  const result = await abruptNavigations(browser, service, 16);
  expect(result).toEqual({ captured: 32, stored: 32, duplicates: 0 });
});

describe.each(['down', 'error', 'hang'] as const)('while the service has the fault "%s"', (mode) => {
  test('the page works, memory is bounded, and events arrive after the fault', async () => {
    html = pageWith(tap.url, service.account.projectKey, {
      options: { maxQueueSize: 200, rate_limiting: { events_per_second: 1e6 } },
    });
    tap.mode = mode;
    const { page, errors, close } = await openPage(browser);
    await page.goto(site.url);
    const took = await page.evaluate<number>(`(() => {
      const start = performance.now();
      for (let i = 0; i < 1000; i++) tidemark.capture('while away', { i, text: 'x'.repeat(500) });
      return performance.now() - start;
    })()`);
    // captures that waited for the service would take forever
    expect(took).toBeLessThan(15_000);
    const storedCharacters = () =>
      page.evaluate<number>(`Object.keys(localStorage).reduce((sum, key) => sum + localStorage[key].length, 0)`);
    // 190 events or more, but fewer than a thousand
    await eventually(async () => expect(await storedCharacters()).toBeGreaterThan(190 * 500));
    expect(await storedCharacters()).toBeLessThan(1_500_000);
    // the next page of the site sends the queue once the service is back
    await page.goto(`${site.url}/next`);
    tap.mode = 'pass';
    const id = await page.evaluate('tidemark.getDistinctId()');
    const count = async () => (await service.events({ event: 'while away' })).filter((event) => event['distinct_id'] === id);
    await eventually(
      async () => {
        await page.evaluate('tidemark.flush()');
        expect((await count()).length).toBeGreaterThanOrEqual(190);
      },
      { every: 250 },
    );
    const uuids = (await count()).map((event) => event['uuid']);
    expect(new Set(uuids).size).toBe(uuids.length);
    expect(uuids.length).toBeLessThanOrEqual(1_000);
    expect(errors).toEqual([]);
    await close();
  });
});

test('visitors keep their ids when the site has filled their storage', async () => {
  html = pageWith(service.url, service.account.projectKey);
  const { page, errors, close } = await openPage(browser);
  await page.goto(site.url);
  await page.evaluate(`(tidemark.identify('owner'), tidemark.register({ plan: 'pro' }), tidemark.flush())`);
  await page.evaluate(`(() => {
    for (let size = 5_000_000; size >= 1; size /= 2)
      try { for (;;) localStorage.setItem('site' + Math.random(), 'x'.repeat(size)); } catch {}
  })()`);
  await page.reload();
  const plan = await page.evaluate(`tidemark.capture('after')?.properties.plan`);
  expect([await page.evaluate('tidemark.getDistinctId()'), plan]).toEqual(['owner', 'pro']);
  expect(errors).toEqual([]);
  await close();
});

// Chromium loses about one Blob in a hundred when the tab closes, although it accepted the beacon
test('without fetch keepalive, events leave in a compressed beacon', async () => {
  html = pageWith(service.url, service.account.projectKey, {
    before: `delete Request.prototype.keepalive; const send = navigator.sendBeacon.bind(navigator);
      navigator.sendBeacon = (url, body) => (localStorage.setItem('sent', typeof body), send(url, body));`,
  });
  const { page, close } = await openPage(browser);
  await page.goto(site.url);
  await page.evaluate(`(tidemark.capture('last words'), location.reload())`);
  await eventually(async () => expect(await page.evaluate(`localStorage.getItem('sent')`)).toBe('string'));
  await close();
});

test.each(['undefined', '() => false', "() => { throw new Error('blocked') }"])(
  'if a page cannot send while it is left (sendBeacon is %s), events are stored for the next page',
  async (sendBeacon) => {
    const before = `delete Request.prototype.keepalive; Navigator.prototype.sendBeacon = ${sendBeacon};`;
    html = pageWith(service.url, service.account.projectKey, { before });
    const { page, errors, close } = await openPage(browser);
    await page.goto(site.url);
    const id = await page.evaluate(`(tidemark.capture('last words'), location.reload(), tidemark.getDistinctId())`);
    await eventually(async () => {
      const found = (await service.events({ event: 'last words' })).filter((event) => event['distinct_id'] === id);
      expect(found).toHaveLength(1);
    });
    expect(errors).toEqual([]);
    await close();
  },
);

test('two large concurrent requests both arrive at the first attempt, though only one fits the keepalive limit', async () => {
  html = pageWith(tap.url, service.account.projectKey, {
    options: { capture_pageview: false, disable_flags: true, properties_string_max_length: 0 },
    before: `window.blocked = 0; window.moreOptions = { on_blocked: () => window.blocked++ };`,
  });
  const { page, errors, close } = await openPage(browser);
  const failed: string[] = [];
  page.on('requestfailed', (request) => failed.push(request.url()));
  await page.goto(site.url);
  tap.mode = { slowMs: 2_000 };
  const options = `{ api_host: '${tap.url}', opt_out_useragent_filter: true, capture_pageview: false, disable_flags: true, properties_string_max_length: 0 }`;
  const id = await page.evaluate(`(async () => {
    const second = tidemark.init('${service.account.projectKey}', ${options}, 'second');
    // about 50 KB of incompressible data
    const text = btoa(Array.from({ length: 50_000 }, () => String.fromCharCode(Math.random() * 256)).join(''));
    for (const client of [tidemark, second]) client.capture('large', { text });
    await Promise.all([tidemark.flush(), second.flush()]);
    return tidemark.getDistinctId();
  })()`);
  expect(id).not.toBe('');
  expect(tap.requests.filter(({ path }) => path.startsWith('/batch/'))).toHaveLength(2);
  expect([failed, errors, await page.evaluate('window.blocked')]).toEqual([[], [], 0]);
  await close();
});

test('a slow service does not delay the page, and a late response with flags is used', async () => {
  html = pageWith(tap.url, service.account.projectKey, { options: { feature_flag_request_timeout_ms: 200 } });
  tap.mode = { slowMs: 6_000 };
  const { page, errors, close } = await openPage(browser);
  await page.goto(site.url);
  const [took, ready] = await page.evaluate<[number, number]>(`(async () => {
    const start = performance.now(); tidemark.capture('quick'); const took = performance.now() - start;
    await tidemark.whenFlagsReady(); return [took, performance.now() - start];
  })()`);
  // neither waited for a response
  expect(took).toBeLessThan(3_000);
  expect(ready).toBeLessThan(6_000);
  await page.evaluate('tidemark.flush()');
  const id = await page.evaluate('tidemark.getDistinctId()');
  await eventually(async () => {
    const found = (await service.events({ event: 'quick' })).filter((event) => event['distinct_id'] === id);
    expect(found).toHaveLength(1);
  });
  expect(errors).toEqual([]);
  await close();
});

test('a blocked service calls on_blocked once, and the page works', async () => {
  html = pageWith(tap.url, service.account.projectKey, {
    before: `window.blocked = 0; window.moreOptions = { on_blocked: () => window.blocked++ };`,
  });
  const { page, context, errors, close } = await openPage(browser);
  await context.route(`${tap.url}/**`, (route) =>
    route.request().url().includes('/static/') ? route.continue() : route.abort('blockedbyclient'),
  );
  await page.goto(site.url);
  await page.evaluate(`(async () => { for (let i = 0; i < 4; i++) { tidemark.capture('x'); await tidemark.flush(); } })()`);
  await eventually(async () => expect(await page.evaluate('window.blocked')).toBe(1));
  expect(await page.evaluate(`tidemark.isFeatureEnabled('welcome', { defaultValue: false })`)).toBe(false);
  expect(errors).toEqual([]);
  await close();
});

test('the library works under a strict Content-Security-Policy', async () => {
  // the policy forbids inline scripts, so the page's script is a file; the service's scripts come through the site's own origin
  const scripts = new Map<string, string>();
  const copy = async (name: string): Promise<void> => {
    if (scripts.has(`/${name}`)) return;
    const script = await (await fetch(`${service.url}/static/${name}`)).text();
    scripts.set(`/${name}`, script);
    for (const [later] of script.matchAll(/tidemark-[\w-]+\.js/g)) await copy(later);
  };
  await copy('tidemark.js');
  const strict = await startSite((path) => {
    const html = scripts.get(path);
    if (html) return { html, headers: { 'content-type': 'text/javascript' } };
    if (path === '/start.js') {
      const options = JSON.stringify({ api_host: tap.url, opt_out_useragent_filter: true, web_vitals: true, exceptions: true });
      const html = `tidemark.init('${service.account.projectKey}', ${options});`;
      return { html, headers: { 'content-type': 'text/javascript' } };
    }
    return {
      html: '<!doctype html><button id="buy">Buy</button><script src="/tidemark.js"></script><script src="/start.js"></script>',
      headers: { 'content-security-policy': "script-src 'self'; style-src 'self'; require-trusted-types-for 'script'" },
    };
  });
  const { page, errors, close } = await openPage(browser);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || /policy|trusted/i.test(message.text())) complaints.push(message.text());
  });
  const deferred = page.waitForResponse(/tidemark-deferred/);
  await page.goto(strict.url);
  expect((await deferred).headers()['content-type']).toBe('text/javascript');
  await page.click('#buy');
  await page.evaluate(
    `tidemark.identify('strict-1'); history.pushState({}, '', '/next'); tidemark.captureException(new Error('x'));`,
  );
  await page.evaluate('tidemark.flush()');
  await eventually(async () => {
    const names = (await service.events()).filter((event) => event['distinct_id'] === 'strict-1').map((event) => event['event']);
    expect(names.sort()).toEqual(['$exception', '$identify', '$pageview']);
  });
  expect(errors).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
  strict.close();
});
