import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageWith, type Site, startSite, storedEvents } from './browser-site.js';

let service: Service;
let browser: Browser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  const { status } = await service.call('PATCH', '/api/projects/@current/', { body: { cookieless_server_hash_mode: 1 } });
  expect(status).toBe(200);
  const options = (path: string) => (path.startsWith('/usual') ? {} : { cookieless_mode: 'always' });
  site = await startSite((path) => ({ html: pageWith(service.url, service.account.projectKey, { options: options(path) }) }));
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});

const STORED = `(async () => ({
  cookie: document.cookie,
  local: Object.keys(localStorage),
  session: Object.keys(sessionStorage),
  databases: (await indexedDB.databases()).map(({ name }) => name),
  caches: await caches.keys(),
}))()`;

/** Opens a path in a new browser context as often as said. @returns what is on the device then */
async function visit(path: string, { loads, userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0' }: Visit) {
  const context = await browser.newContext({ userAgent });
  const page = await context.newPage();
  for (let load = 0; load < loads; load++) {
    await page.goto(site.url + path);
    await page.evaluate(`tidemark.capture('bought', { product: 'anvil' })`);
    await page.evaluate('tidemark.flush()');
  }
  const stored = { ...(await page.evaluate<object>(STORED)), jar: (await context.cookies()).map(({ name }) => name) };
  await context.close();
  return stored;
}
interface Visit {
  loads: number;
  userAgent?: string;
}

const NOTHING = { cookie: '', local: [], session: [], databases: [], caches: [], jar: [] };

/** How often a path was viewed, and by how many visitors. */
async function views(path: string): Promise<{ total: number; visitors: number }> {
  const series = (['total', 'dau'] as const).map((math) => ({
    kind: 'EventsNode',
    event: 'bought',
    math,
    properties: [{ type: 'event', key: '$pathname', value: [path], operator: 'exact' }],
  }));
  const query = { kind: 'TrendsQuery', series, dateRange: { date_from: '-1d' }, trendsFilter: { display: 'BoldNumber' } };
  const { status, body } = await service.post('/api/projects/@current/query/', { query, refresh: 'force_blocking' });
  expect([status, body]).toEqual([200, expect.anything()]);
  const [total, visitors] = (body as { results: { aggregated_value: number }[] }).results;
  return { total: total?.aggregated_value ?? 0, visitors: visitors?.aggregated_value ?? 0 };
}

test('a page in cookieless mode stores nothing on the device, and its events are of one visitor a day', async () => {
  const path = `/shop-${Date.now()}`;
  expect(await visit(path, { loads: 3 })).toEqual(NOTHING);
  // a device that keeps nothing is no other visitor in its next session
  expect(await visit(path, { loads: 2 })).toEqual(NOTHING);
  await eventually(async () => expect(await views(path)).toEqual({ total: 5, visitors: 1 }));
  expect(await visit(path, { loads: 1, userAgent: 'Mozilla/5.0 (Macintosh) Safari/605.1' })).toEqual(NOTHING);
  await eventually(async () => expect(await views(path)).toEqual({ total: 6, visitors: 2 }));
  // nobody is known, and the addresses from which the ids were computed are not stored
  const ids = (await service.events()).map((one) => one['distinct_id']);
  const own = (await storedEvents(service, ids)).filter(({ properties }) => properties['$pathname'] === path);
  expect(own.length).toBeGreaterThanOrEqual(6);
  expect(own.filter(({ distinctId }) => !distinctId.startsWith('cookieless_'))).toEqual([]);
  const names = own.flatMap(({ properties }) => Object.keys(properties));
  expect(names).toContain('$pathname');
  for (const name of ['$ip', '$raw_user_agent', '$device_id']) expect(names).not.toContain(name);
  expect((await service.get('/api/projects/@current/persons/')).body).toMatchObject({ results: [] });

  // the same page without the mode, so that the look at the device is one that finds something
  const usual = await visit(`/usual-${Date.now()}`, { loads: 1 });
  expect(usual).not.toEqual(NOTHING);
});
