import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastDays } from '../../testing/public-dashboards.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let project: string;
let board: number;
let path: string;
let token: string;
beforeAll(async () => {
  it = await startTestService();
  project = `/api/projects/${it.projectId}`;
  const batch = ['free', 'paid', 'paid'].map((plan, i) => ({ event: 'signed_up', distinct_id: `p${i}`, properties: { plan } }));
  const sent = await it.call('POST', '/batch/', { key: null, body: { api_key: it.projectKey, batch } });
  expect(sent.statusCode).toBe(200);
  board = (await api('POST', 'dashboards/', { name: 'Numbers' })).id;
  path = `dashboards/${board}/sharing/`;
  token = (await api('PATCH', path, { enabled: true })).access_token;
});
afterAll(() => it.close());

async function api(method: 'POST' | 'PATCH', to: string, body: object) {
  const answer = await it.call(method, `${project}/${to}`, { body });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.json();
}
const insight = (name: string, query: object) => api('POST', 'insights/', { name, query, dashboards: [board] });
const visit = (url: string) => it.app.inject({ url });

test('has no legends when they are not wanted', async () => {
  await insight('By plan', {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'signed_up' }],
    breakdownFilter: { breakdown: 'plan', breakdown_type: 'event' },
  });
  const marks = async () => (await visit(`/shared/${token}`)).body.match(/<text[^>]*>(free|paid)<\/text>/g) ?? [];
  expect((await marks()).length).toBeGreaterThan(0);
  await api('PATCH', path, { settings: { legend: false } });
  expect(await marks()).toEqual([]);
  await api('PATCH', path, { settings: { legend: true } });
  expect((await marks()).length).toBeGreaterThan(0);
});

test('shows a title with signs of replacement patterns as it is', async () => {
  await insight("Costs $& $` $' $1", { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed_up' }] });
  const { body } = await visit(`/shared/${token}`);
  expect(body.match(/aria-label="Costs [^"]*/g)?.[0]).toMatch(/^aria-label="Costs \$&amp; \$` \$(&#39;|') \$1/);
  expect(body.match(/<svg /g)?.length).toBe(body.match(/<\/svg>/g)?.length);
});

test('draws SQL by its chart settings, and never shows how it is written', async () => {
  const query = 'select properties.plan as plan, count() as n from events group by plan order by plan';
  const settings = {
    xAxis: { column: 'plan' },
    yAxis: [{ column: 'n', settings: { display: { label: 'Sign-ups of a plan' } } }],
  };
  const node = (display: string) => ({
    kind: 'DataVisualizationNode',
    source: { kind: 'HogQLQuery', query },
    display,
    chartSettings: settings,
  });
  await insight('Bars', node('ActionsBar'));
  await insight('A number', node('BoldNumber'));
  await insight('A table', node('ActionsTable'));
  const { body } = await visit(`/shared/${token}`);
  expect(body).toContain('aria-label="Bars: chart');
  expect(body).toContain('<th scope="col" data-ordered>Plan</th><th scope="col" class="num">Sign-ups of a plan</th>');
  expect(body).toMatch(/<p class="big">1<\/p>\s*<\/article>/);
  expect(body).toContain('aria-label="A table: numbers"');
  const answer = (await visit(`/shared/${token}.json`)).body;
  expect(JSON.parse(answer).tiles.find(({ name }: { name: string }) => name === 'Bars').result).toMatchObject({
    display: 'bar',
    labels: ['free', 'paid'],
    series: [{ label: 'Sign-ups of a plan', data: [1, 2] }],
  });
  for (const text of [body, answer]) expect(text).not.toMatch(/select|group by/i);
});

test('says in its head which days most charts show, and at the other charts which they show', async () => {
  const by = (date_from: string) => ({
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'x' }],
    dateRange: { date_from },
  });
  const { id } = await api('POST', 'dashboards/', { name: 'Days' });
  for (const days of ['-30d', '-30d', '-3d', '-3h'])
    await api('POST', 'insights/', { name: `Of ${days}`, query: by(days), dashboards: [id] });
  await api('POST', 'insights/', { name: 'Of SQL', query: { kind: 'HogQLQuery', query: 'select 1' }, dashboards: [id] });
  await api('POST', 'insights/', { name: 'Also', query: by('-30d'), dashboards: [id] });
  const { access_token } = await api('PATCH', `dashboards/${id}/sharing/`, { enabled: true });
  const { body } = await visit(`/shared/${access_token}`);
  expect(/<div class="bar">.*?<p>(.*?)<\/p>/s.exec(body)?.[1]).toBe(`${lastDays(it, 30)}, times in UTC`);
  const titled = [...body.matchAll(/<h2>([^<]*)<\/h2>(?:<p class="about">([^<]*)<\/p>)?/g)].map(([, title, days]) => [
    title,
    days,
  ]);
  expect(titled).toEqual([
    ['Of -30d', undefined],
    ['Of -30d', undefined],
    ['Of -3d', lastDays(it, 3)],
    ['Of -3h', 'Last 3 hours'],
    ['Of SQL', undefined],
    ['Also', undefined],
  ]);
});

test('shows retention as a table, a number with its change, and a bar behind the numbers that a table is sorted by', async () => {
  await insight('Coming back', {
    kind: 'RetentionQuery',
    dateRange: { date_from: '-7d' },
    retentionFilter: {
      period: 'Week',
      totalIntervals: 2,
      targetEntity: { id: 'signed_up', type: 'events' },
      returningEntity: { id: 'signed_up', type: 'events' },
    },
  });
  await insight('Sign-ups so far', {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'signed_up' }],
    trendsFilter: { display: 'BoldNumber' },
    compareFilter: { compare: true },
  });
  const query = 'select n, n * 2 as twice from (select arrayJoin([30, 20, 10]) as n) order by n desc';
  await insight('Sorted', { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query } });
  const { body, headers } = await visit(`/shared/${token}`);
  // the people of this week, which is not over
  expect(body).toMatch(
    /<th scope="row">\d+ \w{3}<\/th><td class="num">3\*<\/td><td class="first" title="\d+ \w{3}, week 0 \([^"]*\): 3 people began, so far">100<\/td>/,
  );
  expect(body).toContain('<td class="num" title="3 so far">3*</td>');
  expect(body).toContain(
    '<thead><tr><th scope="col">Cohort</th><th scope="col" class="num">People</th><th scope="col" class="num">Week 0</th>',
  );
  expect(body).toMatch(/<p class="big">3<\/p><p class="change"><span>vs 0<\/span><\/p>/);
  expect(body).toContain('aria-sort="descending"');
  expect(body).toContain(
    '<td class="num has-bar"><svg aria-hidden="true"><rect width="66.7%" height="100%" rx="4"/></svg><span>20</span></td>',
  );
  // the policy of pages forbids inline styles
  expect(headers['content-security-policy']).not.toContain('unsafe-inline');
  expect(body).not.toMatch(/ style="/);
});

test('wraps long texts of tables, so that the columns beside them are visible', async () => {
  const long = 'a text that goes on and on, so that nothing would stand beside it';
  await insight('Texts', {
    kind: 'DataVisualizationNode',
    source: { kind: 'HogQLQuery', query: `select 'short' as a, '${long}' as b, 7 as c` },
  });
  const { body } = await visit(`/shared/${token}`);
  expect(body).toContain(`<tr><td>short</td><td class="long">${long}</td><td class="num">7</td></tr>`);
});

test('draws goals, axes and formats as they are set, and shows of a table what it shows and no more', async () => {
  const source = {
    kind: 'HogQLQuery',
    query: "select properties.plan as plan, count() * 617.25 as money, 'hush' as hidden from events group by plan order by plan",
  };
  const money = { column: 'money', settings: { formatting: { prefix: '€', decimalPlaces: 2 }, display: { label: 'Money' } } };
  const chartSettings = { yAxis: [money], goalLines: [{ label: 'What we aim at', value: 2000 }] };
  await insight('With a goal', { kind: 'DataVisualizationNode', source, display: 'ActionsBar', chartSettings });
  const tableSettings = { columns: [{ column: 'plan' }, money], showTotalRow: true };
  await insight('Two columns', { kind: 'DataVisualizationNode', source, display: 'ActionsTable', tableSettings });
  const { body } = await visit(`/shared/${token}`);
  expect(body).toMatch(/<text[^>]*>What we aim at<\/text>/);
  expect(body).toContain('<th scope="col">plan</th><th scope="col" class="num">Money</th>');
  expect(body).toContain('<tfoot><tr><td>Total</td><td class="num">€1,851.75</td></tr></tfoot>');
  const answer = (await visit(`/shared/${token}.json`)).body;
  const { result } = JSON.parse(answer).tiles.find(({ name }: { name: string }) => name === 'Two columns');
  expect(result).toMatchObject({
    columns: ['plan', 'money'],
    rows: [
      ['free', 617.25],
      ['paid', 1234.5],
    ],
  });
  for (const text of [body, answer]) expect(text).not.toContain('hush');
});
