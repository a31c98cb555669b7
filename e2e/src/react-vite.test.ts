import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type EventRecord, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finished, LAYOUT, makeFlag, newVisitor, serveFolder, startProgram } from './example-app.js';

let service: Service;
let browser: Browser;
let folder: string;
let site: Awaited<ReturnType<typeof serveFolder>>;
beforeAll(async () => {
  [service, browser, folder] = await Promise.all([startService(), launchBrowser(), mkdtemp(join(tmpdir(), 'tidemark-vite-'))]);
  await makeFlag(service, 'banner', { payloads: { true: '{"text":"Sale"}' } });
  await makeFlag(service, 'layout', LAYOUT);
  await makeFlag(service, 'stars', {});
  await makeFlag(service, 'nobody', {}, 0);
  await finished(
    startProgram('vite-react', 'vite/bin/vite.js', ['build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'], {
      VITE_TIDEMARK_HOST: service.url,
      VITE_TIDEMARK_PROJECT_KEY: service.account.projectKey,
    }),
  );
  site = await serveFolder(folder);
});
afterAll(async () => {
  await browser?.close();
  site?.server.close();
  await service?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('the Vite example shows flags of the service, and its events are stored', async () => {
  const context = await newVisitor(browser);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });

  await page.goto(site.url);
  await page.waitForSelector('ul[data-layout="grid"][data-columns="3"][data-source="server"][data-active="banner,layout,stars"]');
  expect(await page.textContent('li')).toBe('Anchor ★★★');
  await page.click('text=Sale');
  await page.click('text=Sale');
  await page.click('text=Sign in');
  await page.waitForSelector('text=Hello Ada');
  await page.click('text=Buoy');
  await page.goto('about:blank');

  const events = await eventually(async () => {
    const stored = await service.events();
    expect(stored.map(({ event }) => event)).toEqual(expect.arrayContaining(['Product Chosen', '$pageleave']));
    return stored;
  });
  const of = (name: string) => events.filter(({ event }) => event === name).map(propertiesOf);
  expect(of('Product Chosen')).toMatchObject([{ name: 'Buoy', '$feature/layout': 'grid', $groups: { company: 'acme' } }]);
  expect(of('$feature_view')).toMatchObject([{ feature_flag: 'banner' }]);
  expect(of('$feature_interaction')).toMatchObject([{ feature_flag: 'banner' }]);
  expect(of('$pageview')).toHaveLength(1);
  expect(of('$identify')).toHaveLength(1);
  expect(of('$autocapture').length).toBeGreaterThanOrEqual(4);
  const called = of('$feature_flag_called').map((one) => [one['$feature_flag'], one['$feature_flag_response']]);
  expect(new Set(called.map(String))).toEqual(new Set(['banner,true', 'layout,grid', 'stars,true']));
  expect(new Set(events.map(({ person_id }) => person_id)).size).toBe(1);
  expect(problems).toEqual([]);
  await context.close();
});

function propertiesOf({ properties }: EventRecord): Record<string, unknown> {
  return typeof properties === 'string' ? JSON.parse(properties) : Object(properties);
}
