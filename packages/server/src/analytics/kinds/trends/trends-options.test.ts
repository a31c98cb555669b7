import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { eventRow, type TestEvents, testEvents } from '../../../testing/events.js';
import { naiveNumber } from '../../../testing/naive-trends.js';
import { putSeeded, seededData } from '../../../testing/seeded-events.js';
import { trendsLines } from '../../../testing/trends-lines.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { TrendsSeries } from './line.js';

/*
 * What is made of the numbers, on a fixed set of data: golden answers, and answers in terms of others.
 */
const data = seededData({ seed: 1 });
const NOW = Date.UTC(2024, 3, 8, 15);
const DAY = 86_400_000;

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putSeeded(events, data);
});
afterAll(() => events.close());

async function trends(query: object, timezone = 'UTC'): Promise<TrendsSeries[]> {
  const parsed = validate(querySchema, { kind: 'TrendsQuery', ...query });
  const { results } = await runQuery(events.store, parsed, { projectId: 1, timezone, now: NOW });
  // biome-ignore lint/suspicious/noExplicitAny: what kind of result it is was said by the query
  return results as any;
}

const node = (event: string | null, more: object = {}) => ({ kind: 'EventsNode', event, ...more });
const sums = (lines: readonly TrendsSeries[]) => lines.map(({ label, count }) => [label, count]);

describe('golden results', () => {
  test('of each event', async () => {
    const series = ['$pageview', 'signed up', 'bought', null].map((event) => node(event));
    expect(sums(await trends({ series, dateRange: { date_from: 'all' } }))).toMatchInlineSnapshot(`
      [
        [
          "$pageview",
          1473,
        ],
        [
          "signed up",
          522,
        ],
        [
          "bought",
          479,
        ],
        [
          "All events",
          3000,
        ],
      ]
    `);
  });

  test('of weeks in New York', async () => {
    const query = {
      series: [node('bought', { math: 'sum', math_property: 'amount' })],
      interval: 'week',
      dateRange: { date_from: '-4w' },
    };
    const [line] = await trends(query, 'America/New_York');
    expect(line).toMatchInlineSnapshot(`
      {
        "action": {
          "custom_name": null,
          "id": "bought",
          "math": "sum",
          "math_group_type_index": null,
          "math_property": "amount",
          "name": "bought",
          "order": 0,
          "type": "events",
        },
        "count": 1443.5,
        "data": [
          272,
          362,
          375,
          391,
          43.5,
        ],
        "days": [
          "2024-03-10",
          "2024-03-17",
          "2024-03-24",
          "2024-03-31",
          "2024-04-07",
        ],
        "label": "bought",
        "labels": [
          "11–16 Mar",
          "17–23 Mar",
          "24–30 Mar",
          "31-Mar – 6-Apr",
          "7–8 Apr",
        ],
        "order": 0,
      }
    `);
  });

  test('of browsers and plans', async () => {
    const breakdownFilter = { breakdowns: [{ property: '$browser' }, { property: 'plan', type: 'person' }], breakdown_limit: 3 };
    const lines = await trends({
      series: [node('$pageview', { math: 'dau' })],
      breakdownFilter,
      dateRange: { date_from: '-30d' },
    });
    expect(lines.map(({ label, breakdown_value, count }) => ({ label, breakdown_value, count }))).toMatchInlineSnapshot(`
      [
        {
          "breakdown_value": [
            "Chrome",
            "team",
          ],
          "count": 155,
          "label": "Chrome::team",
        },
        {
          "breakdown_value": [
            "Safari",
            "team",
          ],
          "count": 92,
          "label": "Safari::team",
        },
        {
          "breakdown_value": [
            "$$_posthog_breakdown_null_$$",
            "team",
          ],
          "count": 152,
          "label": "None::team",
        },
        {
          "breakdown_value": [
            "$$_posthog_breakdown_other_$$",
            "$$_posthog_breakdown_other_$$",
          ],
          "count": 576,
          "label": "Other::Other",
        },
      ]
    `);
  });

  test('of ranges of a number', async () => {
    const breakdownFilter = { breakdown: 'amount', breakdown_histogram_bin_count: 3 };
    expect(
      sums(await trends({ series: [node('bought')], breakdownFilter, dateRange: { date_from: '-30d' } })),
    ).toMatchInlineSnapshot(`
      [
        [
          "[-3,2.16666666667]",
          140,
        ],
        [
          "[2.16666666667,7.33333333333]",
          128,
        ],
        [
          "[7.33333333333,12.5]",
          70,
        ],
        [
          "None",
          141,
        ],
      ]
    `);
  });
});

describe('display of the results', () => {
  const dateRange = { date_from: '2024-03-20', date_to: '2024-03-27' };
  const A = node('bought');
  const B = node('$pageview');

  test('a formula of two series is computed for equal breakdown values', async () => {
    const breakdownFilter = { breakdown: '$browser', breakdown_limit: 2 };
    const bought = await trends({ series: [A], breakdownFilter, dateRange });
    const made = await trends({ series: [A, B], breakdownFilter, dateRange, trendsFilter: { formula: '100 * A / (A + B)' } });
    expect(new Set(made.map((line) => line.breakdown_value))).toEqual(new Set(bought.map((line) => line.breakdown_value)));
    for (const line of made) {
      const { breakdown_value: value } = line;
      const fits = (browser: unknown) =>
        value === '$$_posthog_breakdown_null_$$' ? !browser : typeof browser === 'string' && browser === value;
      if (value === '$$_posthog_breakdown_other_$$') continue;
      const numbers = (event: string) =>
        line.days.map((day) => {
          const from = Date.parse(`${day}T00:00:00Z`);
          return naiveNumber(data, { event }, { from, to: from + DAY }, 'UTC', (row) => fits(row.properties['$browser']));
        });
      const [a, b] = [numbers('bought'), numbers('$pageview')];
      expect(line.data).toEqual(a.map((one, index) => (one + (b[index] ?? 0) === 0 ? 0 : (100 * one) / (one + (b[index] ?? 0)))));
      expect(line).toMatchObject({ action: null, order: 0 });
    }
  });

  test('several formulas have names', async () => {
    const formulaNodes = [{ formula: 'A', custom_name: 'Purchases' }, { formula: 'A / 0' }];
    const lines = await trends({ series: [A], dateRange, trendsFilter: { formulaNodes } });
    expect(lines.map(({ label, order }) => [label, order])).toEqual([
      ['Purchases', 0],
      ['Formula (A / 0)', 1],
    ]);
    expect(lines[1]?.count).toBe(0);
  });

  test('cumulative sums and moving averages', async () => {
    const [plain] = await trends({ series: [A], dateRange });
    const raw = plain?.data ?? [];
    const [cumulative] = await trends({ series: [A], dateRange, trendsFilter: { display: 'ActionsLineGraphCumulative' } });
    expect(cumulative?.data).toEqual(raw.map((_, index) => raw.slice(0, index + 1).reduce((sum, one) => sum + one, 0)));
    expect(cumulative?.count).toBe(plain?.count);
    const [smooth] = await trends({ series: [A], dateRange, trendsFilter: { smoothingIntervals: 3 } });
    const mean = (list: number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;
    expect(smooth?.data).toEqual(raw.map((_, index) => mean(raw.slice(Math.max(0, index - 2), index + 1))));
  });

  test('totals of the whole period', async () => {
    const [line] = await trends({ series: [node(null, { math: 'dau' })], dateRange, trendsFilter: { display: 'BoldNumber' } });
    const from = Date.UTC(2024, 2, 20);
    const expected = naiveNumber(data, { event: null, math: 'dau' }, { from, to: from + 8 * DAY }, 'UTC', () => true);
    expect(line).toMatchObject({ aggregated_value: expected, data: [], days: [] });
  });

  test.each([
    ['the days before', {}, ['2024-03-12', '2024-03-19']],
    ['a month before', { compare_to: '-1m' }, ['2024-02-20', '2024-02-27']],
    ['a week before', { compare_to: '-1w' }, ['2024-03-13', '2024-03-20']],
  ])('compared with %s', async (_, more, [date_from, date_to]) => {
    const lines = await trends({ series: [B], dateRange, compareFilter: { compare: true, ...more } });
    const [current] = await trends({ series: [B], dateRange });
    const [before] = await trends({ series: [B], dateRange: { date_from, date_to } });
    expect(lines).toEqual([
      { ...current, compare: true, compare_label: 'current' },
      { ...before, compare: true, compare_label: 'previous' },
    ]);
  });

  test('a comparison across a change of the clocks is from midnight to midnight', async () => {
    const range = { date_from: '2024-03-31', date_to: '2024-04-03' };
    const lines = await trends({ series: [B], dateRange: range, compareFilter: { compare: true } }, 'Europe/Berlin');
    const before = await trends({ series: [B], dateRange: { date_from: '2024-03-27', date_to: '2024-03-30' } }, 'Europe/Berlin');
    expect(lines[1]).toMatchObject({ data: before[0]?.data, days: before[0]?.days });
  });

  test('with a breakdown the series of the comparison period sum to its total', async () => {
    const breakdownFilter = { breakdown: '$browser', breakdown_limit: 1 };
    const lines = await trends({ series: [A], dateRange, breakdownFilter, compareFilter: { compare: true } });
    const before = lines.filter((line) => line.compare_label === 'previous');
    const [whole] = await trends({ series: [A], dateRange: { date_from: '2024-03-12', date_to: '2024-03-19' } });
    expect(before.reduce((sum, { count }) => sum + count, 0)).toBe(whole?.count);
  });

  test('a sample has the same persons in every query', async () => {
    const sample = async (samplingFactor: number, math: string) =>
      (await trends({ series: [node(null, { math })], dateRange, samplingFactor }))[0]?.data ?? [];
    expect(await sample(1, 'total')).toEqual((await trends({ series: [node(null)], dateRange }))[0]?.data);
    const [events, persons, average] = await Promise.all(
      ['total', 'dau', 'avg_count_per_actor'].map((math) => sample(0.5, math)),
    );
    for (const [index, count] of (events ?? []).entries()) {
      const people = persons?.[index] ?? 0;
      expect(average?.[index] ?? 0).toBeCloseTo(people === 0 ? 0 : count / people, 9);
      // an estimate of the whole: of so few persons half stand for twice as many
      expect(people % 2).toBe(0);
    }
    const sum = (list: readonly number[] = []) => list.reduce((all, one) => all + one, 0);
    const share = sum(persons) / sum(await sample(1, 'dau'));
    expect(share).toBeGreaterThan(0.5);
    expect(share).toBeLessThan(1.5);
  });

  test('dates can be instants', async () => {
    const range = { date_from: '2024-03-20T06:00:00', date_to: '2024-03-21T18:00:00', explicitDate: true };
    const [line] = await trends({ series: [node(null)], dateRange: range }, 'Asia/Tokyo');
    const within = (from: number, to: number) => naiveNumber(data, { event: null }, { from, to }, 'UTC', () => true);
    const [a, midnight, z] = [Date.UTC(2024, 2, 19, 21), Date.UTC(2024, 2, 20, 15), Date.UTC(2024, 2, 21, 9)];
    expect(line?.data).toEqual([within(a, midnight), within(midnight, z)]);
  });
});

test('a breakdown by two properties separates texts that JSON can escape in several ways', async () => {
  const odd = ['\u2028', '\u0007\u001f', '/"\\', 'é🙂', ''];
  const places = odd.flatMap((a) => odd.map((b) => ({ a, b })));
  const rows = places.map((properties, index) => ({ ...eventRow(index, { event: 'odd', properties }), timestamp: NOW - DAY }));
  await events.put('events', rows);
  const breakdownFilter = { breakdowns: [{ property: 'a' }, { property: 'b' }] };
  const query = { breakdownFilter, dateRange: { date_from: '-2d' }, trendsFilter: { formula: 'A + B' } };
  const lines = await trends({ ...query, series: [node('odd'), node('odd', { math: 'dau' })] });
  const found = lines.map(({ breakdown_value: value, count }) => [value, count]);
  const named = (text: string) => text || '$$_posthog_breakdown_null_$$';
  expect(new Map(found.map(([value, count]) => [JSON.stringify(value), count]))).toEqual(
    new Map(places.map(({ a, b }) => [JSON.stringify([named(a), named(b)]), 2])),
  );
});

test('a world map has every country, unless the request limits them', async () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({
    ...eventRow(index, { event: 'visit', timestamp: Date.UTC(2024, 2, 20), properties: { country: `C${index}` } }),
    project_id: 77,
  }));
  await events.put('events', rows);
  const map = async (more: object) => {
    const parsed = validate(querySchema, {
      kind: 'TrendsQuery',
      series: [node('visit')],
      dateRange: { date_from: '2024-03-20', date_to: '2024-03-20' },
      breakdownFilter: { breakdown: 'country', ...more },
      trendsFilter: { display: 'WorldMap' },
    });
    const result = await runQuery(events.store, parsed, { projectId: 77, timezone: 'UTC', now: Date.UTC(2024, 3, 1) });
    return trendsLines(result).map(({ breakdown_value }) => breakdown_value);
  };
  expect(await map({})).toHaveLength(40);
  expect(await map({ breakdown_limit: 10 })).toHaveLength(11);
});

test.each(['hideWeekends', 'excludeIncompletePeriods'])('%s is refused, because it would change the results', (field) => {
  const query = (value: unknown) => ({ kind: 'TrendsQuery', series: [node('visit')], trendsFilter: { [field]: value } });
  expect(querySchema.safeParse(query(false)).success).toBe(true);
  expect(querySchema.safeParse(query(true)).error?.issues[0]?.path).toEqual(['trendsFilter', field]);
});

const VIRTUAL = '$virt_initial_channel_type';
test.each([
  [
    { series: [node('visit', { properties: [{ type: 'person', key: VIRTUAL, value: 'Direct' }] })] },
    'series__0__properties__0__key',
  ],
  [{ series: [node('visit')], breakdownFilter: { breakdown: VIRTUAL, breakdown_type: 'person' } }, 'breakdownFilter__breakdown'],
  [{ series: [node('visit', { math: 'sum', math_property: '$virt_revenue' })] }, 'series__0__math_property'],
  [
    { series: [node('visit', { math: 'sum', math_property: 'x', math_property_type: 'session_properties' })] },
    'series__0__math_property',
  ],
  [
    { series: [node('visit')], breakdownFilter: { breakdown: '$channel_type', breakdown_type: 'session' } },
    'breakdownFilter__breakdown',
  ],
])('%j is refused at %s, because it cannot be computed', (query, attr) => {
  const refused = expect.objectContaining({ body: expect.objectContaining({ attr }) });
  expect(() => validate(querySchema, { kind: 'TrendsQuery', ...query })).toThrow(refused);
});
