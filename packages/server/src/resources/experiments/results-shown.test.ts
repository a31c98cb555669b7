import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ExposedPerson, group, paid, experiment as startExperiment } from '../../testing/experiments.js';
import { joinService } from '../../testing/join-service.js';
import { startTestService, type TestService } from '../../testing/service.js';

/* Results of an experiment as an insight: in queries, on dashboards, on public pages and in exports. */

let it: TestService;
beforeAll(async () => {
  it = await startTestService();
});
afterAll(() => it.close());

type Body = ReturnType<typeof JSON.parse>;

async function call(method: 'GET' | 'POST' | 'PATCH' | 'PUT', url: string, body?: object): Promise<Body> {
  const answer = await it.call(method, url, body ? { body } : {});
  expect(answer.statusCode, `${method} ${url}: ${answer.body}`).toBeLessThan(300);
  return answer.json();
}

const EVENTS = { kind: 'EventsNode', event: 'paid' };
const FUNNEL = { metric_type: 'funnel', name: 'Purchases', series: [EVENTS] };
const MEAN = { metric_type: 'mean', name: 'Payments', source: { ...EVENTS, math: 'total' }, goal: 'decrease' };
const UNEVEN = 'Uneven split: do not trust these results';

/** An experiment and its project, with a dashboard of one tile that shows its results. */
async function shown(people: readonly ExposedPerson[], fields: object = { metrics: [FUNNEL] }, dates: object = {}) {
  const { url, project, results } = await startExperiment(it, people, fields, dates);
  const root = `/api/projects/${project.id}`;
  const { id, metrics } = await call('GET', url);
  const query = { kind: 'ExperimentQuery', experiment_id: id };
  const board = (await call('POST', `${root}/dashboards/`, { name: 'Checkout' })).id;
  const insight = await call('POST', `${root}/insights/`, { name: 'Buyers', query, dashboards: [board] });
  return { url, root, results, id, metrics, query, board, insight };
}

const WINNER = [...group('control', 400, paid(40)), ...group('test', 400, paid(84))];

/** The page of a dashboard or an insight, as it is published. */
async function publish(path: string): Promise<string> {
  return (await call('PATCH', `${path}sharing/`, { enabled: true })).access_token;
}
const visit = (token: string, ending = '') => it.app.inject({ url: `/shared/${token}${ending}` });

async function fileOf(root: string, body: object): Promise<Buffer> {
  const { id } = await call('POST', `${root}/exports/`, body);
  await vi.waitFor(
    async () => {
      const row = await call('GET', `${root}/exports/${id}/`);
      expect([row.has_content, row.exception]).toEqual(['true', null]);
    },
    { timeout: 60_000, interval: 30 },
  );
  return (await it.call('GET', `${root}/exports/${id}/content/`)).rawPayload;
}

async function pdfText(bytes: Uint8Array): Promise<string> {
  const document = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const { items } = await (await document.getPage(1)).getTextContent();
  await document.destroy();
  return items.map((item) => ('str' in item ? item.str : '')).join(' ');
}

describe('an experiment query', () => {
  test('has the results of the first metric, of a metric by its uuid, or of a metric that it defines', async () => {
    const { root, id, url, metrics, query } = await shown(WINNER, { metrics: [FUNNEL, MEAN] });
    const ask = async (fields: object) => (await call('POST', `${root}/query/`, { query: { ...query, ...fields } })).results;
    const results = async (uuid: string) => call('GET', `${url}results/?metric=${uuid}`);
    const first = await ask({});
    expect(first).toMatchObject({ experiment_id: id, status: 'complete', metrics: [{ name: 'Purchases' }] });
    expect(first).toEqual(await results(metrics[0].uuid));
    expect(await ask({ metric_uuid: metrics[1].uuid })).toEqual(await results(metrics[1].uuid));
    const [own] = (await ask({ metric: { ...MEAN, name: 'Mine' } })).metrics;
    expect(own.name).toBe('Mine');
    expect(own.variants).toEqual((await results(metrics[1].uuid)).metrics[0].variants);
  });

  test('has the results of several metrics by their uuids, and leaves out those that are gone', async () => {
    const { root, metrics, query } = await shown(WINNER, { metrics: [FUNNEL, MEAN, { ...FUNNEL, name: 'Others' }] });
    const [first, second] = metrics.map(({ uuid }: { uuid: string }) => uuid);
    const gone = '00000000-0000-4000-8000-000000000000';
    const ask = (metric_uuids: string[]) => it.call('POST', `${root}/query/`, { body: { query: { ...query, metric_uuids } } });
    const names = (await ask([second, gone, first])).json().results.metrics.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['Purchases', 'Payments']);
    expect((await ask([gone])).json()).toMatchObject({
      attr: 'query__metric_uuids',
      detail: 'The experiment has no such metric.',
    });
    expect((await ask([])).json()).toMatchObject({ attr: 'query__metric_uuids' });
  });

  test('follows changes of the experiment at once', async () => {
    const { root, url, query } = await shown(WINNER);
    const ask = async () => (await call('POST', `${root}/query/`, { query })).results;
    expect((await ask()).method).toBe('bayesian');
    await call('PATCH', url, { stats_config: { method: 'frequentist' } });
    expect((await ask()).method).toBe('frequentist');
    await call('POST', `${url}reset/`, {});
    expect(await ask()).toMatchObject({ status: 'draft', metrics: [] });
  });

  test.each<[string, (id: number) => object, string, string]>([
    [
      'an experiment that does not exist',
      () => ({ experiment_id: 999_999 }),
      'There is no experiment 999999.',
      'query__experiment_id',
    ],
    ['no experiment', () => ({ experiment_id: undefined }), 'This field is required.', 'query__experiment_id'],
    [
      'a metric that the experiment lacks',
      () => ({ metric_uuid: '00000000-0000-4000-8000-000000000000' }),
      'The experiment has no such metric.',
      'query__metric_uuid',
    ],
    ['a metric without a type', () => ({ metric: {} }), 'This field is required.', 'query__metric__metric_type'],
    [
      'a metric with a cohort that does not exist',
      () => ({ metric: { metric_type: 'mean', source: { ...EVENTS, properties: [{ type: 'cohort', key: 'id', value: 77 }] } } }),
      'There is no cohort 77.',
      'query',
    ],
  ])('of %s is refused', async (_, fields, detail, attr) => {
    const { root, id, query } = await shown([]);
    const answer = await it.call('POST', `${root}/query/`, { body: { query: { ...query, ...fields(id) } } });
    expect([answer.statusCode, answer.json().detail, answer.json().attr]).toEqual([400, detail, attr]);
  });

  test('is refused for a deleted experiment, and its tile says so', async () => {
    const { root, url, id, query, board, insight } = await shown(WINNER);
    const token = await publish(`${root}/dashboards/${board}/`);
    await call('PATCH', url, { deleted: true });
    const answer = await it.call('POST', `${root}/query/`, { body: { query } });
    expect([answer.statusCode, answer.json().detail]).toEqual([400, `There is no experiment ${id}.`]);
    const [tile] = (await call('GET', `${root}/dashboards/${board}/?refresh=blocking`)).tiles;
    expect([tile.insight.result, tile.error.message]).toEqual([null, `There is no experiment ${id}.`]);
    expect((await visit(token)).body).toContain('This chart has an error.');
    const csv = String(await fileOf(root, { dashboard: board, export_format: 'text/csv' }));
    expect(csv).toContain(`There is no experiment ${id}.`);
    expect(insight.id).toBeGreaterThan(0);
  });
});

describe('a tile with the results of an experiment', () => {
  test('has them on its dashboard, whose dates and filters do not apply', async () => {
    const { root, board, results } = await shown(WINNER);
    const filters = { date_from: '-7d', properties: [{ key: 'plan', value: ['none'], operator: 'exact', type: 'event' }] };
    await call('PATCH', `${root}/dashboards/${board}/`, { filters });
    const { tiles } = await call('GET', `${root}/dashboards/${board}/?refresh=blocking`);
    expect(tiles[0].error).toBeNull();
    expect(tiles[0].insight.result).toEqual((await results()).json());
  });

  test('is a picture with intervals and a table on public pages, and the same in every export', async () => {
    const { root, board, insight } = await shown(WINNER);
    const token = await publish(`${root}/dashboards/${board}/`);
    for (const range of ['', '?range=7d']) {
      const { statusCode, body } = await visit(token, range);
      expect(statusCode).toBe(200);
      expect(body).toMatch(/<title>test: \+110\.0%, from \+\d\d\.\d% to \+\d\d\d\.\d%<\/title>/);
      expect(body).toMatch(/<h2>Buyers<\/h2><p class="about">Purchases<\/p>/);
      expect(body).toMatch(/<text[^>]*>&gt;99\.9%<\/text>/);
      expect(body).toMatch(/<th[^>]*>Chance to win/);
      expect(body).not.toContain('Uneven split');
    }
    const single = await publish(`${root}/insights/${insight.id}/`);
    expect((await visit(single)).body).toContain('test: +110.0%, from ');
    expect((await visit(token, '.json')).json().tiles).toMatchObject([{ name: 'Buyers' }]);

    const csv = String(await fileOf(root, { insight: insight.id, export_format: 'text/csv' })).split('\r\n');
    expect(csv[0]).toBe('variant,people,completed,rate,chance to win,change,low,high');
    expect(csv[1]).toBe('control,400,40,0.1,,,,');
    expect(csv[2]).toMatch(/^test,400,84,0\.21,0\.9999\d+,1\.(?:1|0999)\d*,0\.\d+,\d\.\d+$/);
    const json = JSON.parse(String(await fileOf(root, { insight: insight.id, export_format: 'application/json' })));
    expect(json).toMatchObject({ name: 'Buyers', results: { metrics: [{ variants: [{ key: 'control' }, { key: 'test' }] }] } });
    const text = await pdfText(await fileOf(root, { dashboard: board, export_format: 'application/pdf' }));
    for (const word of ['Buyers', 'Purchases', 'Chance to win', 'control', '>99.9%', 'better']) expect(text).toContain(word);
    const png = await fileOf(root, { dashboard: board, export_format: 'image/png' });
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    expect((await fileOf(root, { insight: insight.id, export_format: workbook })).length).toBeGreaterThan(1000);
  });

  test('warns of an uneven split on pages and in exports', async () => {
    const { root, board, insight } = await shown([...group('control', 160, paid(20)), ...group('test', 320, paid(60))]);
    const page = (await visit(await publish(`${root}/dashboards/${board}/`))).body;
    expect(page).toMatch(new RegExp(`<text[^>]*>${UNEVEN}</text>`));
    expect(page).toMatch(new RegExp(`<p class="hidden">${UNEVEN}\\. `));
    expect(page).toMatch(/<th[^>]*>Expected<\/th>/);
    const csv = String(await fileOf(root, { insight: insight.id, export_format: 'text/csv' })).split('\r\n');
    expect(csv[0]).toBe('variant,people,expected,completed,rate,chance to win,change,low,high,note');
    expect(csv[1]).toMatch(new RegExp(`^control,160,240,.*${UNEVEN}`));
    expect(await pdfText(await fileOf(root, { dashboard: board, export_format: 'application/pdf' }))).toContain(UNEVEN);
  });

  test('colors less as better by the goal of its metric, and shows p-values of the frequentist method', async () => {
    const more = (count: number) => (i: number) => Array.from({ length: i % 3 === 0 ? count : 1 }, () => ({ event: 'paid' }));
    const people = [...group('control', 200, more(6)), ...group('test', 200, more(2))];
    const { root, board } = await shown(people, { metrics: [MEAN], stats_config: { method: 'frequentist' } });
    const { body } = await visit(await publish(`${root}/dashboards/${board}/`));
    expect(body).toMatch(/<th[^>]*>P-value/);
    expect(body).toMatch(/<circle[^>]*fill="var\(--up\)"[^>]*><title>test: −50\.\d%, from −\d\d\.\d% to −\d\d\.\d%/);
  });

  test.each<[string, () => Promise<{ root: string; board: number }>, string[]]>([
    ['nobody met a variant', () => shown([]), ['Not enough data yet', 'Nobody has seen a variant.']],
    [
      'it has not started',
      () => shown([], { metrics: [FUNNEL] }, { start_date: null, end_date: null }),
      ['Not enough data yet', 'The experiment has not started.'],
    ],
    ['it has no metric', () => shown(WINNER, { metrics: [] }), ['Not enough data yet', 'The experiment has no metric.']],
    [
      'few people met a variant',
      () => shown([...group('control', 20, paid(9)), ...group('test', 20, paid(3))]),
      ['Not enough data: 50 people needed'],
    ],
    [
      'few people completed a funnel',
      () => shown([...group('control', 60, paid(3)), ...group('test', 60, paid(30))]),
      ['Not enough data: 5 yes and 5 no needed'],
    ],
  ])('says what is missing when %s', async (_, make, texts) => {
    const { root, board } = await make();
    const { body } = await visit(await publish(`${root}/dashboards/${board}/`));
    for (const text of texts) expect(body).toContain(text);
    const pdf = await pdfText(await fileOf(root, { dashboard: board, export_format: 'application/pdf' }));
    // a narrow picture has the first words
    for (const text of texts) expect(pdf).toContain(text.split(':')[0]);
  });
});

test('a member who may not see an experiment sees its results in no query, tile, export or page of their own', async () => {
  const member = await joinService(it, 'member@example.com');
  const { root, url, query, board, insight } = await shown(WINNER);
  const as = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
    it.call(method, path, { key: member.key, ...(body ? { body } : {}) });
  const token = await publish(`${root}/dashboards/${board}/`);
  expect((await as('POST', `${root}/query/`, { query })).statusCode).toBe(200);
  await call('PUT', `${url}access_controls/`, { access_level: 'none', organization_member: member.id });

  for (const nested of [query, { kind: 'InsightVizNode', source: { ...query, source: { kind: 'TrendsQuery' } } }]) {
    expect((await as('POST', `${root}/query/`, { query: nested })).statusCode).toBe(403);
  }
  expect((await as('POST', `${root}/query/`, { query, refresh: 'force_cache' })).statusCode).toBe(403);
  expect((await as('GET', `${root}/insights/${insight.id}/?refresh=blocking`)).statusCode).toBe(403);
  expect((await as('GET', `${root}/insights/${insight.id}/`)).json()).toMatchObject({ name: 'Buyers', result: null });
  const [tile] = (await as('GET', `${root}/dashboards/${board}/`)).json().tiles;
  expect([tile.insight.result, tile.error.code]).toEqual([null, 'permission_denied']);
  const { id } = (await as('POST', `${root}/exports/`, { insight: insight.id, export_format: 'text/csv' })).json();
  await vi.waitFor(
    async () => expect((await as('GET', `${root}/exports/${id}/`)).json().exception).toContain('You do not have viewer access'),
    { timeout: 60_000, interval: 30 },
  );

  // the page of the owner stays; the member can publish none
  for (const path of [`dashboards/${board}`, `insights/${insight.id}`]) {
    const answer = await as('PATCH', `${root}/${path}/sharing/`, { enabled: true });
    expect([answer.statusCode, answer.json().detail]).toEqual([
      403,
      expect.stringContaining('it shows insights, experiments, persons or groups'),
    ]);
  }
  expect((await visit(token)).body).toContain('test: +110.0%');
  // a page that the member published before shows no results any more, also when they are in the cache
  await it.deps.db
    .updateTable('sharing_configurations')
    .set({ published_by: await userIdOf(member.key) })
    .execute();
  const hidden = (await visit(token)).body;
  expect(hidden).not.toContain('test: +110.0%');
  expect(hidden).toContain('This chart has an error.');
});

const userIdOf = async (key: string): Promise<number> => (await it.call('GET', '/api/users/@me/', { key })).json().id;
