import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { experiment, group } from '../../testing/experiments.js';
import { startTestService, type TestService } from '../../testing/service.js';

/* One insight has the same numbers wherever it is shown. */

let service: TestService;
let project: string;
let board: number;
beforeAll(async () => {
  service = await startTestService();
  project = `/api/projects/${service.projectId}`;
  service.clock.advance(Date.parse('2024-05-15T12:00Z') - service.clock.now());
  const people = ['ann', 'bob', 'cem', 'dan', 'eve'];
  const batch = people.flatMap((distinct_id, person) =>
    Array.from({ length: 3 + person }, (_, index) => ({
      event: ['page', 'cart', 'buy'][(index * (person + 1)) % 3],
      distinct_id,
      timestamp: new Date(Date.parse('2024-05-06T08:00Z') + (index >> 1) * 9 * 3_600_000 + (index % 2) * 300_000).toISOString(),
      properties: { plan: person % 2 ? 'pro' : 'free', price: index + person / 4 },
    })),
  );
  await call('POST', '/batch/', { api_key: service.projectKey, batch });
  board = (await call('POST', `${project}/dashboards/`, { name: 'Numbers' })).id;
});
afterAll(() => service.close());

async function call(method: 'GET' | 'POST' | 'PATCH', url: string, body?: object): Promise<Body> {
  const answer = await service.call(method, url, body ? { body } : {});
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return String(answer.headers['content-type']).includes('json') ? answer.json() : answer.body;
}

async function exported(insight: number): Promise<Body> {
  const { id } = await call('POST', `${project}/exports/`, { insight, export_format: 'text/csv' });
  await vi.waitFor(async () => expect((await call('GET', `${project}/exports/${id}/`)).has_content).not.toBe(''), {
    timeout: 60_000,
    interval: 30,
  });
  return call('GET', `${project}/exports/${id}/content/`);
}

const dateRange = { date_from: '2024-05-06', date_to: '2024-05-09' };
const node = (event: string, fields: object = {}) => ({ kind: 'EventsNode', event, ...fields });
const entity = (id: string) => ({ id, type: 'events' });

type Body = ReturnType<typeof JSON.parse>;
type Rows = number[][];

/** Of each kind the numbers of its results, of what a public page says of them, and of a line of a table. */
interface Shown {
  query: object;
  ofResults(results: Body): Rows;
  onPage(shown: Body): Rows;
  inLine(cells: string[]): string[];
}

const data = (lines: Body): Rows => lines.map((line: Body) => line.data);
const lines = { ofResults: data, onPage: ({ series }: Body) => data(series) };

const KINDS: Readonly<Record<string, Shown>> = {
  trends: {
    query: {
      kind: 'TrendsQuery',
      series: [node('page'), node('buy', { math: 'sum', math_property: 'price' })],
      breakdownFilter: { breakdown: 'plan' },
    },
    ...lines,
    inLine: (cells) => cells.slice(2, -1),
  },
  'a funnel': {
    query: { kind: 'FunnelsQuery', series: [node('page'), node('cart'), node('buy')] },
    ofResults: (steps) => steps.map(({ count }: Body) => [count]),
    onPage: ({ groups }) => groups[0].steps.map(({ count }: Body) => [count]),
    inLine: (cells) => cells.slice(2, 3),
  },
  retention: {
    query: {
      kind: 'RetentionQuery',
      retentionFilter: { targetEntity: entity('page'), returningEntity: entity('buy'), totalIntervals: 4 },
    },
    // what lies behind the end of the range is 0 in the API, and left out where people look at it
    ofResults: (rows) =>
      rows.map(({ values }: Body, row: number) => values.slice(0, rows.length - row).map(({ count }: Body) => count)),
    onPage: ({ cohorts }) => cohorts.map(({ values }: Body) => values),
    inLine: (cells) => cells.slice(2).filter(Boolean),
  },
  stickiness: {
    query: { kind: 'StickinessQuery', series: [node('page')] },
    ...lines,
    inLine: (cells) => cells.slice(1, -1),
  },
  'a lifecycle': {
    query: { kind: 'LifecycleQuery', series: [node('page')] },
    ...lines,
    inLine: (cells) => cells.slice(2, -1),
  },
  paths: {
    query: { kind: 'PathsQuery', pathsFilter: { includeEventTypes: ['custom_event'] } },
    ofResults: (edges) => edges.map(({ value }: Body) => [value]),
    onPage: ({ edges }) => edges.map(({ value }: Body) => [value]),
    inLine: (cells) => cells.slice(2, 3),
  },
};

describe.each(Object.entries(KINDS))('%s has the same numbers', (name, { query, ofResults, onPage, inLine }) => {
  let results: Body;
  let insight: number;
  beforeAll(async () => {
    const full = { dateRange, ...query };
    results = (await call('POST', `${project}/query/`, { query: full })).results;
    insight = (await call('POST', `${project}/insights/`, { name, query: full, dashboards: [board] })).id;
    expect(
      ofResults(results)
        .flat()
        .some((number) => number > 1),
    ).toBe(true);
  });

  test('as an insight, and on its dashboard', async () => {
    expect((await call('GET', `${project}/insights/${insight}/?refresh=blocking`)).result).toEqual(results);
    const { tiles } = await call('GET', `${project}/dashboards/${board}/?refresh=blocking`);
    expect(tiles.find((tile: Body) => tile.insight?.id === insight).insight.result).toEqual(results);
  });

  test('on a public page', async () => {
    const { access_token } = await call('PATCH', `${project}/insights/${insight}/sharing/`, { enabled: true });
    const { tiles } = await call('GET', `/shared/${access_token}.json`);
    expect(onPage(tiles[0].result)).toEqual(ofResults(results));
  });

  test('in an export', async () => {
    const [, ...rows] = (await exported(insight)).trim().split('\r\n');
    expect(rows.map((row: string) => inLine(row.split(',')).map(Number))).toEqual(ofResults(results));
  });
});

test('experiments: the mean of a metric by persons is what trends count, and a funnel from the exposure on converts as many', async () => {
  const did = (variant: string, ...events: string[]) => events.map((event) => ({ event, properties: { variant } }));
  const people = [
    ...group('control', 6, (index) => did('control', ...['cart', 'buy', 'buy'].slice(0, index % 4))),
    ...group('test', 7, (index) => did('test', ...['cart', 'buy', 'buy', 'buy'].slice(0, index % 5))),
  ];
  const made = await experiment(service, people, {
    metrics: [
      { metric_type: 'mean', source: node('buy') },
      { metric_type: 'funnel', series: [node('cart'), node('buy')] },
    ],
  });
  const [mean, funnel] = (await made.results()).json().metrics;
  const ask = async (query: object) => {
    const full = { dateRange: { date_from: '2024-05-01', date_to: '2024-05-10' }, ...query };
    return (await call('POST', `/api/projects/${made.project.id}/query/`, { query: full })).results;
  };
  const trend = await ask({ kind: 'TrendsQuery', series: [node('buy')], breakdownFilter: { breakdown: 'variant' } });
  const steps = await ask({
    kind: 'FunnelsQuery',
    series: [node('$feature_flag_called'), node('cart'), node('buy')],
    breakdownFilter: { breakdown: '$feature_flag_response' },
    funnelsFilter: { breakdownAttributionType: 'step', breakdownAttributionValue: 0 },
  });
  const counted = new Map(trend.map((line: Body) => [line.breakdown_value, line.count]));
  const converted = new Map(steps.map((list: Body) => [list[0].breakdown_value[0], list.map(({ count }: Body) => count)]));
  for (const { key, exposures, value, sum } of mean.variants) {
    expect([key, sum, value * exposures]).toEqual([key, counted.get(key), expect.closeTo(sum)]);
  }
  for (const { key, step_counts } of funnel.variants) expect([key, step_counts]).toEqual([key, converted.get(key)]);
  expect(counted.size).toBe(2);
});
