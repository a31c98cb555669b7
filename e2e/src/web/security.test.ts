import { type Browser, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite } from '../browser-site.js';
import { type AppPage, appPage, keepPicturesOfFailures, loggedIn, settled } from '../testing/app-pages.js';
import { HACKED, HOSTILE_TEXTS } from '../testing/hostile-texts.js';

let service: Service;
let browser: Browser;
let dashboard = 0;

const API = '/api/projects/@current';

async function created(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await service.post(path, body);
  expect([path, answer.status, answer.status > 299 && answer.body]).toEqual([path, expect.any(Number), false]);
  return answer.body as Record<string, unknown>;
}

keepPicturesOfFailures(() => browser);
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
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
    await created(`${API}/insights/`, {
      name: text,
      description: text,
      tags,
      query: { kind: 'InsightVizNode', source },
      dashboards: [dashboard],
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
    await created(`${API}/actions/`, { name: text, description: text, steps: [{ event: text }] });
  }
  const tiles = HOSTILE_TEXTS.map((body) => ({ text: { body }, layouts: {} }));
  expect((await service.call('PATCH', `${API}/dashboards/${dashboard}/`, { body: { tiles } })).status).toBe(200);
  await service.call('PATCH', `${API}/`, { body: { name: HOSTILE_TEXTS[1] } });
  await service.call('PATCH', '/api/users/@me/', { body: { first_name: HOSTILE_TEXTS[0], last_name: HOSTILE_TEXTS[1] } });
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** Opens a page that notes dialogs, scripts that ran, and requests to other hosts. */
async function guardedPage() {
  const visit = await loggedIn(browser, service);
  const dialogs: string[] = [];
  visit.page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const faults = async () => ({
    hacked: await visit.page.evaluate<unknown>(`window.${HACKED}`),
    dialogs,
    elsewhere: visit.requests.filter((url) => /^https?:/.test(url) && !url.startsWith(service.url)),
  });
  return { ...visit, faults };
}

const NO_FAULTS = { hacked: undefined, dialogs: [], elsewhere: [] };
const flat = (text: string) => text.replace(/\s+/g, ' ');
const shownText = async (page: AppPage) => flat(await page.evaluate<string>('document.body.innerText'));

test('lists show hostile names as they are', async () => {
  const { page, project, faults, close } = await guardedPage();
  for (const screen of ['/dashboards', '/insights', '/flags']) {
    await page.goto(service.url + project + screen);
    await settled(page);
    const text = await shownText(page);
    const missing = HOSTILE_TEXTS.filter((one) => !text.includes(flat(one)));
    expect([screen, missing, await faults()]).toEqual([screen, [], NO_FAULTS]);
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
