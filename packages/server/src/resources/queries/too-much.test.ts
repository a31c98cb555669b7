import { processorMs } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';

/*
 * Filters with very many values and conditions: they are answered, or refused, and hold up nobody.
 */

let it: TestService;
beforeAll(async () => {
  it = await startTestService();
  const rows = Array.from({ length: 30 }, (_, number) =>
    eventRow(number, {
      project_id: it.projectId,
      event: 'bought',
      timestamp: it.clock.now() - 1000,
      properties: { plan: `Plan-${number}` },
      elements_chain: `button:text="Plan-${number}"`,
    }),
  );
  await it.deps.events.insert('events', rows, { token: 'rows' });
});
afterAll(() => it.close());

const node = { kind: 'EventsNode', event: 'bought' };
const listOf = <T>(length: number, one: (index: number) => T): T[] => Array.from({ length }, (_, index) => one(index));

async function ask(properties: object[], further: object = {}) {
  const query = { kind: 'TrendsQuery', series: [node], dateRange: { date_from: '-1d' }, properties, ...further };
  const answer = await it.call('POST', `/api/projects/${it.projectId}/query/`, { body: { query } });
  const { results, code, attr, detail } = answer.json();
  return answer.statusCode === 200 ? results[0].count : { status: answer.statusCode, code, attr, detail };
}

const refused = (attr: string, detail: string) => ({ status: 400, code: 'invalid_input', attr, detail });

describe('a filter with very many values', () => {
  test('it matches the same events as separate filters with single values', async () => {
    const value = listOf(10_000, (index) => (index < 3 ? `pLAN-${index}` : `é ${index} it's`));
    expect(await ask([{ key: 'plan', value }])).toBe(3);
    expect(await ask([{ key: 'plan', operator: 'is_not', value }])).toBe(27);
  });

  test('its time grows in proportion to the number of values', async () => {
    const costs = (count: number): Promise<number> => {
      const own = performance.now();
      return processorMs(() => ask([{ key: 'plan', operator: 'exact', value: listOf(count, (index) => `${own} ${index}`) }]));
    };
    const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[1] ?? 0;
    const [few, many]: [number[], number[]] = [[], []];
    for (let run = 0; run < 3; run++) {
      few.push(await costs(1_000));
      many.push(await costs(10_000));
    }
    expect(median(many)).toBeLessThan(20 * median(few));
  });

  test.each(['icontains', 'not_icontains_multi', 'starts_with', 'not_ends_with'])('%s refuses it', async (operator) => {
    const value = listOf(2_001, (index) => `value ${index}`);
    expect(await ask([{ key: 'plan', operator, value }])).toEqual(
      refused('query__properties', 'With the cohorts and actions in them these filters have more than 2000 conditions.'),
    );
    expect(await ask([{ key: 'plan', operator, value: [...value.slice(0, 150), '-1', 'PLAN-1', '1'] }])).toEqual(
      expect.any(Number),
    );
  });
});

test('invalid patterns among many are found, and too many patterns are refused', async () => {
  const value = listOf(60, (index) => (index === 41 ? '(' : `Plan-${index}$`));
  expect(await ask([{ key: 'plan', operator: 'regex', value: value.filter((one) => one !== '(') }])).toBe(30);
  expect(await ask([{ key: 'plan', operator: 'regex', value }])).toBe(0);
  const filters = value.map((pattern) => ({ key: 'plan', operator: 'regex', value: pattern }));
  expect(await ask([{ type: 'OR', values: filters }])).toBe(30);
  expect(await ask([{ key: 'plan', operator: 'regex', value: listOf(501, String) }])).toEqual(
    refused('query__properties', 'With the cohorts and actions in them these filters have more than 500 regular expressions.'),
  );
});

test('the error of conditions that are too many together names no field that was not sent', async () => {
  const filters = listOf(199, (index) => ({ key: `a${index}`, value: 'b' }));
  const series = listOf(11, () => ({ ...node, properties: filters }));
  const detail = 'With the cohorts and actions in them these filters have more than 2000 conditions.';
  expect(await ask([], { series })).toEqual(refused('query', detail));
  expect(await ask([], { series, filterTestAccounts: true })).toEqual(refused('query__filterTestAccounts', detail));
});

describe('a statement that is too large for the engine is refused', () => {
  const detail = 'The query has too many parts. Ask with fewer series, filters or values.';

  test('by the number of its parts', async () => {
    const filters = listOf(199, (index) => ({ key: `a${index}`, operator: 'semver_caret', value: '1.2.3' }));
    expect(await ask(filters)).toEqual(refused('query', detail));
  });

  test('by its length', async () => {
    const filter = { type: 'person', key: 'a', value: ['x'.repeat(900_000)] };
    const body = { name: 'long', filters: { properties: { type: 'AND', values: [filter] } } };
    const made = await it.call('POST', `/api/projects/${it.projectId}/cohorts/`, { body });
    expect(await ask(listOf(80, () => ({ type: 'cohort', key: 'id', value: made.json().id })))).toEqual(refused('query', detail));
  });
});

test('elements are matched against many texts, and against as many selectors as there may be conditions', async () => {
  const value = listOf(150, (index) => (index < 2 ? `PLAN-${index}` : `no ${index}`));
  expect(await ask([{ type: 'element', key: 'text', value }])).toBe(2);
  expect(await ask([{ type: 'element', key: 'text', operator: 'is_not', value }])).toBe(28);
  expect(await ask([{ type: 'element', key: 'selector', value: listOf(2_001, (index) => `a.b${index}`) }])).toEqual(
    refused('query__properties', 'With the cohorts and actions in them these filters have more than 2000 conditions.'),
  );
});

test.each<[object, string, string]>([
  [
    {
      kind: 'FunnelsQuery',
      series: [node, node],
      interval: 'hour',
      dateRange: { date_from: '-400d' },
      breakdownFilter: { breakdown: 'plan', breakdown_limit: 1_000 },
      funnelsFilter: { funnelVizType: 'trends' },
    },
    'query__breakdownFilter__breakdown_limit',
    'This answer may have more than 1000000 numbers. Ask for a longer interval, a shorter range or fewer values.',
  ],
  [
    {
      kind: 'TrendsQuery',
      series: [node],
      interval: 'minute',
      dateRange: { date_from: '-6d' },
      breakdownFilter: { breakdown: 'plan', breakdown_limit: 50 },
      trendsFilter: { formulas: listOf(3, () => 'A') },
    },
    'query__breakdownFilter__breakdown_limit',
    'This answer may have more than 1000000 numbers. Ask for a longer interval, a shorter range or fewer values.',
  ],
  [{ kind: 'EventsQuery', select: listOf(201, () => 'event') }, 'query__select', 'There may be 200 columns.'],
  [{ kind: 'ActorsQuery', select: listOf(101, () => 'id') }, 'query__select', 'There may be 100 columns.'],
  [
    { kind: 'TrendsQuery', series: [node], trendsFilter: { formulas: listOf(21, () => 'A') } },
    'query__trendsFilter__formulas',
    'There may be 20 formulas.',
  ],
])('%j is refused', async (query, attr, detail) => {
  const answer = await it.call('POST', `/api/projects/${it.projectId}/query/`, { body: { query } });
  expect([answer.statusCode, answer.json()]).toMatchObject([400, { code: 'invalid_input', attr, detail }]);
});
