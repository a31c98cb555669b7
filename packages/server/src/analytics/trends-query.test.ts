import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../http/validate.js';
import { ApiError } from '../kernel/errors.js';
import type { EventRow } from '../ports/events.js';
import { eventRow, type TestEvents, testEvents } from '../testing/events.js';
import { trendsLines } from '../testing/trends-lines.js';
import type { TrendsSeries } from './kinds/trends/line.js';
import { querySchema } from './query.js';
import { runQuery } from './run.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Around the changes of the clocks of 2024 in Berlin and New York, both ways. */
const CHANGES = [Date.UTC(2024, 2, 10, 7), Date.UTC(2024, 2, 31, 1), Date.UTC(2024, 9, 27, 1), Date.UTC(2024, 10, 3, 6)];
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Africa/Cairo', 'America/Havana', 'Pacific/Apia'];

let events: TestEvents;
const people = Array.from({ length: 8 }, (_, index) => `00000000-0000-4000-8000-0000000000c${index}`);
/** Distinct id d1 was merged into the person of d0, d3 into that of d2. */
const personOf = (row: EventRow): string => ({ d1: people[0] ?? '', d3: people[2] ?? '' })[row.distinct_id] ?? row.person_id;

const rows = fc
  .sample(
    fc.record({
      change: fc.constantFrom(...CHANGES),
      distance: fc.oneof(
        fc.integer({ min: -3 * DAY, max: 3 * DAY }),
        fc.integer({ min: -72, max: 72 }).map((hours) => hours * HOUR),
      ),
      person: fc.integer({ min: 0, max: 7 }),
      event: fc.constantFrom('a', 'b', 'c'),
      plan: fc.constantFrom('free', 'pro', undefined),
      group: fc.constantFrom('', 'x', 'y'),
    }),
    { numRuns: 1500, seed: 7 },
  )
  .map(({ change, distance, person, event, plan, group }, index) =>
    eventRow(index, {
      event,
      timestamp: change + distance,
      distinct_id: `d${person}`,
      person_id: people[person] ?? '',
      group_1: group,
      properties: plan === undefined ? {} : { plan },
    }),
  );

beforeAll(async () => {
  events = await testEvents();
  await events.put('events', rows);
  await events.put('events', rows.map((row) => ({ ...row, project_id: 2 })).slice(0, 100));
  await events.put('person_overrides', [
    { project_id: 1, distinct_id: 'd1', person_id: people[5] ?? '', version: 1 },
    { project_id: 1, distinct_id: 'd3', person_id: people[2] ?? '', version: 1 },
  ]);
  await events.put('person_overrides', [{ project_id: 1, distinct_id: 'd1', person_id: people[0] ?? '', version: 2 }]);
});
afterAll(() => events.close());

async function trends(query: object, timezone = 'UTC', now = Date.UTC(2024, 10, 5)): Promise<TrendsSeries[]> {
  const parsed = validate(querySchema, { kind: 'TrendsQuery', ...query });
  const result = await runQuery(events.store, parsed, { projectId: 1, timezone, now });
  return trendsLines(result);
}

const clocks = new Map(ZONES.map((timeZone) => [timeZone, wallClock(timeZone)]));

/** The date and hour that a wall clock in the zone shows, remembered: asking costs more than all else in this test. */
function wallClock(timeZone: string) {
  const known = new Map<number, { day: string; hour: string }>();
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (instant: number) => {
    let shown = known.get(instant);
    if (!shown) {
      const text = format.format(instant);
      shown = { day: text.slice(0, 10), hour: text.slice(0, 13) };
      known.set(instant, shown);
    }
    return shown;
  };
}

const wall = (instant: number, zone: string) => clocks.get(zone)?.(instant) ?? { day: '', hour: '' };

function bucketName(instant: number, zone: string, interval: string): string {
  const { day } = wall(instant, zone);
  if (interval === 'day') return day;
  if (interval === 'month') return `${day.slice(0, 8)}01`;
  const date = new Date(`${day}T00:00:00Z`);
  return new Date(date.getTime() - date.getUTCDay() * DAY).toISOString().slice(0, 10);
}

const SERIES = [
  { kind: 'EventsNode', event: 'a', math: 'total' },
  { kind: 'EventsNode', event: null, math: 'dau' },
  { kind: 'EventsNode', event: 'b', math: 'dau', properties: [{ key: 'plan', value: 'pro' }] },
  { kind: 'EventsNode', event: 'c', math: 'unique_group', math_group_type_index: 1 },
];

function naive(series: (typeof SERIES)[number], matching: EventRow[]): number {
  const own = matching.filter((row) => series.event === null || row.event === series.event);
  const filtered = series.properties ? own.filter((row) => row.properties['plan'] === 'pro') : own;
  if (series.math === 'total') return filtered.length;
  if (series.math === 'dau') return new Set(filtered.map(personOf)).size;
  return new Set(filtered.map((row) => row.group_1).filter(Boolean)).size;
}

describe('every bucket equals a count of the rows', () => {
  test.each(ZONES)('%s', async (zone) => {
    const queries = fc.record({
      interval: fc.constantFrom('day', 'week', 'month'),
      from: fc.integer({ min: 0, max: 300 }),
      length: fc.integer({ min: 0, max: 60 }),
      series: fc.subarray(SERIES, { minLength: 1 }),
      plan: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(queries, async ({ interval, from, length, series, plan }) => {
        const dateOf = (days: number) => new Date(Date.UTC(2024, 0, 10) + days * DAY).toISOString().slice(0, 10);
        const [first, last] = [dateOf(from), dateOf(from + length)];
        const results = await trends(
          {
            interval,
            dateRange: { date_from: first, date_to: last },
            series,
            properties: plan ? { type: 'AND', values: [{ key: 'plan', operator: 'is_set' }] } : [],
          },
          zone,
        );
        const inside = rows.filter((row) => {
          const { day } = wall(row.timestamp, zone);
          // the first month is whole
          return (
            day >= (interval === 'month' ? `${first.slice(0, 8)}01` : first) && day <= last && (!plan || 'plan' in row.properties)
          );
        });
        // every hour of the range, so that every bucket is seen
        const names = new Set<string>();
        for (let at = Date.UTC(2024, 0, 8) + from * DAY; at < Date.UTC(2024, 0, 13) + (from + length) * DAY; at += HOUR) {
          const { day } = wall(at, zone);
          if (day >= first && day <= last) names.add(bucketName(at, zone, interval));
        }
        const byName = new Map<string, EventRow[]>();
        for (const row of inside) {
          const name = bucketName(row.timestamp, zone, interval);
          byName.set(name, [...(byName.get(name) ?? []), row]);
        }
        for (const [index, one] of series.entries()) {
          const expected = [...names].map((name) => naive(one, byName.get(name) ?? []));
          expect(results[index]).toMatchObject({ days: [...names], data: expected });
          expect(results[index]?.count).toBe(expected.reduce((sum, value) => sum + value, 0));
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('hours of a day with a change of the clocks', () => {
  const hours = async (day: string, zone: string) =>
    (await trends({ interval: 'hour', dateRange: { date_from: day, date_to: day }, series: [{ kind: 'EventsNode' }] }, zone))[0];

  test.each([
    ['2024-03-31', 'Europe/Berlin', 23],
    ['2024-10-27', 'Europe/Berlin', 25],
    ['2024-11-03', 'America/New_York', 25],
    ['2024-03-31', 'Asia/Kathmandu', 24],
  ])('%s in %s has %i', async (day, zone, length) => {
    const series = await hours(day, zone);
    const matching = rows.filter((row) => wall(row.timestamp, zone).day === day);
    expect(series?.data).toHaveLength(length);
    expect(series?.days[0]).toBe(`${day} 00:00:00`);
    const byHour = new Map<string, number>();
    for (const [index, name] of (series?.days ?? []).entries()) {
      const key = name.slice(0, 13);
      byHour.set(key, (byHour.get(key) ?? 0) + (series?.data[index] ?? 0));
    }
    for (const [name, count] of byHour) {
      expect([name, count]).toEqual([name, matching.filter((row) => wall(row.timestamp, zone).hour === name).length]);
    }
  });

  test('the repeated hour is two buckets', async () => {
    const { days = [], labels = [] } = (await hours('2024-10-27', 'Europe/Berlin')) ?? {};
    expect(days.filter((day) => day === '2024-10-27 02:00:00')).toHaveLength(2);
    expect(labels[1]).toBe('27-Oct 01:00');
  });
});

describe('ranges and names', () => {
  const one = { series: [{ kind: 'EventsNode', event: 'a' }] };
  const now = Date.UTC(2024, 2, 31, 12);

  test('the default is the last seven days and today', async () => {
    const [series] = await trends(one, 'Europe/Berlin', now);
    expect(series?.days).toEqual(['24', '25', '26', '27', '28', '29', '30', '31'].map((day) => `2024-03-${day}`));
    expect(series?.labels.at(-1)).toBe('31-Mar-2024');
  });

  test.each([
    ['dStart', null, '2024-03-31', 1],
    ['-1dStart', '-1dEnd', '2024-03-30', 1],
    ['mStart', null, '2024-03-01', 31],
    ['-1mStart', '-1mEnd', '2024-02-01', 29],
    ['yStart', null, '2024-01-01', 91],
    ['-1m', '2024-03-01', '2024-02-29', 2],
    ['2024-03-30T12:00:00Z', '2024-03-30T13:00:00Z', '2024-03-30', 1],
    ['all', null, '2024-03-07', 25],
    ['2024-03-31', '2024-03-30', undefined, 0],
  ])('%s to %s begins %s and has %i days', async (date_from, date_to, first, length) => {
    const [series] = await trends({ ...one, dateRange: { date_from, date_to } }, 'UTC', now);
    expect([series?.days[0], series?.days.length]).toEqual([first, length]);
  });

  test('a series has its custom name, or else its event', async () => {
    const series = [
      { kind: 'EventsNode', event: 'a', custom_name: 'Mine' },
      { kind: 'EventsNode', event: 'a' },
      { kind: 'EventsNode', event: null },
    ];
    const results = await trends({ series });
    expect(results.map(({ label }) => label)).toEqual(['Mine', 'a', 'All events']);
    expect(results[0]?.action).toMatchObject({
      id: 'a',
      type: 'events',
      order: 0,
      name: 'a',
      custom_name: 'Mine',
      math: 'total',
    });
  });

  test('an insight may wrap the query', () => {
    const source = { kind: 'TrendsQuery', ...one };
    expect(validate(querySchema, { kind: 'InsightVizNode', source })).toEqual(validate(querySchema, source));
  });
});

describe('refusals have the field', () => {
  const node = { kind: 'EventsNode', event: 'a' };
  test.each<[object, string]>([
    [{}, 'series'],
    [{ series: [] }, 'series'],
    [{ series: [{ kind: 'ActionsNode' }] }, 'series__0__id'],
    [{ series: [{ kind: 'ActionsNode', id: 'first' }] }, 'series__0__id'],
    [{ series: [{ ...node, kind: 'ActionsNode', id: 1 }] }, 'series__0__event'],
    [{ series: [{ ...node, math: 'median' }] }, 'series__0__math_property'],
    [{ series: [{ ...node, math: 'unique_group' }] }, 'series__0__math_group_type_index'],
    [{ series: [node], interval: 'decade' }, 'interval'],
    [{ series: [node], dateRange: { date_from: 'then' } }, 'dateRange__date_from'],
    [{ series: [{ ...node, properties: [{ key: 'a', operator: 'x', value: 1 }] }] }, 'series__0__properties__0__operator'],
  ])('%j', async (query, attr) => {
    const refusal = await trends(query).then(
      () => null,
      (error) => error,
    );
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal.body).toMatchObject({ type: 'validation_error', attr });
  });

  test('too many buckets are refused before anything is read', async () => {
    const query = { series: [node], interval: 'hour', dateRange: { date_from: '2000-01-01' } };
    await expect(trends(query)).rejects.toMatchObject({ body: { type: 'validation_error', attr: 'query__interval' } });
  });
});
