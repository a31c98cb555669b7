import type { Browser, Service } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { type AppPage, faultsInBothThemes, goTo, keepAppPicture, loggedIn, settled } from '../testing/app-pages.js';
import { expectFocus } from '../testing/focus.js';
import { axe, isTooWide, type Visit } from '../testing/public-pages.js';
import { startForStories, storeEvents } from '../testing/start-for-stories.js';

let service: Service;
let browser: Browser;
startForStories(async (started) => {
  ({ service, browser } = started);
  const batch = Array.from({ length: 60 }, (_, i) => ({
    event: i % 3 === 0 ? 'signed up' : '$pageview',
    distinct_id: `user-${i % 7}`,
    timestamp: new Date(Date.now() - (i % 10) * 86_400_000).toISOString(),
    properties: {
      $browser: i % 2 === 0 ? 'Chrome' : 'Firefox',
      $pathname: i % 4 === 0 ? '/pricing' : '/',
      $set: { email: `user-${i % 7}@example.com` },
    },
  }));
  await storeEvents(service, batch);
});

const ownerPage = (visit: Visit = {}) => loggedIn(browser, service, visit);

const heading = (page: AppPage, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
/** Chooses a kind of question, and waits until the chart of the kind before has gone. */
async function chooseKind(page: AppPage, name: string): Promise<void> {
  const kinds = page.getByRole('radiogroup', { name: 'Kind of question' });
  await kinds.getByText(name, { exact: true }).click();
  await expect.poll(() => kinds.getByRole('radio', { name }).isChecked()).toBe(true);
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
}
const numbers = (page: AppPage) => page.getByRole('region', { name: 'Numbers' });

test('the numbers below a chart have a column for each day, are sorted by their heads, and copied for spreadsheets', async () => {
  const { page, project, problems } = await ownerPage();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
  await page.goto(`${service.url}${project}/insights/new`);
  await numbers(page).getByText('Page view').waitFor();
  await page.getByRole('button', { name: 'Breakdown' }).click();
  await page
    .getByRole('group', { name: 'Of the event' })
    .getByRole('option', { name: /^Browser/ })
    .click();
  const names = numbers(page).locator('tbody td:first-child');
  await names.getByText('Firefox').waitFor();
  expect(await page.locator('.chart').getAttribute('aria-label')).toMatch(/^Chart: 3\d points from .*2 series: .*Firefox \d+/);
  const heads = await numbers(page).locator('th').allTextContents();
  expect(heads.slice(0, 2)).toEqual(['Browser', 'Total']);
  expect(heads.at(-1)).toBe('Today*');
  expect(heads.length).toBeGreaterThan(8);
  await numbers(page).getByRole('button', { name: 'Browser' }).click();
  expect(await names.allTextContents()).toEqual(['Chrome', 'Firefox']);
  await numbers(page).getByRole('button', { name: 'Browser' }).click();
  expect(await names.allTextContents()).toEqual(['Firefox', 'Chrome']);
  await page.getByRole('button', { name: 'Copy the table “Numbers”' }).click();
  const copied = String(await page.evaluate('navigator.clipboard.readText()')).split('\n');
  expect(copied.map((row) => row.split('\t')[0])).toEqual(['Browser', 'Firefox', 'Chrome']);
  expect(copied.map((row) => row.split('\t').length)).toEqual(Array(3).fill(heads.length));
  expect(problems).toEqual([]);
  await page.context().close();
});

/** The heads of the columns of the numbers that are in sight, and below none that stays when others are scrolled. */
const columnsInSight = (page: AppPage) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[role=region][aria-label=Numbers] th')].flatMap((head) => {
    const { left, width, top, height } = head.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    return over?.closest('th') === head ? [head.textContent] : [];
  })`);

test.each([1280, 360])(
  'the newest day is in sight beside the names and totals, %i pixels wide, and keys reach the oldest',
  async (width) => {
    const { page, project, problems, close } = await ownerPage({ width, height: 800 });
    await page.goto(`${service.url}${project}/insights/new`);
    await numbers(page).getByText('Page view').waitFor();
    await numbers(page).getByRole('button', { name: 'Series' }).scrollIntoViewIfNeeded();
    const heads = await numbers(page).locator('th').allTextContents();
    const [series = '', total = '', oldest = ''] = heads;
    const shown = await columnsInSight(page);
    expect(shown.slice(0, 2)).toEqual([series, total]);
    expect(shown.at(-1)).toBe('Today*');
    expect(shown).not.toContain(oldest);
    await keepAppPicture(page, `numbers-newest-${width}`);
    // heads follow each other in the order of their columns, and what has the focus is not covered
    await numbers(page).getByRole('button', { name: series }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expectFocus(page, 'two presses of Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(oldest);
    await expect.poll(() => columnsInSight(page)).toEqual(expect.arrayContaining([series, total, oldest]));
    // sorting leaves them where they are
    await page.keyboard.press('Enter');
    await numbers(page).locator('th[aria-sort]', { hasText: oldest }).waitFor();
    expect(await columnsInSight(page)).toEqual(expect.arrayContaining([series, total]));
    expect(await columnsInSight(page)).not.toContain('Today*');
    expect(problems).toEqual([]);
    await close();
  },
);

test('the tip of a chart says with which day it compares, and its lines have dots', async () => {
  const source = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: '$pageview' }],
    dateRange: { date_from: '-3d' },
    compareFilter: { compare: true },
  };
  const { body } = await service.post('/api/environments/@current/insights/', {
    name: 'Compared',
    query: { kind: 'InsightVizNode', source },
  });
  const { page, project, problems, close } = await ownerPage();
  await page.goto(`${service.url}${project}/insights/${(body as { short_id: string }).short_id}`);
  const chart = page.getByRole('group', { name: /Left and right keys read its points/ });
  await chart.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  const dayBefore = (days: number) =>
    new Date(Date.now() - days * 86_400_000).toLocaleDateString('en-US', {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    });
  const [, month = '', day = ''] = /([A-Z][a-z]+) (\d+)$/.exec(dayBefore(5)) ?? [];
  await expect.poll(() => chart.locator('.tip-head span').textContent()).toMatch(new RegExp(`^vs ${day} ${month}( \\d{4})?$`));
  expect(await chart.locator('.tip-head b').textContent()).toMatch(new RegExp(`^${dayBefore(1).slice(0, 3)} \\d+ `));
  const cells = await chart.locator('.tip td').allTextContents();
  expect(cells).toEqual(['', 'Page view', expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/), expect.any(String)]);
  expect(await chart.locator('.tip td i').count()).toBe(1);
  const dots = chart.locator('svg g[aria-hidden] circle');
  expect(await dots.evaluateAll((all) => all.map((dot) => dot.getAttribute('fill')))).toEqual(['var(--c1)']);
  await keepAppPicture(page, 'tip-compared');
  await page.keyboard.press('Escape');
  expect(await dots.count()).toBe(0);
  expect(problems).toEqual([]);
  await close();
});

test('a question is built, survives a reload, is saved, put on a dashboard and opened from there', async () => {
  const { page, project, problems } = await ownerPage();
  await page.goto(`${service.url}${project}/insights/new`);
  await numbers(page).getByText('Page view').waitFor();
  await page.getByRole('button', { name: 'Breakdown' }).click();
  const ofEvents = page.getByRole('group', { name: 'Of the event' });
  await ofEvents.getByRole('option', { name: /^Browser/ }).click();
  await numbers(page).getByText('Firefox').waitFor();
  await page.reload();
  await numbers(page).getByText('Firefox').waitFor();

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Name').fill('Views by browser');
  await page.getByRole('button', { name: 'Save insight' }).click();
  await heading(page, 'Views by browser');
  await page.getByRole('button', { name: 'Saved' }).waitFor();

  await page.goto(`${service.url}${project}/dashboards`);
  await page.getByRole('button', { name: 'New dashboard' }).first().click();
  await page.getByLabel('Name').fill('Numbers');
  await page.getByRole('button', { name: 'Create dashboard' }).click();
  await heading(page, 'Numbers');
  await page.getByRole('button', { name: 'Add', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'New insight' }).click();
  await chooseKind(page, 'Funnel');
  await numbers(page).getByText('Page view').first().waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByLabel('Name').fill('To the sign-up');
  await page.getByRole('button', { name: 'Save insight' }).click();
  await heading(page, 'To the sign-up');

  await page.goto(`${service.url}${project}/dashboards`);
  await page.getByRole('link', { name: 'Numbers' }).click();
  await page.getByRole('link', { name: 'To the sign-up' }).click();
  await heading(page, 'To the sign-up');
  await page.goBack();
  await heading(page, 'Numbers');
  expect(problems).toEqual([]);
});

test('every kind of question has an answer, and the screens keep the rules of axe in both themes', async () => {
  const { page, project, close } = await ownerPage({ bypassCSP: true, hasReducedMotion: true });
  await page.goto(`${service.url}${project}/insights/new`);
  for (const kind of ['Trends', 'Funnel', 'Retention', 'Paths', 'Lifecycle', 'Stickiness', 'SQL']) {
    await chooseKind(page, kind);
    await page.getByRole('heading', { name: 'Numbers' }).waitFor();
    await page.getByText(/^Computed/).waitFor();
    expect([kind, await faultsInBothThemes(page)]).toEqual([kind, []]);
  }
  for (const screen of ['/events', '/dashboards', '/insights', '/persons', '/recordings', '/exports', '/install']) {
    await goTo(page, project + screen);
    expect([screen, await faultsInBothThemes(page)]).toEqual([screen, []]);
  }
  await close();
});

test('no screen is wider than a phone', async () => {
  const { page, project } = await ownerPage({ width: 360, height: 740 });
  await page.goto(service.url + project);
  await settled(page);
  expect(await isTooWide(page)).toBe(false);
  for (const screen of [
    '/events',
    '/dashboards',
    '/insights',
    '/insights/new',
    '/persons',
    '/recordings',
    '/exports',
    '/install',
  ]) {
    await goTo(page, project + screen);
    expect([screen, await isTooWide(page)]).toEqual([screen, false]);
  }
});

test('a chart without data says when its event last happened, shows it with longer dates, or says that it never was sent', async () => {
  const at = new Date(Date.now() - 50 * 86_400_000);
  const rare = { event: 'rare', distinct_id: 'user-1', timestamp: at.toISOString(), properties: {} };
  await storeEvents(service, [rare]);
  const save = async (event: string, dashboards: number[] = []) => {
    const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event }], dateRange: { date_from: '-7d' } };
    const { body: saved } = await service.post('/api/environments/@current/insights/', {
      name: `Only ${event}`,
      query: { kind: 'InsightVizNode', source },
      dashboards,
    });
    return (saved as { short_id: string }).short_id;
  };
  const dashboard = (await service.post('/api/environments/@current/dashboards/', { name: 'Rare things' })).body as {
    id: number;
  };
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const [seen, never] = [await save('rare', [dashboard.id]), await save('unheard-of', [dashboard.id])];
  const { page, project } = await ownerPage();
  await page.goto(`${service.url}${project}/insights/${seen}`);
  await page.getByText(`The last one was on ${day}.`, { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Show last 90 days' }).click();
  await page.getByRole('group', { name: /Left and right keys read its points/ }).waitFor();

  await page.goto(`${service.url}${project}/insights/${never}`);
  await page.getByText('“unheard-of” was never received').waitFor();
  await page.getByRole('link', { name: 'How to send it' }).waitFor();

  await page.goto(`${service.url}${project}/dashboards/${dashboard.id}`);
  const fact = page.getByText('“unheard-of” was never received');
  await fact.waitFor();
  // it begins below the first letter of the name of its tile
  const name = page.getByRole('heading', { level: 2, name: 'unheard-of' });
  expect((await fact.boundingBox())?.x).toBe((await name.boundingBox())?.x);
  await page.getByRole('button', { name: 'Show last 90 days' }).click();
  await expect.poll(() => page.url()).toContain('from=-90d');
  await page
    .getByRole('img', { name: /^Chart:/ })
    .or(page.getByRole('group', { name: /Chart/ }))
    .first()
    .waitFor();
});

test('the people behind a point are listed by keyboard alone, and the panel is part of the address', async () => {
  const { page, project } = await ownerPage();
  await page.goto(`${service.url}${project}/insights/new`);
  await numbers(page).getByText('Page view').waitFor();
  const chart = page.getByRole('group', { name: /Left and right keys read its points/ });
  await chart.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary');
  await panel
    .getByRole('link', { name: /user-\d@example.com/ })
    .first()
    .waitFor();
  expect(page.url()).toContain('people=');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.url()).not.toContain('people=');
});

test('the people behind a step of a funnel and a cell of retention are listed by keyboard alone, and saved as a cohort', async () => {
  const { page, project, problems } = await ownerPage();
  const panel = page.getByRole('complementary');
  const chart = page.getByRole('group', { name: /Enter lists the people of one/ });
  const open = async (...keys: string[]) => {
    await chart.focus();
    for (const key of [...keys, 'Enter']) await page.keyboard.press(key);
  };
  await page.goto(`${service.url}${project}/insights/new`);
  await chooseKind(page, 'Funnel');
  await numbers(page).getByText('Of the step before').waitFor();
  await open('Home');
  await panel.getByRole('heading', { name: 'Step 1: Page view' }).waitFor();
  const people = panel.getByRole('list', { name: 'People' });
  await expect.poll(() => people.getByRole('link', { name: /user-\d@example.com/ }).count()).toBe(7);
  expect(page.url()).toContain('people=step.1.0');
  await page.reload();
  await people.getByRole('link').first().waitFor();
  await panel.getByRole('button', { name: 'Save as cohort' }).click();
  await page.getByLabel('Name').fill('Looked at a page');
  await page.getByRole('button', { name: 'Save cohort' }).click();
  await page.getByText('Cohort "Looked at a page" has 7 people.').waitFor();
  const { body } = await service.get('/api/projects/@current/cohorts/');
  expect((body as { results: object[] }).results).toMatchObject([{ name: 'Looked at a page', is_static: true, count: 7 }]);
  await panel.getByRole('button', { name: 'Close' }).click();

  await chooseKind(page, 'Retention');
  await page.getByRole('region', { name: 'Numbers' }).getByText('Cohort').waitFor();
  await open('End');
  await panel
    .getByText(/Came back in day|Began/)
    .first()
    .waitFor();
  expect(page.url()).toContain('people=cohort.');
  await page.keyboard.press('Escape');

  for (const kind of ['Lifecycle', 'Stickiness']) {
    await chooseKind(page, kind);
    await page.getByRole('heading', { name: 'Numbers' }).waitFor();
    await page.getByRole('group', { name: /keys read its points/ }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await panel.getByRole('searchbox', { name: 'Search these people' }).waitFor();
    await expect.poll(() => panel.getByRole('status', { name: 'Loading' }).count()).toBe(0);
    expect([kind, await panel.getByText('People could not be loaded').count()]).toEqual([kind, 0]);
    await page.keyboard.press('Escape');
  }
  expect(problems).toEqual([]);
});

test('an answer says how it was computed, and its SQL stands beside the API call', async () => {
  const { page, project, problems } = await ownerPage({ bypassCSP: true });
  await page.goto(`${service.url}${project}/insights/new`);
  await numbers(page).getByText('Page view').waitFor();
  await page.getByRole('button', { name: /^Computed/ }).click();
  const how = page.getByRole('dialog', { name: 'How this was computed' });
  await how.getByText('40 events').waitFor();
  await how.getByText('It counts events.').waitFor();
  await how.getByText(/^[\d.]+ ?(ms|s)$/).waitFor();
  await how.getByText(/from events/).waitFor();
  // the hidden button by which screen readers close what popped up stands outside of the dialog
  expect((await axe(page)).filter((fault) => !fault.startsWith('moderate region: body > div'))).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'As API call' }).click();
  await page.getByRole('tab', { name: 'SQL' }).click();
  await page
    .getByRole('tabpanel')
    .getByText(/from events/)
    .waitFor();
  expect(problems).toEqual([]);
});

test('an event that was refused is listed with what was wrong with it', async () => {
  const event = { event: 'at some time', distinct_id: 'user-1', timestamp: 'yesterday' };
  const body = JSON.stringify({ api_key: service.account.projectKey, batch: [event] });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${service.url}/batch/`, { method: 'POST', headers, body })).status).toBe(200);
  const { page, project } = await ownerPage();
  await expect
    .poll(
      async () => {
        await page.goto(`${service.url}${project}/events`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        return page.getByRole('button', { name: '1 refused or mended' }).count();
      },
      { interval: 1_000 },
    )
    .toBe(1);
  await page.getByRole('button', { name: '1 refused or mended' }).click();
  const panel = page.getByRole('complementary');
  await panel.getByText('An event had no valid time').waitFor();
  await panel.getByText('at some time', { exact: true }).waitFor();
  await panel.getByText('timestamp', { exact: true }).waitFor();
  await panel.getByText('"yesterday"').waitFor();
  await panel.getByText(/Send the time as ISO 8601/).waitFor();
  expect(page.url()).toContain('refused=');
});

test('two people at one dashboard see each other’s changes, and none overwrites the other unseen', async () => {
  const { body } = await service.get('/api/projects/@current/dashboards/');
  const id = (body as { results: { id: number }[] }).results[0]?.id;
  const [ada, ben] = [await ownerPage(), await ownerPage()];
  for (const { page, project } of [ada, ben]) {
    await page.goto(`${service.url}${project}/dashboards/${id}?edit=1`);
    await page.getByRole('button', { name: 'Save layout' }).waitFor();
    await page.getByRole('group', { name: /column 1, row 1/ }).focus();
    await page.keyboard.press('Shift+ArrowDown');
  }
  await ada.page.getByRole('button', { name: 'Save layout' }).click();
  await ada.page.getByRole('button', { name: 'Edit layout' }).waitFor();
  await ben.page.getByText(/has changed this dashboard meanwhile/).waitFor();
  await ben.page.getByRole('button', { name: 'Save layout' }).click();
  // the refusal leads to the present version, and saving again is based on it
  await ben.page.getByText(/Look at the change, then save again/).waitFor();
  await ben.page.getByRole('button', { name: 'Save layout' }).click();
  await ben.page.getByRole('button', { name: 'Edit layout' }).waitFor();
});
