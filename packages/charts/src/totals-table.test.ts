import { expect, test } from 'vitest';
import { courseTable, describeInsight } from './index.js';

const NOON = { now: Date.parse('2026-11-23T12:00:00Z'), timezone: 'UTC' };
const tableOf = (days: string[], results: object[], query: object = {}) => {
  const fields = { days, labels: days, action: { name: 'paid', order: 0 }, label: 'paid' };
  const insight = describeInsight(
    { kind: 'TrendsQuery', ...query },
    { results: results.map((one) => ({ ...fields, ...one })) },
    NOON,
  );
  if (insight.kind !== 'series') throw new Error('no series');
  const { columns, rows } = courseTable(insight, 9);
  return [columns.map(({ label }) => label), ...rows.map((row) => row.map(({ text }) => text))];
};

test('numbers over time have a column for each point, with a star for what is not over and none for what has not begun', () => {
  const days = ['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'];
  expect(tableOf(days, [{ data: [1, 2, 3, 0], count: 6 }])).toEqual([
    ['Series', 'Total', '21 Nov', '22 Nov', 'Today*'],
    ['paid', '6', '1', '2', '3'],
  ]);
  const months = ['2025-12-01', '2026-11-01'];
  expect(tableOf(months, [{ data: [1, 2], count: 3 }], { interval: 'month' })[0]).toEqual([
    'Series',
    'Total',
    'Dec 2025',
    'Nov 2026*',
  ]);
});

test('a comparison has the change of the totals before them', () => {
  const compared = [
    { data: [1, 2], count: 3, compare_label: 'current' },
    { data: [2, 2], count: 4, compare_label: 'previous' },
  ];
  expect(tableOf(['2026-11-21', '2026-11-22'], compared)).toEqual([
    ['Series', 'Total', 'Before', 'Change', '21 Nov', '22 Nov'],
    ['paid', '3', '4', '−25.0%', '1', '2'],
  ]);
});

test('the columns before those of points are counted; totals have none of points', () => {
  const day = (compare_label: string) => ({
    label: 'a',
    action: { name: 'a', order: 0 },
    days: ['2026-11-22'],
    labels: ['22'],
    data: [1],
    count: 1,
    compare_label,
  });
  const leadingOf = (results: object[], query: object = {}) => {
    const insight = describeInsight({ kind: 'TrendsQuery', ...query }, { results }, NOON);
    return insight.kind === 'series' ? courseTable(insight, 9).leading : null;
  };
  expect(leadingOf([day('current')])).toBe(2);
  expect(leadingOf([day('current'), day('previous')])).toBe(4);
  expect(leadingOf([day('current')], { trendsFilter: { display: 'ActionsPie' } })).toBeUndefined();
});

test('of a long time the last hundred points are shown, and totals have none', () => {
  const days = Array.from({ length: 300 }, (_, i) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10));
  const results = [{ data: days.map((_, i) => i), count: 9 }];
  expect(tableOf(days, results)[0]?.length).toBe(102);
  expect(tableOf(days, results)[1]?.at(-1)).toBe('299');
  expect(tableOf(days, results, { trendsFilter: { display: 'ActionsPie' } })[0]).toEqual(['Series', 'Total']);
});

test('the values of a property stand below its name, countries below their names', () => {
  const tableBy = (breakdownFilter: object, events: string[], values: string[]) => {
    const results = events.flatMap((name, order) =>
      values.map((value) => ({
        label: `${name} - ${value}`,
        breakdown_value: value,
        action: { name, order },
        data: [],
        aggregated_value: 2,
      })),
    );
    return tableOf([], results, { trendsFilter: { display: 'ActionsTable' }, breakdownFilter });
  };
  const property = (name: string, type = 'event') => ({ breakdown: name, breakdown_type: type });
  const headBy = (breakdownFilter: object, events = ['paid']) => tableBy(breakdownFilter, events, ['a'])[0]?.[0];
  expect(headBy(property('plan'))).toBe('Plan');
  expect(headBy(property('$device_type'))).toBe('Device type');
  expect(headBy({ breakdowns: [{ property: '$os', type: 'event' }] })).toBe('Operating system');
  expect(headBy({ breakdowns: [{ property: '$os' }, { property: 'plan' }] })).toBe('Series');
  expect(headBy(property('plan'), ['paid', 'opened'])).toBe('Series');
  expect(headBy(property('if(secret, 1, 2)', 'hogql'))).toBe('Series');
  const byCountry = property('$geoip_country_code');
  expect(tableBy(byCountry, ['paid'], ['US', 'DE'])).toEqual([
    ['Country', 'Total'],
    ['United States', '2'],
    ['Germany', '2'],
  ]);
  expect(tableBy(byCountry, ['paid', 'opened'], ['US']).slice(1)).toEqual([
    ['paid · United States', '2'],
    ['opened · United States', '2'],
  ]);
});
