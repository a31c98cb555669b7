import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import { putSeeded, seededData } from '../../../testing/seeded-events.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { TrendsSeries } from './line.js';

/* A trend that is shown as a single number: its points beside its total, in terms of other answers. */
const data = seededData({ seed: 1 });
const NOW = Date.UTC(2024, 3, 8, 15);

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
const dateRange = { date_from: '2024-03-20', date_to: '2024-03-27' };
const A = node('bought');
const B = node('$pageview');

test.each(['dau', 'total', 'unique_session'])('a single number of %s has its points by day, beside its total', async (math) => {
  const series = [node(null, { math }), A];
  const [number, other] = await trends({ series, dateRange, trendsFilter: { display: 'BoldNumber' } });
  const [days, daysOfOther] = await trends({ series, dateRange });
  const [total] = await trends({ series, dateRange, trendsFilter: { display: 'ActionsTable' } });
  expect(number?.sparkline).toEqual({ days: days?.days, data: days?.data });
  expect(other?.sparkline?.data).toEqual(daysOfOther?.data);
  expect(number?.aggregated_value).toBe(total?.aggregated_value);
  expect(total).not.toHaveProperty('sparkline');
});

test('a single number has hours, weeks or months as points, by its range, and none for the range that it is compared with', async () => {
  const numberOf = (range: object) =>
    trends({ series: [A], dateRange: range, compareFilter: { compare: true }, trendsFilter: { display: 'BoldNumber' } });
  const [day, before] = await numberOf({ date_from: '2024-03-20', date_to: '2024-03-20' });
  expect(day?.sparkline?.days).toHaveLength(24);
  expect(before).not.toHaveProperty('sparkline');
  const [year] = await numberOf({ date_from: '2023-03-20', date_to: '2024-03-20' });
  expect(year?.sparkline?.days).toHaveLength(53);
  expect(year?.sparkline?.data.reduce((sum, one) => sum + one, 0)).toBe(year?.aggregated_value);
  const [years] = await numberOf({ date_from: '2020-01-01', date_to: '2024-03-20' });
  expect(years?.sparkline?.days).toHaveLength(51);
});

test.each(['weekly_active', 'monthly_active', 'first_time_for_user', 'first_matching_event_for_user', 'avg_count_per_actor'])(
  'a single number of %s, which has a statement of its own, has points, too',
  async (math) => {
    const series = [node(null, { math }), A];
    const range = { dateRange: { date_from: '2024-03-10', date_to: '2024-03-18' } };
    const [number] = await trends({ series, ...range, trendsFilter: { display: 'BoldNumber' } });
    const [days] = await trends({ series, ...range });
    const [total] = await trends({ series, ...range, trendsFilter: { display: 'ActionsTable' } });
    expect(Math.max(...(days?.data ?? []))).toBeGreaterThan(0);
    expect(number?.sparkline).toEqual({ days: days?.days, data: days?.data });
    expect(number?.aggregated_value).toBe(total?.aggregated_value);
  },
);

test('weekly active by weeks: each point is of the seven days that end with its week, so that the last is the number', async () => {
  const range = { date_from: '2023-03-20', date_to: '2024-03-27' };
  const series = [node(null, { math: 'weekly_active' })];
  const [number] = await trends({ series, dateRange: range, trendsFilter: { display: 'BoldNumber' } });
  expect(number?.sparkline?.days).toHaveLength(54);
  expect(number?.sparkline?.data.at(-1)).toBe(number?.aggregated_value);
  expect(number?.aggregated_value).toBeGreaterThan(0);
});

test('a single number by a formula has the formula of its points', async () => {
  const series = [A, node(null, { math: 'weekly_active' })];
  const trendsFilter = { formula: 'A / B * 100' };
  const [number] = await trends({ series, dateRange, trendsFilter: { ...trendsFilter, display: 'BoldNumber' } });
  const [days] = await trends({ series, dateRange, trendsFilter });
  expect(number?.sparkline).toEqual({ days: days?.days, data: days?.data });
});

test.each([
  ['people', [node(null, { math: 'dau' })], {}],
  ['events', [A, B], {}],
  ['a formula', [A, B], { formula: 'A + B' }],
])('a single number of %s with a breakdown has the numbers without it in its first lines', async (_, series, filter) => {
  const trendsFilter = { ...filter, display: 'BoldNumber' };
  const query = { series, dateRange, trendsFilter, compareFilter: { compare: true } };
  const lines = await trends({ ...query, breakdownFilter: { breakdown: '$browser' } });
  const wholes = await trends(query);
  const shown = lines.filter(({ whole }) => whole);
  expect(shown.length).toBeLessThan(lines.length);
  expect(shown.map(({ order, compare_label, whole }) => ({ order, compare_label, ...whole }))).toEqual(
    wholes.map(({ order, compare_label, aggregated_value, sparkline }) => ({
      order,
      compare_label,
      aggregated_value,
      ...(sparkline && { sparkline }),
    })),
  );
  for (const line of lines) expect(line).not.toHaveProperty('sparkline');
});
