import { readFileSync } from 'node:fs';
import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, type Site, startSite, storedEvents } from './browser-site.js';
import { bundledScript } from './testing/bundled-script.js';
import { compareImportAfterAll } from './testing/compare-import.js';

let service: Service;
let browser: Browser;
let site: Site;
const pages: Record<string, string> = {};
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  site = await startSite((path) => ({ html: pages[path] ?? '<title>Elsewhere</title>' }));
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});
compareImportAfterAll(() => service);

const SURVEYS = '/api/projects/@current/surveys/';
const STARTED = { start_date: '2026-01-01T00:00:00Z' };

/** Creates a survey; returns its id. */
async function makeSurvey(fields: object): Promise<string> {
  const { status, body } = await service.post(SURVEYS, { ...STARTED, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return (body as { id: string }).id;
}

/** A page with this code, bundled. */
async function pageOf(contents: string, body = ''): Promise<string> {
  const script = await bundledScript(contents);
  return `<!doctype html><meta charset="utf-8"><title>Shop</title>${body}<script type="module">${script}</script>`;
}

test('the survey of docs/guide/surveys.md appears once on its page, and the responses are stored', async () => {
  const guide = readFileSync(new URL('../../docs/guide/surveys.md', import.meta.url), 'utf8');
  const code = /```tsx\n(.*?)```/s.exec(guide)?.[1] ?? '';
  const filledIn = code
    .replace('tmk_your_project_key', service.account.projectKey)
    .replace('https://analytics.example.com', service.url)
    // an automated browser counts as a bot
    .replace('features:', 'opt_out_useragent_filter: true, features:');
  const app = await pageOf(`${filledIn}\nObject.assign(window, { client });`, '<p id="cart">1 thing</p>');
  Object.assign(pages, { '/cart': app, '/thanks': app });
  const id = await makeSurvey({
    name: 'After checkout',
    type: 'api',
    questions: [
      { id: 'ease', type: 'rating', question: 'How easy was it?' },
      { id: 'why', type: 'open', question: 'What was missing?', optional: true },
    ],
    conditions: { url: `${site.url}/thanks`, urlMatchType: 'exact', selector: '#cart' },
    appearance: { displayIntroScreen: true },
  });

  const { page, errors, close } = await openPage(browser);
  const shown: string[] = [];
  page.on('dialog', (dialog) => {
    shown.push(dialog.message());
    dialog.accept(shown.length === 1 ? '4' : 'Nothing');
  });
  const visit = async (path: string) => {
    const definitions = page.waitForResponse(/\/array\//);
    await page.goto(site.url + path);
    await definitions;
    await page.waitForFunction('window.client?.isInitialized');
  };
  await visit('/cart');
  await visit('/thanks');
  await expect.poll(() => shown).toEqual(['How easy was it?', 'What was missing?']);
  const visitor = await page.evaluate<string>('client.getDistinctId()');
  await visit('/thanks');
  await page.evaluate(`client.capture('looked around'); client.flush()`);
  await eventually(async () => {
    const names = (await storedEvents(service, [visitor])).map(({ event }) => event);
    expect(names).toContain('looked around');
    expect(names.filter((name) => name.startsWith('survey'))).toEqual(['survey shown', 'survey sent']);
  });
  const sent = (await storedEvents(service, [visitor])).find(({ event }) => event === 'survey sent');
  expect(sent?.properties).toMatchObject({ $survey_id: id, $survey_response_ease: 4, $survey_response_why: 'Nothing' });
  expect([shown.length, errors]).toEqual([2, []]);
  await close();
  await service.call('PATCH', `${SURVEYS}${id}/`, { body: { archived: true } });
});

test('posthog-js 1.434.18 gets the running surveys, and those whose conditions hold', async () => {
  const flag = await service.post('/api/projects/@current/feature_flags/', {
    key: 'asked',
    filters: { groups: [{ properties: [] }] },
  });
  const { id: linkedFlagId } = flag.body as { id: number };
  const questions = [{ id: 'q1', type: 'open', question: 'How was it?' }];
  const here = await makeSurvey({
    name: 'Here',
    type: 'api',
    questions,
    conditions: { url: '/posthog' },
    linked_flag_id: linkedFlagId,
  });
  const elsewhere = await makeSurvey({ name: 'Elsewhere', type: 'api', questions, conditions: { url: '/thanks' } });
  const noElement = await makeSurvey({
    name: 'Where it is not',
    type: 'popover',
    questions,
    conditions: { selector: '#gone' },
  });
  await makeSurvey({ name: 'Draft', questions, start_date: null });
  await makeSurvey({ name: 'Over', questions, end_date: '2026-01-02T00:00:00Z' });

  pages['/posthog'] = await pageOf(`
    import posthog from 'posthog-js/dist/module.full.no-external.js';
    window.posthog = posthog;
    posthog.init('${service.account.projectKey}', {
      api_host: '${service.url}', opt_out_useragent_filter: true, disable_external_dependency_loading: true,
    });`);
  const { page, errors, close } = await openPage(browser);
  await page.goto(`${site.url}/posthog`);
  await page.waitForFunction('window.posthog?.__loaded');
  const found = await page.evaluate<{ all: string[]; matching: string[] }>(`(async () => {
    const loaded = await new Promise((resolve) => posthog.onSurveysLoaded((surveys, context) => resolve(context.isLoaded)));
    await new Promise((resolve) => posthog.onFeatureFlags(resolve));
    const idsOf = (ask) => new Promise((resolve) => ask((surveys) => resolve(surveys.map(({ id }) => id).sort())));
    return {
      all: await idsOf((callback) => posthog.getSurveys(callback, true)),
      matching: await idsOf((callback) => posthog.getActiveMatchingSurveys(callback)),
    };
  })()`);
  expect(found).toEqual({ all: [here, elsewhere, noElement].sort(), matching: [here] });
  expect(errors).toEqual([]);
  await close();
});
