import { expect, test } from 'vitest';
import { createZone } from '../../../analytics/index.js';
import { describeDays, describeFilters, describeMetric, describeTime, sharedDays } from './describe.js';

/** Already the 24th in Copenhagen. */
const now = Date.UTC(2026, 10, 23, 23, 30);
const copenhagen = { now, zone: createZone('Europe/Copenhagen') };

test.each([
  [{ date_from: '-30d' }, '25 Oct to 24 Nov 2026'],
  [{ date_from: '-1y' }, '24 Nov 2025 to 24 Nov 2026'],
  [{ date_from: '-3d', date_to: '-3d' }, '21 Nov 2026'],
  [{ date_from: '-7d', date_to: '-1d' }, '17 Nov to 23 Nov 2026'],
  [{ date_from: '2026-09-27', date_to: '2026-10-03' }, '27 Sep to 3 Oct 2026'],
  [{ date_from: 'mStart' }, '1 Nov to 24 Nov 2026'],
  [{}, '17 Nov to 24 Nov 2026'],
  [{ date_from: 'all' }, 'All time'],
  [{ date_from: '-24h' }, 'Last 24 hours'],
])('%j are the days "%s"', (dateRange, days) => {
  expect(describeDays({ kind: 'InsightVizNode', source: { kind: 'TrendsQuery', dateRange } }, copenhagen)).toBe(days);
});

test('a query without dates has no days', () => {
  expect(describeDays({ kind: 'HogQLQuery' }, copenhagen)).toBe('');
});

test.each([
  [['a', 'b', 'a'], 'a'],
  [['a', '', ''], 'a'],
  [['a', 'b'], ''],
  [[], ''],
])('most of the charts with the days %j have the days "%s"', (all, shared) => {
  expect(sharedDays(all)).toBe(shared);
});

test.each([
  ['Europe/Copenhagen', '24 Nov 2026, 00:30, Copenhagen time'],
  ['America/New_York', '23 Nov 2026, 18:30, New York time'],
  ['UTC', '23 Nov 2026, 23:30, UTC'],
  ['Etc/GMT+3', '23 Nov 2026, 20:30, GMT+3'],
])('a time in %s is "%s"', (name, words) => {
  expect(describeTime({ now, zone: createZone(name) })).toBe(words);
});

test.each([
  [{ date_from: '-7d' }, ''],
  [{ properties: [{ key: 'plan', operator: 'is_not', value: ['internal'] }] }, 'plan is not internal'],
  [{ properties: [{ key: '$geoip_country_code', value: ['DE', 'FR', 'US'] }] }, 'country code is any of 3'],
  [{ properties: { type: 'AND', values: [{ key: '$browser', operator: 'is_set', value: null }] } }, 'browser is set'],
  [{ breakdown_filter: { breakdown: 'plan' }, properties: [{ type: 'cohort', key: 'id', value: 3 }] }, 'cohort 3, by plan'],
])('the filters %j are "%s"', (filters, words) => {
  expect(describeFilters(filters)).toBe(words);
});

test.each([
  [{}, { metrics: [{ name: 'Paid' }], metrics_secondary: [{ name: 'Back' }] }, 'Paid'],
  [{}, { metrics: [], metrics_secondary: [{ name: 'Back' }] }, 'Back'],
  [{ metric_uuids: ['a', 'b'] }, { metrics: [{ name: 'Paid' }] }, ''],
  [{}, { metrics: [{ name: null }] }, ''],
  [{}, null, ''],
  [{ kind: 'TrendsQuery' }, { metrics: [{ name: 'Paid' }] }, ''],
])('the results of the experiment %j, %j, are of the metric "%s"', (query, results, metric) => {
  expect(describeMetric({ kind: 'ExperimentQuery', ...query }, results)).toBe(metric);
});
