import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { startSite } from '../browser-site.js';
import { type AppPage, appPage, goTo, loggedIn, settled } from '../testing/app-pages.js';
import { screensOfRouter } from '../testing/app-screens.js';
import { HACKED, HOSTILE_TEXTS } from '../testing/hostile-texts.js';
import { quietOf } from '../testing/press-all.js';
import { clicked, opened, titled } from '../testing/shared-recordings.js';
import { startForStories } from '../testing/start-for-stories.js';

let service: Service;
let browser: Browser;
let dashboard = 0;
/** The first insight, which has an alert. */
let insightWithAlert = '';

const API = '/api/projects/@current';

async function created(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await service.post(path, body);
  expect([path, answer.status, answer.status > 299 && answer.body]).toEqual([path, expect.any(Number), false]);
  return answer.body as Record<string, unknown>;
}

startForStories(async (started) => {
  dashboard = 0;
  ({ service, browser } = started);
  const batch = HOSTILE_TEXTS.map((text, at) => ({
    event: text,
    distinct_id: text,
    timestamp: new Date(Date.now() - at * 60_000).toISOString(),
    properties: { [text]: text, $current_url: text, $pathname: text, $set: { email: text, name: text, [text]: text } },
  }));
  const sent = await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } });
  expect([sent.status, sent.body]).toEqual([200, expect.anything()]);
  for (const [at, text] of HOSTILE_TEXTS.entries()) {
    const tags = [text];
    const board = await created(`${API}/dashboards/`, { name: text, description: text, tags, pinned: at < 3 });
    dashboard ||= Number(board['id']);
    const source = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: text, custom_name: text }],
      breakdownFilter: { breakdown: text, breakdown_type: 'event' },
    };
    const insight = await created(`${API}/insights/`, {
      name: text,
      description: text,
      tags,
      query: { kind: 'InsightVizNode', source },
      dashboards: [dashboard],
    });
    insightWithAlert ||= String(insight['short_id']);
    await created(`${API}/alerts/`, {
      name: text,
      insight: insight['id'],
      condition: { type: 'absolute_value' },
      threshold: { configuration: { type: 'absolute', bounds: { lower: 1_000 } } },
    });
    await created(`${API}/feature_flags/`, {
      key: `flag-${at}`,
      name: text,
      tags,
      filters: {
        groups: [{ properties: [{ key: text, type: 'person', operator: 'exact', value: [text] }], rollout_percentage: 50 }],
      },
    });
    const values = [{ type: 'person', key: text, operator: 'exact', value: [text] }];
    const filters = { properties: { type: 'AND', values: [{ type: 'AND', values }] } };
    await created(`${API}/cohorts/`, { name: text, description: text, filters });
    await created(`${API}/annotations/`, { content: text, date_marker: new Date().toISOString(), scope: 'project' });
    await created(`${API}/experiments/`, { name: text, description: text, feature_flag_key: `experiment-${at}` });
    await created(`${API}/surveys/`, {
      name: text,
      description: text,
      type: 'popover',
      questions: [{ type: 'single_choice', question: text, description: text, choices: [text, 'another'] }],
    });
    await created(`/api/environments/@current/early_access_feature/`, { name: text, description: text, stage: 'beta' });
    await created(`${API}/actions/`, { name: text, description: text, steps: [{ event: text }] });
  }
  const groups = HOSTILE_TEXTS.map((text) => ({
    event: '$groupidentify',
    distinct_id: text,
    properties: { $group_type: 'company', $group_key: text, $group_set: { name: text, [text]: text } },
  }));
  const body = { api_key: service.account.projectKey, batch: groups };
  expect((await service.call('POST', '/batch/', { key: null, body })).status).toBe(200);
  await service.call('PATCH', `${API}/`, { body: { session_recording_opt_in: true } });
  const recording = {
    $snapshot_data: [...opened(0, titled(String(HOSTILE_TEXTS[0]))), clicked(4_000)],
    $session_id: '01890000-0000-7000-8000-000000000001',
    $window_id: 'w',
    distinct_id: HOSTILE_TEXTS[0],
    token: service.account.projectKey,
  };
  expect((await service.post('/s/', [{ event: '$snapshot', properties: recording }])).status).toBe(200);
  const tiles = HOSTILE_TEXTS.map((body) => ({ text: { body }, layouts: {} }));
  expect((await service.call('PATCH', `${API}/dashboards/${dashboard}/`, { body: { tiles } })).status).toBe(200);
  await service.call('PATCH', `${API}/`, { body: { name: HOSTILE_TEXTS[1] } });
  await service.call('PATCH', '/api/users/@me/', { body: { first_name: HOSTILE_TEXTS[0], last_name: HOSTILE_TEXTS[1] } });
});

/** Opens a page that notes dialogs, scripts that ran, errors, and requests to other hosts. */
async function guardedPage() {
  const visit = await loggedIn(browser, service);
  const dialogs: string[] = [];
  visit.page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  visit.problems.length = 0;
  const faults = async () => ({
    hacked: await visit.page.evaluate<unknown>(`window.${HACKED}`),
    dialogs,
    problems: visit.problems,
    elsewhere: visit.requests.filter((url) => /^https?:/.test(url) && !url.startsWith(service.url)),
  });
  return { ...visit, faults };
}

const NO_FAULTS = { hacked: undefined, dialogs: [], problems: [], elsewhere: [] };
const flat = (text: string) => text.replace(/\s+/g, ' ');
const shownText = async (page: AppPage) => flat(await page.evaluate<string>('document.body.innerText'));
const linksOf = (page: AppPage) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('a[href^="/p/"]')].map(({ href }) => new URL(href).pathname)`);
/** The screen of an address: each has as many objects as there are hostile texts. */
const screenOf = (path: string) =>
  path
    .replace(/\/insights\/(?!(?:new|alerts)$)[^/]+/, '/insights/:id')
    .replace(/\/groups\/\d+\/.+/, '/groups/:id/:id')
    .replace(/\/(\d+|[0-9a-f-]{36})(?=\/|$)/g, '/:id');
/** Objects that are opened of each screen. */
const OF_EACH = 2;

test('no name runs as a script on any screen that a link leads to', async () => {
  const { page, project, faults, close } = await guardedPage();
  const screensOfProject = screensOfRouter().filter((one) => one.startsWith('/p/$project'));
  const withoutObject = screensOfProject.filter((one) => !one.replace('$project', '').includes('$'));
  const open = withoutObject.map((one) => one.replace('/p/$project', project).replace(/\/$/, ''));
  const seen = new Map<string, number>();
  const quiet = quietOf(page);
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const screen = screenOf(path);
    const count = seen.get(screen) ?? 0;
    if (count >= OF_EACH) continue;
    seen.set(screen, count + 1);
    // the service sends the same page for each address: to the others the app goes by its router, and what a text did stays in the page
    if (seen.size > 1) await goTo(page, path);
    else {
      await page.goto(service.url + path);
      await settled(page);
    }
    await quiet();
    expect([path, await faults()]).toEqual([path, NO_FAULTS]);
    open.push(...(await linksOf(page)));
  }
  // links have led to an object of each kind
  const known = screensOfProject.map((one) => one.replace(/\$\w+/g, ':id').replace(/\/$/, ''));
  expect(known.filter((one) => !seen.has(one))).toEqual([]);
  await close();
});

test('lists show hostile names as they are', async () => {
  const { page, project, close } = await guardedPage();
  // only rows in sight are drawn
  await page.setViewportSize({ width: 1440, height: 6_000 });
  await page.goto(`${service.url}${project}/settings/profile`);
  await settled(page);
  for (const screen of ['/dashboards', '/insights', '/flags', '/cohorts', '/experiments', '/surveys']) {
    await goTo(page, project + screen);
    const text = await shownText(page);
    const missing = HOSTILE_TEXTS.filter((one) => !text.includes(flat(one)));
    expect([screen, missing]).toEqual([screen, []]);
  }
  await close();
});

// many screens: a slow machine needs minutes
test('pickers, panels and dialogs show hostile names as text, and hostile addresses open nothing', {
  timeout: 900_000,
}, async () => {
  const { page, project, faults, close } = await guardedPage();
  await page.goto(`${service.url}${project}/insights/new`);
  await settled(page);
  await page.getByRole('button', { name: /^Series A/ }).click();
  await page
    .getByRole('option', { name: HOSTILE_TEXTS[0] ?? '' })
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Breakdown' }).click();
  await page
    .getByRole('option', { name: HOSTILE_TEXTS[1] ?? '' })
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${service.url}${project}/dashboards/${dashboard}`);
  await settled(page);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('dialog').waitFor();
  await page.goto(`${service.url}${project}/insights/${insightWithAlert}?alert=list`);
  await page
    .getByRole('complementary', { name: 'Alerts' })
    .getByText(HOSTILE_TEXTS[0] ?? '')
    .first()
    .waitFor();
  const select = `select distinct_id, properties from events where event != '$groupidentify' limit 100`;
  for (const view of ['', '&view=ranking', '&view=pie']) {
    await page.goto(`${service.url}${project}/sql?q=${encodeURIComponent(select)}${view}`);
    await settled(page);
    await page
      .getByRole('main')
      .getByText(HOSTILE_TEXTS[0] ?? '')
      .first()
      .waitFor();
  }
  expect(await faults()).toEqual(NO_FAULTS);
  const quiet = quietOf(page);
  for (const path of ['/insights/new?q=', '/events?event=', '/dashboards?search=', '/flags?search=', '/persons?search=']) {
    for (const [at, text] of HOSTILE_TEXTS.entries()) {
      const address = `${project}${path}${encodeURIComponent(text)}`;
      // the first is loaded; to the others the app goes by its router, and what a text of them did stays in the page
      if (at === 0) await page.goto(service.url + address);
      else await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await quiet();
      expect([address, await faults()]).toEqual([address, NO_FAULTS]);
    }
  }
  await close();
});

test('no other site can frame the app', async () => {
  for (const path of ['/', '/login', '/setup', '/p/1/dashboards']) {
    const { headers } = await fetch(service.url + path, { headers: { accept: 'text/html' } });
    expect([path, headers.get('content-security-policy')]).toEqual([path, expect.stringContaining("frame-ancestors 'none'")]);
  }
  const site = await startSite(() => ({ html: `<!doctype html><iframe src="${service.url}/login"></iframe>` }));
  const { page, close } = await appPage(browser);
  await page.goto(site.url);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  expect(await frame?.getByLabel('Password').count()).toBe(0);
  await close();
  site.close();
});

test('no script can read the session, and a log-out leaves nothing of the person', async () => {
  const { page, project, close } = await guardedPage();
  await page.goto(`${service.url}${project}/flags/new`);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill('secret-launch');
  const stored = () => page.evaluate<string>('JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])');
  await expect.poll(stored).toContain('secret-launch');
  const cookies = await page.context().cookies();
  expect(cookies.length).toBeGreaterThan(0);
  for (const { value, httpOnly, sameSite } of cookies) {
    expect([httpOnly, sameSite]).toEqual([true, expect.stringMatching(/Lax|Strict/)]);
    expect(await stored()).not.toContain(value);
  }
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  expect(await stored()).not.toContain('secret-launch');
  await page.goBack();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  expect(await shownText(page)).not.toContain('secret-launch');
  await close();
});

test('somebody else who logs in over an ended session gets a screen of their own', async () => {
  const { body: me } = await service.get('/api/users/@me/');
  const { organization } = me as { organization: { id: string } };
  const { id } = await created(`/api/organizations/${organization.id}/invites/`, { target_email: 'ben@example.com' });
  const password = 'correct horse of somebody else';
  const joined = await service.call('POST', `/api/signup/${id}/`, { key: null, body: { first_name: 'Ben', password } });
  expect(joined.status).toBeLessThan(300);
  const { page, project, close } = await guardedPage();
  await page.goto(`${service.url}${project}/flags/new`);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill('secret-launch');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create flag' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('E-mail').fill('ben@example.com');
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(/\/p\/\d+$/);
  await page.getByRole('button', { name: 'Account of Ben' }).waitFor();
  await page.goto(`${service.url}${project}/flags/new`);
  expect(await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()).toBe('');
  await close();
});

test('the editor and the preview keep to the policy of the page', async () => {
  const { page, problems, close } = await loggedIn(browser, service);
  await page.goto(`${service.url}/p/1/sql`);
  await page.getByRole('textbox', { name: 'SQL' }).click();
  for (const text of ['select 1 as one', 'select 2 as two']) {
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('columnheader', { name: text.slice(-3) }).waitFor();
  }
  await page.goto(`${service.url}/p/1/surveys/new`);
  const preview = page.locator('[data-preview]');
  await preview.getByRole('heading', { name: 'What could we do better?' }).waitFor();
  // Tab leaves the preview, which a widget on a page would not allow
  await preview.getByRole('textbox').focus();
  for (let step = 0; step < 3; step++) await page.keyboard.press('Tab');
  expect(await page.evaluate(`document.activeElement.localName`)).not.toBe('tidemark-survey');
  expect(problems).toEqual([]);
  await close();
});
