import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const row = eventRow(1, { project_id: service.projectId, event: 'signed up', timestamp: service.clock.now() - 1000 });
  await service.deps.events.insert('events', [row], { token: 'one' });
});
afterAll(() => service.close());

const ask = (body: unknown, prefix = 'projects', options = {}) =>
  service.call('POST', `/api/${prefix}/${service.projectId}/query/`, { body, ...options });

describe('POST query/', () => {
  test.each(['projects', 'environments'])('events are listed below %s', async (prefix) => {
    const query = { kind: 'EventsQuery', select: ['event', 'distinct_id'] };
    const answer = await ask({ query, refresh: 'blocking', client_query_id: 'mine' }, prefix);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      results: [['signed up', 'someone']],
      columns: ['event', 'distinct_id'],
      types: ['String', 'String'],
      hasMore: false,
      limit: 100,
      offset: 0,
      timezone: 'UTC',
      query_status: null,
    });
  });

  test('events are counted by day', async () => {
    const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up', math: 'dau' }] };
    const answer = await ask({ query: { kind: 'InsightVizNode', source: query } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ is_cached: false, results: [{ count: 1, label: 'signed up' }] });
  });

  test.each<[unknown, string, string]>([
    [{ query: { kind: 'TeaQuery' } }, 'invalid_choice', 'query__kind'],
    [{ query: {} }, 'required', 'query__kind'],
    [{ query: [] }, 'invalid_input', 'query'],
    [{}, 'invalid_input', 'query'],
    [{ query: { kind: 'EventsQuery', select: ['x'] } }, 'invalid_choice', 'query__select__0'],
    [{ query: { kind: 'DataTableNode', source: { kind: 'TeaQuery' } } }, 'invalid_choice', 'query__source__kind'],
    [{ query: { kind: 'EventsQuery' }, filters_override: '-7d' }, 'invalid_input', 'filters_override'],
    [{ query: { kind: 'EventsQuery' }, variables_override: [] }, 'invalid_input', 'variables_override'],
    [{ query: { kind: 'EventsQuery' }, filters_override: { date_from: 'x' } }, 'invalid_input', 'query__after'],
  ])('%j is refused', async (body, code, attr) => {
    const answer = await ask(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ type: 'validation_error', code, attr });
  });

  test('the filters of the request override parts of a query', async () => {
    const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up' }], dateRange: { date_from: '-1d' } };
    const query = { kind: 'InsightVizNode', source };
    const results = async (body: object) => (await ask({ query, ...body })).json().results;
    const [line] = await results({ filters_override: { date_from: '-3d', date_to: null } });
    expect([line.count, line.data.length]).toEqual([1, 4]);
    const none = [{ key: 'no such', value: 'x', type: 'event' }];
    expect(await results({ filters_override: { properties: none } })).toMatchObject([{ count: 0 }]);
    expect(await results({ filters_override: { breakdown_filter: { breakdown: 'plan' } } })).toMatchObject([
      { breakdown_value: expect.any(String) },
    ]);
    expect(await results({ filters_override: {}, variables_override: null })).toMatchObject([{ count: 1 }]);
    const variable = { code_name: 'event', variableId: 'x', value: 'no such' };
    const select = 'select count() from events where event = {variables.event}';
    const sql = { query: { kind: 'HogQLQuery', query: select, variables: { x: variable } } };
    expect(await results(sql)).toEqual([[0]]);
    expect(await results({ ...sql, variables_override: { x: { ...variable, value: 'signed up' } } })).toEqual([[1]]);
  });

  test('credentials are required', async () => {
    expect((await ask({ query: { kind: 'EventsQuery' } }, 'projects', { key: null })).statusCode).toBe(401);
  });

  test('facts B.7: an invalid pattern matches nothing, and its negation only absent values', async () => {
    const matching = (operator: string, more: object[] = []) =>
      ask({ query: { kind: 'EventsQuery', properties: [{ key: 'a', operator, value: '(' }, ...more] } });
    expect((await matching('regex')).json()).toMatchObject({ results: [] });
    expect((await matching('not_regex', [{ key: 'a', operator: 'is_set' }])).json()).toMatchObject({ results: [] });
    const { results } = (
      await ask({ query: { kind: 'EventsQuery', properties: [{ key: 'a', operator: 'is_not_set' }] } })
    ).json();
    expect(results.length).toBeGreaterThan(0);
    expect((await matching('not_regex')).json()).toMatchObject({ results });
  });
});

describe('the cache of results is valid until an event is stored', () => {
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'kept' }] };
  const put = (number: number) => {
    const row = eventRow(number, { project_id: service.projectId, event: 'kept', timestamp: service.clock.now() - 1000 });
    return service.deps.events.insert('events', [row], { token: `kept-${number}` });
  };
  const answer = async (refresh?: unknown) => (await ask({ query, refresh })).json();

  test('in every refresh mode', async () => {
    await put(100);
    expect(await answer('force_cache')).toMatchObject({
      results: null,
      is_cached: false,
      last_refresh: null,
      query_status: null,
    });
    expect(await answer()).toMatchObject({ results: [{ count: 1 }], is_cached: false });
    expect(await answer()).toMatchObject({ results: [{ count: 1 }], is_cached: true });
    expect(await answer('async')).toMatchObject({ results: [{ count: 1 }], is_cached: true, query_status: null });
    expect(await answer(true)).toMatchObject({ results: [{ count: 1 }], is_cached: false });
    expect(await answer('force_blocking')).toMatchObject({ is_cached: false });
    await put(101);
    expect(await answer(false)).toMatchObject({ results: [{ count: 1 }], is_cached: true });
    expect(await answer('blocking')).toMatchObject({ results: [{ count: 2 }], is_cached: false });
    await put(102);
    const lazy = await answer('lazy_async');
    expect(lazy).toMatchObject({ results: [{ count: 2 }], is_cached: true, query_status: { query_async: true } });
    expect(await polled(lazy.query_status.id)).toMatchObject({ results: { results: [{ count: 3 }] } });
    expect(await answer()).toMatchObject({ results: [{ count: 3 }], is_cached: true });
  });

  test('a query that joins a running one has all events stored before its request', async () => {
    const first = answer('force_blocking');
    await put(103);
    expect(await answer()).toMatchObject({ results: [{ count: 4 }] });
    await first;
  });
});

describe('an answer says how it was computed', () => {
  const trends = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: "it's" }] };
  const KINDS: [string, object][] = [
    ['TrendsQuery', trends],
    ['EventsQuery', { kind: 'EventsQuery', select: ['event'], event: "it's" }],
    ['ActorsQuery', { kind: 'ActorsQuery', source: { kind: 'InsightActorsQuery', source: trends }, search: "it's" }],
    ['HogQLQuery', { kind: 'HogQLQuery', query: "select count() from events where event = 'it\\'s'" }],
    ['PathsQuery', { kind: 'PathsQuery', pathsFilter: { startPoint: "it's" } }],
  ];

  test.each(KINDS)('%s: the statements with their values, of this project alone, and their times', async (_kind, query) => {
    const { timings, clickhouse } = (await ask({ query, refresh: 'force_blocking' })).json();
    expect(timings[0]).toEqual({ k: '.', t: expect.any(Number) });
    expect(timings[1]).toEqual({ k: './statement_1', t: expect.any(Number) });
    expect(timings[0].t).toBeGreaterThanOrEqual(timings[1].t);
    expect(clickhouse).toContain("'it\\'s'");
    expect(clickhouse).not.toMatch(/\{p\d+:|settings /);
    const projects = [...clickhouse.matchAll(/project_id = (\d+)/g)].map(([, id]) => Number(id));
    expect(new Set(projects)).toEqual(new Set([service.projectId]));
  });

  test('a cached answer has the figures of its computation', async () => {
    const query = { ...trends, dateRange: { date_from: '-3d' } };
    const computed = (await ask({ query })).json();
    const cached = (await ask({ query })).json();
    expect([computed.is_cached, cached.is_cached]).toEqual([false, true]);
    expect([cached.timings, cached.clickhouse]).toEqual([computed.timings, computed.clickhouse]);
    const polling = (await ask({ query, refresh: 'force_async' })).json();
    const { results } = await polled(polling.query_status.id);
    // it may read in fewer statements than the first computation, which did not know how long they take
    expect(results).toMatchObject({
      timings: [{ k: '.' }, { k: './statement_1' }],
      clickhouse: expect.stringContaining("'it\\'s'"),
    });
  });

  test('an answer that is not there has none', async () => {
    const answer = (await ask({ query: { ...trends, dateRange: { date_from: '-4d' } }, refresh: 'force_cache' })).json();
    expect([answer.results, answer.timings, answer.clickhouse]).toEqual([null, undefined, undefined]);
  });
});

async function polled(id: string) {
  for (;;) {
    const answer = await service.call('GET', `/api/projects/${service.projectId}/query/${id}/`);
    if (answer.statusCode !== 202) return answer.json().query_status;
  }
}

describe('an asynchronous query', () => {
  const query = { kind: 'EventsQuery', select: ['event'], event: 'signed up', after: 'all' };

  test('it is polled by its name', async () => {
    const begun = await ask({ query, refresh: 'force_async', client_query_id: 'polled' });
    expect(begun.statusCode).toBe(202);
    expect(begun.json()).toMatchObject({ results: null, query_status: { id: 'polled', complete: false, results: null } });
    expect(await polled('polled')).toMatchObject({ complete: true, error: false, results: { results: [['signed up']] } });
    expect((await service.call('GET', `/api/projects/${service.projectId}/query/other/`)).statusCode).toBe(404);
  });

  test('it is cancelled by its name', async () => {
    const url = `/api/projects/${service.projectId}/query/ended/`;
    expect((await ask({ query, async: true, client_query_id: 'ended', refresh: 'force_async' })).statusCode).toBeLessThan(300);
    expect((await service.call('DELETE', url)).statusCode).toBe(204);
    expect((await service.call('GET', url)).statusCode).toBe(404);
    expect((await service.call('DELETE', url)).statusCode).toBe(204);
  });

  test('its status has the error', async () => {
    const broken = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode' }],
      interval: 'hour',
      dateRange: { date_from: '-5000d' },
    };
    await ask({ query: broken, refresh: 'force_async', client_query_id: 'failed' });
    expect(await polled('failed')).toMatchObject({ error: true, error_message: expect.stringContaining('10000 intervals') });
  });
});

test.each([
  [
    { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }], interval: 'hour', dateRange: { date_from: '-5000d' } },
    'query__interval',
  ],
  [
    {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode' }],
      interval: 'hour',
      dateRange: { date_from: '-200d' },
      breakdownFilter: { breakdown: 'a', breakdown_limit: 1000 },
    },
    'query__breakdownFilter__breakdown_limit',
  ],
  [
    { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }], breakdownFilter: { breakdown: 'a', breakdown_limit: 1001 } },
    'query__breakdownFilter__breakdown_limit',
  ],
  [
    { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }], breakdownFilter: { breakdown: [99], breakdown_type: 'cohort' } },
    'query__breakdownFilter__breakdown',
  ],
  [
    { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', properties: [{ type: 'cohort', key: 'id', value: 98 }] }] },
    'query__series__0__properties',
  ],
  [{ kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }], trendsFilter: { formula: 'A / B' } }, 'query__trendsFilter__formula'],
  [{ kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }], samplingFactor: 0 }, 'query__samplingFactor'],
])('%j is refused with the field of the fault', async (query, attr) => {
  const answer = await ask({ query });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ type: 'validation_error', attr });
});
