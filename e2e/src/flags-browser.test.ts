import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let service: Service;
let browser: Browser;
let site: Server;
beforeAll(async () => {
  [service, browser, site] = await Promise.all([startService(), launchBrowser(), serveSite()]);
  const everybody = [{ properties: [], rollout_percentage: 100 }];
  const variants = [
    { key: 'control', name: '', rollout_percentage: 0 },
    { key: 'test', name: '', rollout_percentage: 100 },
  ];
  // creates the group type that one flag needs
  await service.post('/capture/', {
    api_key: service.account.projectKey,
    event: '$groupidentify',
    distinct_id: 'x',
    properties: { $group_type: 'company', $group_key: 'acme', $group_set: { plan: 'enterprise' } },
  });
  await makeFlag('welcome', { groups: everybody, payloads: { true: '{"text":"Hello"}' } });
  await makeFlag('layout', { groups: everybody, multivariate: { variants }, payloads: { test: '{"columns":3}' } });
  await makeFlag('nobody', { groups: [{ properties: [], rollout_percentage: 0 }] });
  await makeFlag('staff', { groups: [{ properties: [{ key: 'staff', operator: 'exact', value: ['true'], type: 'person' }] }] });
  await makeFlag('company', {
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'plan', operator: 'exact', value: ['enterprise'], type: 'group', group_type_index: 0 }] }],
  });
  await makeFlag('steady', { groups: [{ properties: [], rollout_percentage: 50 }] }, { ensure_experience_continuity: true });
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});

async function makeFlag(key: string, filters: object, more: object = {}): Promise<void> {
  const answer = await service.post('/api/projects/@current/feature_flags/', { key, name: key, filters, ...more });
  expect([answer.status, answer.body]).toMatchObject([201, { key }]);
}

describe.each([
  ['1.434.18', 'new', '/flags/'],
  ['1.200.0', 'old', '/decide/'],
])('posthog-js %s in Chromium', (_version, sdk, path) => {
  const open = async (options: object, answer?: (url: string) => 'hang' | null) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const requests: { path: string; status: number }[] = [];
    const problems: string[] = [];
    const failed: string[] = [];
    page.on('requestfailed', (request) => failed.push(request.url()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('response', (response) => {
      const { origin, pathname } = new URL(response.url());
      if (origin === service.url) requests.push({ path: pathname, status: response.status() });
    });
    if (answer)
      await page.route(`${service.url}/**`, (route) => (answer(route.request().url()) === 'hang' ? undefined : route.continue()));
    const query = new URLSearchParams({
      sdk,
      host: service.url,
      key: service.account.projectKey,
      options: JSON.stringify(options),
    });
    await page.goto(`${siteUrl()}/?${query}`);
    await page.waitForFunction('window.atStart');
    const fetched = () => page.waitForFunction('window.calls > 0');
    return { page, requests, problems, failed, fetched, close: () => context.close() };
  };
  const flag = (key: string) => `posthog.getFeatureFlag('${key}')`;

  test('values of the service replace bootstrapped values', async () => {
    const bootstrap = { featureFlags: { welcome: false, nobody: true, layout: 'control', gone: true } };
    const { page, requests, problems, close } = await open({ bootstrap });
    expect(await page.evaluate('window.atStart')).toMatchObject({ nobody: true, layout: 'control' });
    // with bootstrapped values, the newer one is used at the next reload
    await page.evaluate('posthog.reloadFeatureFlags()');
    await page.waitForFunction(`${flag('layout')} === 'test'`);
    const values = await page.evaluate(
      `Object.fromEntries(['welcome', 'layout', 'nobody', 'staff', 'company', 'gone'].map((key) => [key, posthog.getFeatureFlag(key) ?? false]))`,
    );
    expect(values).toEqual({ welcome: true, layout: 'test', nobody: false, staff: false, company: false, gone: false });
    expect(await page.evaluate(`posthog.getFeatureFlagPayload('welcome')`)).toEqual({ text: 'Hello' });
    expect(await page.evaluate(`posthog.getFeatureFlagPayload('layout')`)).toEqual({ columns: 3 });
    expect(requests.filter((one) => one.path.startsWith(path))).toEqual(expect.arrayContaining([{ path, status: 200 }]));
    expect(requests.filter(({ status }) => status >= 400)).toEqual([]);
    expect(problems).toEqual([]);
    await close();
  });

  test('flags depend on the group and on properties that were just set', async () => {
    const { page, fetched, close } = await open({});
    await fetched();
    await page.evaluate(`posthog.group('company', 'acme')`);
    await page.waitForFunction(`${flag('company')} === true`);
    await page.evaluate(`posthog.setPersonPropertiesForFlags({ staff: true })`);
    await page.waitForFunction(`${flag('staff')} === true`);
    await close();
  });

  test('a flag with experience continuity keeps its value after identify', async () => {
    for (let i = 0; i < 4; i++) {
      const { page, fetched, close } = await open({});
      await fetched();
      const before = await page.evaluate(`${flag('steady')} ?? false`);
      const calls = await page.evaluate<number>('window.calls');
      await page.evaluate(`posthog.identify('${sdk}-known-${i}')`);
      await page.waitForFunction(`window.calls > ${calls}`);
      expect(await page.evaluate(`${flag('steady')} ?? false`)).toBe(before);
      // the next request omits the former id
      const again = await page.evaluate<number>('window.calls');
      await page.evaluate('posthog.reloadFeatureFlags()');
      await page.waitForFunction(`window.calls > ${again}`);
      expect(await page.evaluate(`${flag('steady')} ?? false`)).toBe(before);
      await close();
    }
  });

  test('bootstrapped values stay if the service does not respond in time', async () => {
    const { page, failed, close } = await open(
      { bootstrap: { featureFlags: { nobody: true } }, feature_flag_request_timeout_ms: 500 },
      (url) => (url.includes(path) ? 'hang' : null),
    );
    await page.evaluate('posthog.reloadFeatureFlags()');
    await expect.poll(() => failed.some((url) => url.includes(path))).toBe(true);
    // the task after the one in which the library learns of the failure
    await page.evaluate('new Promise((done) => setTimeout(done))');
    expect(await page.evaluate(flag('nobody'))).toBe(true);
    await close();
  });
});

const PAGE = `<!doctype html><title>Shop</title>
<script type="module">
  const query = new URLSearchParams(location.search);
  const { default: posthog } = await import('/' + query.get('sdk') + '.js');
  window.posthog = posthog;
  window.calls = 0;
  const options = JSON.parse(query.get('options'));
  posthog.init(query.get('key'), {
    api_host: query.get('host'),
    // headless Chromium counts as a bot
    opt_out_useragent_filter: true,
    disable_external_dependency_loading: true,
    autocapture: false,
    capture_pageview: false,
    ...options,
  });
  window.atStart = Object.fromEntries(Object.keys(options.bootstrap?.featureFlags ?? {}).map((key) => [key, posthog.getFeatureFlag(key)]));
  let first = !options.bootstrap;
  posthog.onFeatureFlags(() => { if (first || window.calls > 0) window.calls += 1; first = true; });
</script>`;

/** A page with both SDKs, as their packages ship them. */
async function serveSite(): Promise<Server> {
  const resolve = createRequire(import.meta.url).resolve;
  const files = new Map(
    await Promise.all(
      [
        ['/new.js', 'posthog-js'],
        ['/old.js', 'posthog-js-old'],
      ].map(async ([path = '', name = '']) => {
        const main = dirname(resolve(name));
        return [path, await readFile(join(main, 'module.full.no-external.js'))] as const;
      }),
    ),
  );
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const file = files.get(path);
    if (file) response.setHeader('content-type', 'text/javascript').end(file);
    else if (path === '/favicon.ico') response.writeHead(204).end();
    else response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

function siteUrl(): string {
  const address = site.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
