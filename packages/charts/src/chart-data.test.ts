import { expect, test } from 'vitest';
import { chartData } from './chart-data.js';
import { describeInsight, renderSvg } from './index.js';

const NOON = { now: Date.parse('2026-11-23T12:00:00Z'), timezone: 'UTC' };
const DAYS = ['2026-11-22', '2026-11-23'];
const line = (breakdown_value: string, data: number[], compare_label?: string, fields: object = {}) => ({
  label: 'paid',
  action: { name: 'paid', order: 0 },
  breakdown_value,
  data,
  days: DAYS,
  labels: DAYS,
  count: 1,
  ...(compare_label ? { compare_label } : {}),
  ...fields,
});
const dataOf = (results: object[], query: object = {}) => {
  const data = chartData(describeInsight({ kind: 'TrendsQuery', ...query }, { results }, NOON));
  if (!data) throw new Error('no chart over time');
  return data;
};

test('a series is compared with that of the same value, whatever the order of the period before', () => {
  const { series } = dataOf([
    line('free', [8, 9], 'current'),
    line('pro', [3, 4], 'current'),
    line('new', [1, 1], 'current'),
    line('pro', [7, 7], 'previous'),
    line('free', [2, 2], 'previous'),
    line('gone', [1, 1], 'previous'),
  ]);
  expect(series.map(({ before }) => (before === undefined ? null : series[before]?.values[0]))).toEqual([
    2,
    7,
    null,
    null,
    null,
    null,
  ]);
});

test.each([
  [['2026-11-22', '2026-11-23'], ['2026-10-23', '2026-10-24'], 'day', ['23 Oct', '24 Oct']],
  [['2026-11-22', '2026-11-23'], ['2025-11-22', '2025-11-23'], 'day', ['22 Nov 2025', '23 Nov 2025']],
  [['2027-01-01', '2027-01-02'], ['2026-12-31', '2027-01-01'], 'day', ['31 Dec 2026', '1 Jan']],
  [['2026-11-16'], ['2026-11-09'], 'week', ['9 Nov to 15 Nov']],
  [['2026-01-05'], ['2025-12-29'], 'week', ['29 Dec 2025 to 4 Jan 2026']],
  [['2026-11-01'], ['2026-10-01'], 'month', ['Oct']],
  [
    ['2026-11-23 10:00:00', '2026-11-23 11:00:00'],
    ['2026-11-22 10:00:00', '2026-11-22 11:00:00'],
    'hour',
    ['22 Nov, 10:00', '22 Nov, 11:00'],
  ],
])('points at %j are compared with those at %j by %s, named %j', (days, before, interval, expected) => {
  const data = days.map(() => 1);
  const lines = [line('a', data, 'current', { days }), line('a', data, 'previous', { days: before })];
  expect(dataOf(lines, { interval }).before).toEqual(expected);
  expect(dataOf(lines.slice(0, 1), { interval }).before).toBeUndefined();
  // without this period there is nothing to compare
  expect(dataOf(lines.slice(1), { interval }).before).toBeUndefined();
});

test('parts of a whole have a total, others have none', () => {
  const totalOf = (results: object[], query: object = {}) => dataOf(results, query).total;
  expect(totalOf([line('free', [8, 9]), line('pro', [3, 4])])).toEqual({ now: { values: [11, 13], texts: ['11', '13'] } });
  expect(totalOf([line('a', [8, 9], 'current'), line('b', [3, 4], 'current'), line('a', [1, 2], 'previous')])).toMatchObject({
    before: { texts: ['1', '2'] },
  });
  const means = { action: { name: 'paid', order: 0, math: 'avg', math_property: 'amount' } };
  expect(totalOf([line('free', [8, 9], '', means), line('pro', [3, 4], '', means)])).toBeUndefined();
  const events = ['a', 'b'].map((name, order) => ({
    ...line('', [1, 2]),
    label: name,
    action: { name, order },
    breakdown_value: null,
  }));
  expect(totalOf(events)).toBeUndefined();
  expect(totalOf(events, { trendsFilter: { display: 'ActionsBar' } })?.now.values).toEqual([2, 4]);
  expect(totalOf(events, { trendsFilter: { display: 'ActionsBar', showPercentStackView: true } })).toBeUndefined();
});

test.each([
  [['2026-11-22', '2026-11-23'], 'day', ['2026-11-22', '2026-11-23']],
  [['2026-11-16', '2026-11-23'], 'week', ['16 Nov to 22 Nov 2026', '23 Nov to 29 Nov 2026']],
  [['2026-11-23'], 'week', ['23 Nov to 29 Nov 2026']],
  [['2026-10-01', '2026-11-01'], 'month', ['Oct 2026', 'Nov 2026']],
  [['2026-11-23 00:00:00', '2026-11-23 01:00:00'], 'hour', ['23 Nov 2026, 00:00', '23 Nov 2026, 01:00']],
])('points at %j by %s are named %j', (days, interval, expected) => {
  expect(dataOf([line('free', days.map(Number.parseFloat), '', { days, labels: days })], { interval }).times).toEqual(expected);
});

const titlesOf = (results: object[], width: number, now = NOON) =>
  [
    ...renderSvg(describeInsight({ kind: 'TrendsQuery' }, { results }, now), { width, height: 300 }).matchAll(/<title>([^<]*)/g),
  ].map(([, title]) => title?.split('\n'));

test('the title of a point has its largest numbers first, and none of what has not begun', () => {
  const days = ['2026-11-23 11:00:00', '2026-11-23 12:00:00', '2026-11-23 13:00:00'];
  const results = [line('free', [1, 2, 0], '', { days, labels: days }), line('pro', [4, 1, 0], '', { days, labels: days })];
  expect(titlesOf(results, 600)).toEqual([
    ['23 Nov 2026, 11:00', 'pro: 4', 'free: 1'],
    ['23 Nov 2026, 12:00, so far', 'free: 2', 'pro: 1'],
    ['23 Nov 2026, 13:00'],
  ]);
});

test('the points of a year have titles, too', () => {
  const days = Array.from({ length: 365 }, (_, i) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10));
  const titles = titlesOf(
    [
      line(
        'free',
        days.map((_, i) => i),
        '',
        { days, labels: days },
      ),
    ],
    560,
  );
  expect(titles.length).toBeGreaterThan(100);
  expect(titles[1]).toEqual(['4 Jan 2026', 'free: 3']);
});
