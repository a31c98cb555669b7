import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, type Site, startSite, storedEvents, type WatchedPage } from './browser-site.js';
import { bundledScript } from './testing/bundled-script.js';
import { compareImportAfterAll } from './testing/compare-import.js';

let service: Service;
let browser: Browser;
let site: Site;
const pages: Record<string, string> = {};
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  site = await startSite((path) => ({ html: pages[path] ?? '<title>Elsewhere</title>' }));
  const { status } = await service.call('PATCH', '/api/projects/@current/', { body: { session_recording_opt_in: true } });
  expect(status).toBe(200);
  const survey = await service.post('/api/projects/@current/surveys/', {
    name: 'Opinion',
    type: 'popover',
    start_date: '2026-01-01T00:00:00Z',
    questions: [{ id: 'why', type: 'open', question: 'What is missing here?' }],
  });
  expect(survey.status).toBe(201);
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});
compareImportAfterAll(() => service);

/**
 * Acts like PostHog's `<head>` snippet: an array stands in for the SDK and queues the calls until `/static/array.js`, loaded from
 * `api_host`, replays them.
 */
const SNIPPET = `(() => {
  const stub = [];
  window.posthog = Object.assign(stub, { _i: [], __SV: 1, people: [] });
  for (const name of ['capture', 'identify', 'register', 'onFeatureFlags', 'opt_in_capturing', 'opt_out_capturing']) {
    stub[name] = (...values) => { stub.push([name, ...values]); };
  }
  stub.init = (key, options) => {
    const script = Object.assign(document.createElement('script'), {
      type: 'text/javascript', crossOrigin: 'anonymous', async: true, src: options.api_host + '/static/array.js',
    });
    const first = document.getElementsByTagName('script')[0];
    first.parentNode.insertBefore(script, first);
    stub._i.push([key, options, 'posthog']);
  };
})();`;

const BODY = '<h1>Welcome</h1><button id="buy">Buy now</button>';

/** Options of every page. Without the opt-out, headless Chromium counts as a bot. */
const init = (): string =>
  `posthog.init('${service.account.projectKey}', { api_host: '${service.url}', opt_out_useragent_filter: true });`;

/** Visits a page that starts posthog-js, and checks every feature that loads files from the service. */
async function visit(path: string): Promise<void> {
  const watched = await openPage(browser);
  const { page } = watched;
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.url().startsWith(service.url) && response.status() >= 400)
      refused.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`${site.url}${path}`);
  await page.waitForFunction('posthog.__loaded && posthog.sessionRecordingStarted()');
  await page.waitForFunction('posthog.autocapture.isEnabled');
  const visitor = await page.evaluate<string>('posthog.get_distinct_id()');
  const session = await page.evaluate<string>('posthog.get_session_id()');
  await page.click('#buy');
  await page.waitForFunction(`document.body.innerText.includes('Bought') `);
  await answerSurvey(watched);
  await eventually(async () => {
    const names = (await storedEvents(service, [visitor])).map(({ event }) => event);
    for (const name of ['$pageview', 'called early', '$autocapture', 'survey shown', 'survey sent'])
      expect(names).toContain(name);
  });
  await eventually(async () => expect(await recordedTypes(session)).toEqual(expect.arrayContaining([2, 3, 4])));
  expect(refused).toEqual([]);
  expect(watched.errors).toEqual([]);
  await watched.close();
}

/** The form is in a shadow tree, as the SDK shows it. */
async function answerSurvey({ page }: WatchedPage): Promise<void> {
  await page.waitForSelector('text=What is missing here?');
  expect(await page.getByText('PostHog').count()).toBe(0);
  await page.fill('textarea', 'Nothing');
  await page.click('text=Submit');
}

/** The rrweb event types of a session's recording. */
async function recordedTypes(session: string): Promise<number[]> {
  const path = `/api/projects/@current/session_recordings/${session}/snapshots/`;
  const { status, body } = await service.get(path);
  expect(status).toBe(200);
  const { sources } = body as { sources: unknown[] };
  const answer = await fetch(`${service.url}${path}?source=blob_v2&start_blob_key=0&end_blob_key=${sources.length - 1}`, {
    headers: { authorization: `Bearer ${service.account.personalKey}` },
  });
  const lines = (await answer.text()).trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as [string, { type: number }])[1].type);
}

const AFTER = `document.querySelector('#buy').onclick = () => document.body.append('Bought');`;

test('the snippet for <head> with the host changed: page views, clicks, a recording and a survey', async () => {
  pages['/snippet'] =
    `<!doctype html><head><title>Shop</title><script>${SNIPPET} ${init()} posthog.capture('called early');</script></head><body>${BODY}<script>${AFTER}</script></body>`;
  await visit('/snippet');
});

test('posthog-js from npm in a bundle, with the host changed, captures the same', async () => {
  const script = await bundledScript(
    `import posthog from 'posthog-js'; window.posthog = posthog; ${init()} posthog.capture('called early'); ${AFTER}`,
  );
  pages['/bundled'] =
    `<!doctype html><head><title>Shop</title></head><body>${BODY}<script type="module">${script}</script></body>`;
  await visit('/bundled');
});

test('posthog-js 1.200 in a bundle records with the recorder of the service', async () => {
  const script = await bundledScript(`import posthog from 'posthog-js-old'; window.posthog = posthog; ${init()}`);
  pages['/old'] = `<!doctype html><head><title>Shop</title></head><body>${BODY}<script type="module">${script}</script></body>`;
  const { page, errors, close } = await openPage(browser);
  await page.goto(`${site.url}/old`);
  await page.waitForFunction('posthog.__loaded && posthog.sessionRecordingStarted()');
  const session = await page.evaluate<string>('posthog.get_session_id()');
  // this version says that it has started before it listens to the page
  await eventually(async () => expect(await recordedTypes(session)).toEqual(expect.arrayContaining([2, 4])));
  await page.click('#buy');
  await eventually(async () => expect(await recordedTypes(session)).toContain(3));
  expect(errors).toEqual([]);
  await close();
});

test('the scripts are byte for byte those of the npm package', async () => {
  const directory = dirname(createRequire(import.meta.url).resolve('posthog-js'));
  for (const name of ['array.js', 'lazy-recorder.js', 'surveys.js', 'web-vitals.js', 'exception-autocapture.js']) {
    const answer = await fetch(`${service.url}/static/${name}`);
    expect([name, answer.status]).toEqual([name, 200]);
    expect(await answer.text()).toBe(await readFile(join(directory, name), 'utf8'));
  }
});
