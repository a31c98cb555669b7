import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closePagesAfterEach, settled } from '../testing/app-pages.js';

const KEY = 'tmk_own_use';
/** A browser of a person: the client leaves out the visits of programs. */
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

let browser: Browser;
closePagesAfterEach(() => browser);
beforeAll(async () => {
  browser = await launchBrowser();
});
const services: Service[] = [];
afterAll(async () => {
  await browser?.close();
  await Promise.all(services.map((service) => service.close()));
});

async function started(env: Record<string, string>): Promise<Service> {
  const service = await startService({ env: { TIDEMARK_INIT_PROJECT_KEY: KEY, ...env } });
  services.push(service);
  return service;
}

/** Logs in, opens a dashboard and goes to the flags by keys. @returns the paths of all requests */
async function useApp(service: Service): Promise<string[]> {
  const context = await browser.newContext({ userAgent: PERSON, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(`Object.defineProperty(navigator, 'webdriver', { get: () => false })`);
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  const { body } = await service.post('/api/projects/@current/dashboards/', { name: 'Secret plans' });
  await page.goto(`${service.url}/login`);
  await page.getByLabel('E-mail').fill(service.account.email);
  await page.getByLabel('Password', { exact: true }).fill(service.account.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(/\/p\/\d+/);
  await page.goto(`${service.url}/p/1/dashboards/${(body as { id: number }).id}?from=-30d`);
  await page.getByRole('heading', { level: 1, name: 'Secret plans' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
  await settled(page);
  // the client sends what it has captured when the page ends, too
  await page.goto('about:blank');
  await context.close();
  expect(problems).toEqual([]);
  return paths;
}

/** A look at the stored events is a question to the event store. */
const SOMETIMES = { every: 500 };

async function storedEvents(service: Service): Promise<[event: string, properties: Record<string, unknown>][]> {
  const query = { kind: 'EventsQuery', select: ['event', 'properties'], after: '-1h', orderBy: ['timestamp ASC'] };
  const { body } = await service.post('/api/projects/@current/query/', { query, refresh: 'force_blocking' });
  const { results } = body as { results: [string, string | Record<string, unknown>][] };
  return results.map(([event, properties]) => [event, typeof properties === 'string' ? JSON.parse(properties) : properties]);
}

test('with TIDEMARK_SELF the app captures its own use: patterns of addresses and names of actions, and no text of a person', async () => {
  const service = await started({ TIDEMARK_SELF: KEY });
  await useApp(service);
  await eventually(async () => {
    const events = await storedEvents(service);
    const views = events.filter(([event]) => event === '$pageview').map(([, { $pathname }]) => $pathname);
    expect(views).toEqual(expect.arrayContaining(['/login', '/p/$project/dashboards/$id', '/p/$project/flags']));
    expect(events.filter(([event]) => event === 'action performed').map(([, { action }]) => action)).toContain('go/flags');
  }, SOMETIMES);
  const events = await storedEvents(service);
  const text = JSON.stringify(events);
  for (const personal of [service.account.email, 'Secret', '-30d', '/p/1']) expect(text).not.toContain(personal);
});

test('without it nothing of the client is loaded, and nothing is captured', async () => {
  const service = await started({});
  const paths = await useApp(service);
  expect(paths.filter((path) => /OwnUse|\/(e|batch|capture|i\/v0)\//.test(path))).toEqual([]);
  expect(await storedEvents(service)).toEqual([]);
});
