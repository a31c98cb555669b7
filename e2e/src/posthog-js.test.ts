import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareImportAfterAll } from './testing/compare-import.js';

let service: Service;
let browser: Browser;
let site: Server;
beforeAll(async () => {
  [service, browser, site] = await Promise.all([startService(), launchBrowser(), serveSite()]);
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});
compareImportAfterAll(() => service);

interface Sent {
  uuid: string;
  event: string;
}

test('posthog-js 1.434.18 in Chromium: each event is stored once, with the right person and group', async () => {
  const page = await browser.newPage();
  const problems: string[] = [];
  const answers: { url: string; type: string; status: number }[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('response', (response) => {
    if (response.url().startsWith(service.url)) {
      answers.push({ url: response.url(), type: response.request().resourceType(), status: response.status() });
    }
  });

  await page.goto(`${siteUrl()}/?host=${encodeURIComponent(service.url)}&key=${service.account.projectKey}`);
  await page.waitForFunction('window.loaded === true');
  // it starts to watch clicks only when the remote config has arrived
  await page.waitForFunction('posthog.autocapture.isEnabled');
  const anonymousId = await page.evaluate<string>('posthog.get_distinct_id()');
  await page.click('#buy');
  await page.evaluate(`posthog.identify('browser-user', { email: 'b@example.com' }, { first_page: '/' })`);
  await page.evaluate(`posthog.group('company', 'acme', { plan: 'enterprise' })`);
  await page.evaluate(`posthog.capture('checked out', { total: 42, note: 'Grüße' })`);
  await expectStored('checked out');
  // leaving sends the rest by beacon
  await page.goto(`${siteUrl()}/away`);
  const sent = await page.evaluate<Sent[]>(`JSON.parse(localStorage.getItem('sent'))`);
  const beacons = await page.evaluate<string | null>(`localStorage.getItem('beacons')`);
  await expectStored('$pageleave');
  await page.close();

  expect(problems).toEqual([]);
  expect(answers.filter(({ status }) => status !== 200 && status !== 204)).toEqual([]);
  expect(beacons).toContain('/e/');
  const names = sent.map(({ event }) => event);
  for (const name of ['$pageview', '$autocapture', '$identify', '$groupidentify', 'checked out', '$pageleave'])
    expect(names).toContain(name);

  const stored = await service.events();
  expect(stored.map(({ uuid }) => uuid).sort()).toEqual(sent.map(({ uuid }) => uuid).sort());
  // the page view was anonymous; `identify` attached it to the person
  expect(new Set(stored.map((event) => event['person_id'])).size).toBe(1);
  const properties = (name: string) => stored.find(({ event }) => event === name)?.['properties'];
  expect(stored.find(({ event }) => event === '$pageview')?.['distinct_id']).toBe(anonymousId);
  expect(properties('checked out')).toMatchObject({ total: 42, note: 'Grüße', $groups: { company: 'acme' } });
  expect(properties('$autocapture')).toMatchObject({ $event_type: 'click', $el_text: 'Buy now' });

  const answer = await service.get('/api/projects/@current/persons/?distinct_id=browser-user');
  const { results } = answer.body as { results: { distinct_ids: string[]; properties: Record<string, unknown> }[] };
  expect(results).toHaveLength(1);
  expect([...(results[0]?.distinct_ids ?? [])].sort()).toEqual(['browser-user', anonymousId].sort());
  expect(results[0]?.properties).toMatchObject({ email: 'b@example.com', first_page: '/' });
});

function expectStored(event: string): Promise<void> {
  return eventually(async () => expect(await service.events({ event })).toHaveLength(1));
}

const PAGE = `<!doctype html><title>Shop</title><button id="buy" class="big">Buy now</button>
<script>
  const sendBeacon = navigator.sendBeacon.bind(navigator);
  navigator.sendBeacon = (url, body) => {
    localStorage.setItem('beacons', (localStorage.getItem('beacons') ?? '') + ' ' + url);
    return sendBeacon(url, body);
  };
</script>
<script type="module">
  import posthog from '/posthog.js';
  const query = new URLSearchParams(location.search);
  const sent = [];
  window.posthog = posthog;
  posthog.init(query.get('key'), {
    api_host: query.get('host'),
    // headless Chromium counts as a bot
    opt_out_useragent_filter: true,
    disable_external_dependency_loading: true,
    before_send: (event) => {
      if (event) sent.push({ uuid: event.uuid, event: event.event });
      localStorage.setItem('sent', JSON.stringify(sent));
      return event;
    },
    loaded: () => { window.loaded = true; },
  });
</script>`;

/** A page with the SDK as its package ships it, and a page without it. */
async function serveSite(): Promise<Server> {
  const main = createRequire(import.meta.url).resolve('posthog-js');
  const sdk = await readFile(join(dirname(main), 'module.full.no-external.js'));
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    if (path === '/posthog.js') response.setHeader('content-type', 'text/javascript').end(sdk);
    else if (path === '/favicon.ico') response.writeHead(204).end();
    else response.setHeader('content-type', 'text/html; charset=utf-8').end(path === '/' ? PAGE : '<title>Away</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function siteUrl(): string {
  const address = site.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
