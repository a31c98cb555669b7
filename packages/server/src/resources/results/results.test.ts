import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let project: string;
beforeAll(async () => {
  it = await startTestService();
  project = `/api/projects/${it.projectId}`;
  await send([event('a', 'free'), event('b', 'paid'), event('c', 'paid')]);
});
afterAll(() => it.close());

const event = (person: string, plan: string) => ({ event: 'signed_up', distinct_id: person, properties: { plan } });

async function send(batch: object[]): Promise<void> {
  const answer = await it.call('POST', '/batch/', { key: null, body: { api_key: it.projectKey, batch } });
  expect(answer.statusCode).toBe(200);
}

const QUERY = {
  kind: 'InsightVizNode',
  source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed_up' }], dateRange: { date_from: '-7d' } },
};
const PAID = [{ key: 'plan', value: ['paid'], operator: 'exact', type: 'event' }];

async function api(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) {
  const answer = await it.call(method, `${project}/${path}`, { body });
  expect([answer.statusCode, answer.statusCode < 300 || answer.json()]).toEqual([method === 'POST' ? 201 : 200, true]);
  return answer.json();
}

const insightOn = (dashboards: number[], query: object = QUERY) =>
  api('POST', 'insights/', { name: 'Sign-ups', query, dashboards });
const board = (fields: object = {}) => api('POST', 'dashboards/', { name: 'D', ...fields });

describe('an insight', () => {
  test('it has no result until a refresh, and then the same result until the next', async () => {
    const { id, short_id } = await insightOn([]);
    expect(await api('GET', `insights/${id}/?filters_override={"date_from":"-3d"}`)).toMatchObject({
      result: null,
      is_cached: false,
      last_refresh: null,
    });
    const computed = await api('GET', `insights/${short_id}/?refresh=blocking&filters_override={"date_from":"-3d"}`);
    expect(computed).toMatchObject({ is_cached: false, last_refresh: expect.any(String), query_status: null });
    expect(computed.result).toMatchObject([{ label: 'signed_up', count: 3 }]);
    const cached = await api('GET', `insights/${id}/?filters_override={"date_from":"-3d"}`);
    const renamed = await api('PATCH', `insights/${id}/`, {
      query: { ...QUERY, source: { ...QUERY.source, dateRange: { date_from: '-3d' } } },
    });
    expect(renamed.result).toEqual(computed.result);
    expect(cached).toMatchObject({ is_cached: true, last_refresh: computed.last_refresh, result: computed.result });
  });

  test('it is computed in the background', async () => {
    const { id } = await insightOn([]);
    const { query_status: status } = await api('GET', `insights/${id}/?refresh=force_async`);
    expect(status).toMatchObject({ query_async: true, team_id: it.projectId });
    await expect
      .poll(async () => (await it.call('GET', `${project}/query/${status.id}/`)).json().query_status.results?.results)
      .toMatchObject([{ count: 3 }]);
  });

  test('on a dashboard it has the result with the filters of the dashboard', async () => {
    const { id: dashboard } = await board({ filters: { properties: PAID } });
    const { id: other } = await board({ filters: { date_from: '-2d', properties: [{ ...PAID[0], value: ['none'] }] } });
    const { id } = await insightOn([dashboard]);
    expect((await api('GET', `insights/${id}/?refresh=blocking&from_dashboard=${dashboard}`)).result).toMatchObject([
      { count: 2 },
    ]);
    expect((await api('GET', `insights/${id}/?refresh=blocking&from_dashboard=${other}`)).result).toMatchObject([{ count: 3 }]);
  });

  test('alone it says how it was computed, and which query it answers; in lists and tiles it does not', async () => {
    const { id: dashboard } = await board({ filters: { date_from: '-4d', properties: PAID } });
    const { id } = await insightOn([dashboard]);
    const path = `insights/${id}/?refresh=blocking&from_dashboard=${dashboard}`;
    const computed = await api('GET', path);
    expect(computed).toMatchObject({
      query: QUERY,
      effective_query: {
        ...QUERY,
        source: { ...QUERY.source, dateRange: { date_from: '-4d', date_to: null }, properties: PAID },
      },
      is_cached: false,
      // an earlier test may have read the same days
      timings: expect.arrayContaining([expect.objectContaining({ k: '.' })]),
      clickhouse: expect.stringContaining("'paid'"),
    });
    const { timings, clickhouse } = computed;
    expect(await api('GET', path)).toMatchObject({ is_cached: true, timings, clickhouse });
    expect(await api('GET', `insights/${id}/?filters_override={"date_from":"-77d"}`)).not.toHaveProperty('clickhouse');
    const [tile] = (await api('GET', `dashboards/${dashboard}/?refresh=blocking`)).tiles;
    expect(tile.insight).toMatchObject({ result: [{ count: 2 }], is_cached: true });
    const [listed] = (await api('GET', `insights/?short_id=${computed.short_id}&refresh=blocking`)).results;
    for (const short of [tile.insight, listed])
      for (const field of ['timings', 'clickhouse', 'effective_query']) expect(short).not.toHaveProperty(field);
  });

  test('the response has the error of an insight that cannot be computed', async () => {
    const { id } = await insightOn([], { kind: 'TrendsQuery', series: [] });
    const refused = await it.call('GET', `${project}/insights/${id}/?refresh=blocking`);
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { type: 'validation_error' }]);
    expect(await api('GET', `insights/${id}/`)).toMatchObject({ result: null });
  });

  test('in a list it has a result if one is cached or the request refreshes', async () => {
    const { short_id } = await insightOn([], { ...QUERY, source: { ...QUERY.source, dateRange: { date_from: '-11d' } } });
    const list = async (more: string) => (await api('GET', `insights/?short_id=${short_id}${more}`)).results[0];
    expect(await list('')).toMatchObject({ result: null });
    expect((await list('&refresh=blocking')).result).toMatchObject([{ count: 3 }]);
    expect(await list('')).toMatchObject({ is_cached: true, result: [{ count: 3 }] });
    expect(await list('&basic=true&refresh=blocking')).not.toHaveProperty('result');
  });
});

describe('a dashboard', () => {
  test('tiles are computed with the filters of the dashboard, and an error is on its tile only', async () => {
    const { id } = await board({ filters: { date_from: '-5d', properties: PAID } });
    await insightOn([id]);
    await insightOn([id], { kind: 'TrendsQuery', series: [] });
    await insightOn([id], { kind: 'PersonsNode' });
    const { tiles } = await api('GET', `dashboards/${id}/?refresh=blocking`);
    expect(tiles[0]).toMatchObject({ is_cached: false, error: null, insight: { result: [{ count: 2 }] } });
    expect(tiles[0].insight.result[0].days).toHaveLength(6);
    expect(tiles[0].last_refresh).toBe(tiles[0].insight.last_refresh);
    expect(tiles[1]).toMatchObject({ error: { type: 'validation_error' }, insight: { result: null } });
    expect(tiles[2]).toMatchObject({ error: { code: 'invalid_choice', message: '"PersonsNode" is not a valid choice.' } });
  });

  test('the breakdown of the dashboard replaces that of trends, funnels and retention; other kinds stay unchanged', async () => {
    const { id } = await board({ filters: { breakdown_filter: { breakdown: 'plan', breakdown_type: 'event' } } });
    const signedUp = { kind: 'EventsNode', event: 'signed_up' };
    const dateRange = { date_from: '-1d' };
    const own = { breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' } };
    const entity = { id: 'signed_up', type: 'events' };
    const funnel = { kind: 'FunnelsQuery', series: [signedUp, signedUp], dateRange };
    const queries = [
      { kind: 'TrendsQuery', series: [signedUp], dateRange, ...own },
      { ...funnel, ...own },
      { kind: 'RetentionQuery', dateRange, retentionFilter: { targetEntity: entity, returningEntity: entity }, ...own },
      { kind: 'LifecycleQuery', series: [signedUp], dateRange },
      { ...funnel, funnelsFilter: { funnelVizType: 'time_to_convert' } },
    ];
    for (const source of queries) await insightOn([id], { kind: 'InsightVizNode', source });
    const { tiles } = await api('GET', `dashboards/${id}/?refresh=blocking`);
    const values = (result: unknown): unknown[] =>
      [result]
        .flat(2)
        .map((one) => (typeof one === 'object' && one !== null && 'breakdown_value' in one ? one.breakdown_value : '-'));
    const shown = tiles.map(({ insight, error }: { insight: { result: unknown }; error: unknown }) => [
      error,
      [...new Set(values(insight.result).flat())].sort(),
    ]);
    const plans = [null, ['free', 'paid']];
    expect(shown).toEqual([plans, plans, plans, [null, ['-']], [null, ['-']]]);
    // what insights are by themselves stays
    expect(tiles[2].insight.query.source).toMatchObject(own);
  });

  test('a dashboard first read without results has them once they are computed', async () => {
    const { id } = await board({ filters: { date_from: '-6d' } });
    await insightOn([id]);
    const result = async (more = '') => (await api('GET', `dashboards/${id}/${more}`)).tiles[0].insight.result;
    expect([await result(), await result()]).toEqual([null, null]);
    expect(await result('?refresh=blocking')).toMatchObject([{ count: 3 }]);
    expect(await result()).toMatchObject([{ count: 3 }]);
    await send([event('d', 'paid')]);
    // what was computed before, as nobody asked for more
    expect(await result()).toMatchObject([{ count: 3 }]);
    expect(await result('?refresh=blocking')).toMatchObject([{ count: 4 }]);
    expect(await result()).toMatchObject([{ count: 4 }]);
  });

  test('filters of the query string apply to one response', async () => {
    const { id } = await board({ filters: { properties: PAID } });
    await insightOn([id]);
    const override = encodeURIComponent(JSON.stringify({ properties: [{ ...PAID[0], value: ['free'] }] }));
    const { tiles, filters } = await api('GET', `dashboards/${id}/?refresh=blocking&filters_override=${override}`);
    expect(tiles[0].insight.result).toMatchObject([{ count: 1 }]);
    expect(filters.properties[0].value).toEqual(['free']);
  });

  test('a stream computes its tiles one after the other', async () => {
    const { id } = await board();
    for (let i = 0; i < 3; i++) await insightOn([id]);
    await insightOn([id], { kind: 'PersonsNode' });
    const login = await it.call('POST', '/api/login/', {
      key: null,
      body: { email: 'owner@example.com', password: 'a long and strong passphrase 42' },
    });
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    const answer = await it.call('GET', `${project}/dashboards/${id}/stream_tiles/?refresh=blocking`, {
      key: null,
      headers: { cookie },
    });
    const messages = answer.body
      .split('\n\n')
      .filter(Boolean)
      .map((text) => JSON.parse(text.replace(/^data: /, '')));
    expect(messages.map(({ type }) => type)).toEqual(['metadata', 'tile', 'tile', 'error', 'complete']);
    expect(messages[0].dashboard.tiles[1].insight.result).toHaveLength(1);
    expect(messages[1].tile.insight.result).toHaveLength(1);
    expect(messages[3]).toMatchObject({ tile_id: messages[2].tile.id, error: expect.stringContaining('PersonsNode') });
  });
});
