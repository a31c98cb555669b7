import { eventually, type Firefox, findFirefox, launchFirefox, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSite } from '../browser-site.js';
import { firefoxPage } from '../testing/firefox-pages.js';

/* The core stories once more in Firefox. Each stays in one page, so that its faults are seen. */

// scripts/test.mjs says so when the machine has no Firefox
describe.runIf(findFirefox())('the app in Firefox', () => {
  let service: Service;
  let firefox: Firefox;
  let dashboard = 0;
  let stories = 0;
  beforeAll(async () => {
    [service, firefox] = await Promise.all([startService(), launchFirefox()]);
    await capture(
      Array.from({ length: 30 }, (_, at) => ({
        event: '$pageview',
        distinct_id: `user-${at % 7}`,
        timestamp: new Date(Date.now() - (at % 6) * 86_400_000).toISOString(),
        properties: { $browser: at % 2 === 0 ? 'Chrome' : 'Safari' },
      })),
    );
    const made = await service.post('/api/projects/@current/dashboards/', { name: 'Numbers' });
    dashboard = Number((made.body as { id: number }).id);
    for (const display of ['ActionsLineGraph', 'ActionsBar', 'BoldNumber']) {
      const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview' }], trendsFilter: { display } };
      const query = { kind: 'InsightVizNode', source };
      const { status } = await service.post('/api/projects/@current/insights/', {
        name: display,
        query,
        dashboards: [dashboard],
      });
      expect(status).toBe(201);
    }
  });
  afterAll(async () => {
    await firefox?.close();
    await service?.close();
  });

  async function capture(batch: readonly object[]): Promise<void> {
    const body = { api_key: service.account.projectKey, historical_migration: true, batch };
    expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
  }

  /** A page at home, with a word that no other try of a story has. */
  async function atHome() {
    const page = firefoxPage(firefox);
    await firefox.replaceTab();
    await page.home(service.url, service.account);
    return { page, word: `firefox-${++stories}` };
  }

  const drawn = `!!document.querySelector('main .chart svg path')`;

  test('a question is built, has a chart and numbers, and is saved', async () => {
    const { page, word } = await atHome();
    await page.press('link', 'Insights');
    await page.press('link', 'New insight');
    await page.find('heading', 'New insight');
    await page.becomes(drawn);
    await page.becomes(`/Page view/.test(document.querySelector('main table')?.innerText)`);
    await page.press('button', 'Breakdown');
    await page.press('option', /^Browser/);
    await page.becomes(`/Safari/.test(document.querySelector('main table')?.innerText)`);
    await page.press('radio', 'Lifecycle');
    await page.becomes(`/New/.test(document.querySelector('main table')?.innerText)`);
    await page.becomes(`location.search.includes('Lifecycle')`);
    await page.press('button', 'Save');
    await page.type('Name', word);
    await page.press('button', 'Save insight');
    await page.find('heading', word);
    expect(await page.faults()).toEqual([]);
  });

  test('a dashboard is drawn, and shared by a link', async () => {
    const { page } = await atHome();
    await page.press('link', 'Dashboards');
    await page.press('link', 'Numbers');
    await page.find('link', 'BoldNumber');
    await page.becomes(`document.querySelectorAll('main .chart svg').length >= 3`);
    // tiles stand side by side and have a height: the grid is laid out
    const tiles = await firefox.evaluate<{ width: number; height: number }[]>(
      `[...document.querySelectorAll('main ul > li')].filter((item) => item.querySelector('a')).map((item) => item.getBoundingClientRect()).map(({ width, height }) => ({ width, height }))`,
    );
    expect(tiles.length).toBeGreaterThanOrEqual(3);
    for (const { width, height } of tiles) {
      expect(width).toBeGreaterThan(100);
      expect(height).toBeGreaterThan(100);
    }
    const shared = async () => {
      const { body } = await service.get(`/api/projects/@current/dashboards/${dashboard}/sharing/`);
      return body as { enabled: boolean; access_token: string };
    };
    const before = (await shared()).enabled;
    await page.press('button', 'Share');
    await page.press('switch', /^Anyone with the link/);
    await eventually(async () => expect((await shared()).enabled).toBe(!before));
    expect(await page.faults()).toEqual([]);
    if (before) return;
    const { access_token } = await shared();
    await page.find('button', 'Copy the link');
    await firefox.goto(`${service.url}/shared/${access_token}`);
    await page.shows('Numbers');
    await page.becomes(`document.querySelectorAll('svg path').length > 2`);
  });

  test('an event arrives by itself among the events, and is opened', async () => {
    const { page, word } = await atHome();
    await page.press('link', 'Events');
    await page.shows('Page view');
    await capture([{ event: word, distinct_id: 'somebody', properties: { $pathname: '/kettle' } }]);
    await page.shows(word);
    await page.press('button', new RegExp(word));
    await page.shows('/kettle');
    expect(await page.faults()).toEqual([]);
  });

  test('the snippet is copied into a page, and its first event arrives by itself and stands on a chart', async () => {
    const name = `Site ${++stories}`;
    expect((await service.post('/api/projects/', { name })).status).toBe(201);
    const { page } = await atHome();
    await page.press('button', /^Project /);
    await page.press('menuitem', name);
    await page.press('link', 'Send a first event');
    await page.find('heading', 'Install Tidemark');
    await page.shows('Waiting for the first event');
    await page.press('button', 'Copy the snippet');
    await page.find('button', 'Copied the snippet');
    const snippet = await firefox.evaluate<string>(`document.querySelector('main pre').textContent`);
    expect(snippet).toContain(`${service.url}/static/tidemark.js`);

    // somebody else visits the page; a browser that is driven says so, and would count as a bot
    const asPerson = `<script>Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })</script>`;
    const site = await startSite(() => ({
      html: `<!doctype html><title>Shop</title><body>${asPerson}<h1>Kettles</h1>${snippet}</body>`,
    }));
    const visitor = await launchFirefox();
    try {
      await visitor.goto(`${site.url}/kettles`);
      await page.find('heading', 'An event arrived');
    } finally {
      await visitor.close();
      site.close();
    }
    await page.press('link', 'See it on a chart');
    await page.find('heading', 'New insight');
    await page.becomes(drawn);
    await page.becomes(`/Page view/.test(document.querySelector('main table')?.innerText)`);
    expect(await page.faults()).toEqual([]);
  });

  test('a flag is created, released and switched', async () => {
    const { page, word } = await atHome();
    const flag = async () => (await service.get(`/api/environments/@current/feature_flags/${word}/`)).body as { active: boolean };
    await page.press('link', 'Flags');
    await page.press('link', 'New flag');
    await page.type('Key', word);
    await page.type('Percentage of condition 1', '50');
    await page.press('button', 'Create flag');
    await page.becomes(`/\\/flags\\/\\d+$/.test(location.pathname)`);
    await eventually(async () => expect(await flag()).toMatchObject({ filters: { groups: [{ rollout_percentage: 50 }] } }));
    await page.press('link', 'Flags');
    await page.find('link', word);
    await firefox.click(`label:has([aria-label="${word} is on"])`);
    await eventually(async () => expect((await flag()).active).toBe(false));
    expect(await page.faults()).toEqual([]);
  });

  test('settings are changed, the service says how it is, and a person logs out', async () => {
    const { page, word } = await atHome();
    await page.press('link', 'Settings');
    await page.type('Project name', word);
    await page.press('button', 'Save name');
    await eventually(async () => expect((await service.get('/api/projects/@current/')).body).toMatchObject({ name: word }));
    await page.press('link', 'Health');
    await page.shows('All is well');
    await page.press('link', 'Profile');
    await page.press('radio', 'Dark');
    await page.becomes(`document.documentElement.dataset.theme === 'dark'`);
    await page.press('radio', 'As the system');
    expect(await page.faults()).toEqual([]);
    await page.press('button', /Account of/);
    await page.press('menuitem', 'Log out');
    await page.find('button', 'Log in');
  });
});
