import { readFileSync } from 'node:fs';
import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedEvents } from './browser-site.js';
import { type ProxiedSite, startProxiedSite } from './testing/proxied-site.js';

const GUIDE = readFileSync(new URL('../../docs/guide/html.md', import.meta.url), 'utf8');
const CODE = [...GUIDE.matchAll(/```(html|js)\n(.*?)```/gs)].map(([, language, code = '']) => ({ language, code }));

let service: Service;
let browser: Browser;
let site: ProxiedSite;
let html = '';
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  // the guide's page uses a proxy on this path
  site = await startProxiedSite(() => ({ html }), '/t', service.url);
  const filters = { groups: [{ properties: [], rollout_percentage: 100 }] };
  await service.post('/api/projects/@current/feature_flags/', { key: 'new-checkout', name: 'new-checkout', filters });
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});

/** The guide's code with the test's key and service. */
const filledIn = (code: string) =>
  code.replaceAll('tmk_...', service.account.projectKey).replaceAll('https://analytics.example.com', service.url);

/** Opens a page in a browser that does not look automated, because visits of bots are ignored. */
async function open(content: string) {
  html = content;
  const context = await browser.newContext({ userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36' });
  await context.addInitScript(`Object.defineProperty(navigator, 'webdriver', { value: false })`);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(site.url);
  return { page, errors, close: () => context.close() };
}
const initialized = 'window.tidemark?.isInitialized';
const [TAG = '', , SNIPPET = '', PROXIED = ''] = CODE.filter(({ language }) => language === 'html').map(({ code }) => code);

test.each(CODE.filter(({ language }) => language === 'html').map(({ code }) => code))('the page with %s works', async (code) => {
  const { page, errors, close } = await open(`<!doctype html><title>Guide</title><body>${filledIn(code)}</body>`);
  await page.waitForFunction(initialized);
  for (const { code: script, language } of CODE) if (language === 'js') await page.evaluate(`{ ${filledIn(script)} }`);
  await page.waitForFunction(`document.body.classList.contains('new-checkout')`);
  const ids = await page.evaluate<string[]>(`tidemark.flush().then(() => [tidemark.getDistinctId(), tidemark.getAnonymousId()])`);
  await eventually(async () => {
    const names = (await storedEvents(service, ids)).map(({ event }) => event);
    const wanted = ['$pageview', 'Signed Up', '$identify', ...(code.includes('Page opened') ? ['Page opened'] : [])];
    expect(names).toEqual(expect.arrayContaining(wanted));
  });
  expect(errors).toEqual([]);
  await close();
});

test('the snippet has every method of the client, and window.tidemark is its only global', async () => {
  const [inline = ''] = SNIPPET.split('<script async');
  const before = await open(`<script>window.before = Object.getOwnPropertyNames(window)</script>${filledIn(inline)}`);
  const [listed, globals] = await before.page.evaluate<string[][]>(`[
    Object.keys(tidemark).filter((name) => typeof tidemark[name] === 'function').sort(),
    Object.getOwnPropertyNames(window).filter((name) => !window.before.includes(name) && name !== 'before')]`);
  await before.close();
  expect(globals).toEqual(['tidemark']);
  const loaded = await open(filledIn(TAG));
  await loaded.page.waitForFunction(initialized);
  const methods = await loaded.page.evaluate<string[]>(
    `Object.entries(tidemark.getClient()).flatMap(([name, method]) => typeof method === 'function' ? [name] : [])`,
  );
  await loaded.close();
  expect(listed).toEqual([...methods, 'init'].sort());
});

test.each(['var', 'const', 'let', 'function'])(
  'scripts of the page that declare `%s queue` run before and after the snippet',
  async (kind) => {
    const own = ['queue', 'method', 'methods', 'copied', 'isData'].map((name) =>
      kind === 'function' ? `function ${name}() {}` : `${kind} ${name} = 'own';`,
    );
    for (const place of ['before', 'after']) {
      const script = `<script>${own.join('')} window.ran = [typeof queue, typeof method, typeof methods];</script>`;
      const { page, errors, close } = await open(place === 'before' ? script + filledIn(SNIPPET) : filledIn(SNIPPET) + script);
      await page.waitForFunction(initialized);
      const type = kind === 'function' ? 'function' : 'string';
      expect([place, await page.evaluate('ran'), errors]).toEqual([place, [type, type, type], []]);
      const id = await page.evaluate('tidemark.flush().then(() => tidemark.getDistinctId())');
      await eventually(async () => {
        const names = (await storedEvents(service, [id])).map(({ event }) => event);
        expect(names).toEqual(expect.arrayContaining(['Page opened', '$pageview']));
      });
      await close();
    }
  },
);

test('the snippet queues a copy of data, and functions, errors and cycles as they are', async () => {
  const [inline = '', script = ''] = filledIn(SNIPPET.replace('{ api_host', '{ exceptions: true, api_host')).split(
    '<script async',
  );
  const own = `<script>
    const cart = { items: ['tea'] };
    const plan = { name: 'free' };
    const loop = { own: 1, nothing: null };
    loop.self = loop;
    tidemark.setConfig({ before_send: (event) => ({ ...event, properties: { ...event.properties, seen: true } }) });
    tidemark.register({ plan });
    tidemark.capture('Added', { cart });
    tidemark.capture('Looped', loop);
    tidemark.captureException(new RangeError('out of range'), { cart });
    cart.items.push('cup');
    plan.name = 'pro';
  </script>`;
  const { page, errors, close } = await open(`${inline}${own}<script async${script}`);
  await page.waitForFunction(initialized);
  const id = await page.evaluate('tidemark.flush().then(() => tidemark.getDistinctId())');
  await eventually(async () => {
    const events = await storedEvents(service, [id]);
    const of = (name: string) => events.find(({ event }) => event === name)?.properties;
    const added = { cart: { items: ['tea'] }, plan: { name: 'free' }, seen: true };
    const failed = { $exception_list: [{ type: 'RangeError', value: 'out of range' }], cart: added.cart };
    expect([of('Added'), of('Looped'), of('$exception')]).toMatchObject([added, { own: 1 }, failed]);
  });
  expect(errors).toEqual([]);
  await close();
});

test('behind a reverse proxy at a path of the site all requests use this path', async () => {
  site.own.length = 0;
  site.proxied.length = 0;
  await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
  const { page, errors, close } = await open(`<title>Shop</title><body><button id="buy">Buy</button>${filledIn(PROXIED)}</body>`);
  await page.waitForFunction(`window.tidemark?.isInitialized && tidemark.isFeatureEnabled('new-checkout')`);
  await page.waitForFunction('tidemark.isSessionReplayActive()');
  await page.click('#buy');
  await page.evaluate('tidemark.flush()');
  const { projectKey } = service.account;
  const parts = ['static/tidemark.js', 'static/tidemark-deferred-', 'static/tidemark-controller-', 'flags/', 'batch/', 's/'];
  await eventually(async () => {
    for (const part of [...parts, `array/${projectKey}/config`])
      expect([part, site.proxied.some((path) => path.startsWith(`/t/${part}`))]).toEqual([part, true]);
  });
  await page.goto('about:blank');
  expect(site.own.filter((path) => path !== '/favicon.ico')).toEqual(['/']);
  expect(errors).toEqual([]);
  await close();
});
