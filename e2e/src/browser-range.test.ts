import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, pageWith, type Site, startSite, storedEvents } from './browser-site.js';
import { startTap, type Tap } from './tap.js';
import { NEWER_APIS, newerThanRange, OPTIONAL_APIS, withoutApis } from './testing/newer-apis.js';

let service: Service;
let browser: Browser;
let site: Site;
let tap: Tap;
let html = '';
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  tap = await startTap(service.url);
  site = await startSite(() => ({ html }));
  const groups = [{ properties: [], rollout_percentage: 100 }];
  await service.post('/api/projects/@current/feature_flags/', { key: 'welcome', name: 'welcome', filters: { groups } });
  await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
});
afterAll(async () => {
  await browser?.close();
  tap?.close();
  site?.close();
  await service?.close();
});

test('the library works without newer APIs', async () => {
  html = pageWith(tap.url, service.account.projectKey, {
    options: { exceptions: true, web_vitals: true },
    body: '<main><button id="buy">Buy</button><a id="out" href="https://other.example/x">Out</a></main>',
  });
  const { context, page, errors, close } = await openPage(browser);
  const failures: string[] = [];
  page.on('console', (message) => {
    if (/Failed/.test(message.text())) failures.push(message.text());
  });
  await context.addInitScript(withoutApis([...NEWER_APIS, ...OPTIONAL_APIS]));
  await context.addInitScript(`addEventListener('click', (event) => event.preventDefault());`);
  await page.goto(`${site.url}/shop?utm_source=letter`);
  await page.waitForFunction(`tidemark.isFeatureEnabled('welcome') && tidemark.isSessionReplayActive()`);
  const anonymous = await page.evaluate<string>('tidemark.getDistinctId()');
  await page.click('#buy');
  await page.click('#out');
  await page.evaluate(`history.pushState({}, '', '/cart')`);
  await page.evaluate(`tidemark.identify('ada', { plan: 'pro' }); tidemark.capture('Signed Up'); tidemark.flush()`);
  await eventually(async () => expect(tap.requests.some(({ path }) => path.startsWith('/s/'))).toBe(true));
  await page.goto('about:blank');

  await eventually(async () => {
    const events = await storedEvents(service, [anonymous, 'ada']);
    const paths = (name: string) => events.filter(({ event }) => event === name).map(({ properties }) => properties['$pathname']);
    expect(paths('$pageview')).toEqual(['/shop', '/cart']);
    expect(paths('$pageleave')).toEqual(['/cart']);
    const clicks = events.filter(({ event }) => event === '$autocapture').map(({ properties }) => properties);
    expect(clicks).toHaveLength(2);
    expect(clicks[0]).toMatchObject({ $el_text: 'Buy' });
    expect(clicks[1]).toMatchObject({ $external_click_url: 'https://other.example/x' });
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['$identify', 'Signed Up']));
    const signedUp = events.find(({ event }) => event === 'Signed Up');
    expect(signedUp?.distinctId).toBe('ada');
    expect(signedUp?.properties).toMatchObject({ $session_entry_pathname: '/shop', utm_source: 'letter', $is_identified: true });
  });
  expect(tap.sent()).toContain(JSON.stringify('attr_id="buy"').slice(1, -1));
  expect([errors, failures]).toEqual([[], []]);
  await close();
});

test('a page that deletes Date.now is captured, and flush resolves', async () => {
  html = pageWith(tap.url, service.account.projectKey, { before: 'delete Date.now;' });
  const { page, errors, close } = await openPage(browser);
  await page.goto(site.url);
  const id = await page.evaluate(`tidemark.capture('without a clock') && tidemark.flush().then(() => tidemark.getDistinctId())`);
  await eventually(async () => {
    const names = (await storedEvents(service, [id])).map(({ event }) => event);
    expect(names).toEqual(expect.arrayContaining(['$pageview', 'without a clock']));
  });
  await page.goto('about:blank');
  expect(errors).toEqual([]);
  await close();
});

test('no browser script calls newer APIs or has syntax that the oldest supported browsers refuse', async () => {
  const script = await (await fetch(`${service.url}/static/tidemark.js`)).text();
  const names = [...new Set(script.match(/tidemark-[\w-]+\.js/g))];
  expect(names.length).toBeGreaterThan(1);
  const chunks = names.map(async (name) => [name, await (await fetch(`${service.url}/static/${name}`)).text()] as const);
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from '@tidemark/react'; export * from '@tidemark/browser'`,
      resolveDir: dirname(fileURLToPath(import.meta.url)),
    },
    bundle: true,
    // a local variable may have the name of an API
    minify: true,
    splitting: true,
    format: 'esm',
    external: ['react'],
    outdir: 'out',
    write: false,
  });
  const packages = outputFiles.map(({ path, text }) => [path, text] as const);
  for (const [name, text] of [['tidemark.js', script], ...(await Promise.all(chunks)), ...packages] as const)
    expect([name, newerThanRange(text)]).toEqual([name, []]);
});
