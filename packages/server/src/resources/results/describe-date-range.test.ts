import { expect, test } from 'vitest';
import { describeDateRange } from './index.js';

test.each([
  [{ date_from: 'all' }, 'All time'],
  [{ date_from: '-0d' }, 'Today'],
  [{ date_from: 'dStart', date_to: null }, 'Today'],
  [{ date_from: 'mStart' }, 'This month'],
  [{ date_from: '-1d' }, 'Since yesterday'],
  [{ date_from: '-7d' }, 'Last 7 days'],
  [{ date_from: '-24h' }, 'Last 24 hours'],
  [{ date_from: '-7d', date_to: '-1d' }, '-7d – -1d'],
  [{ date_from: 'mStart', date_to: '2026-05-03' }, 'mStart – 2026-05-03'],
  [{ date_from: '2026-05-01', date_to: '2026-05-03' }, '2026-05-01 – 2026-05-03'],
  [{ date_from: 'constructor' }, 'constructor – now'],
  [{}, ''],
  [null, ''],
])('%j are called "%s"', (dateRange, name) => {
  expect(describeDateRange({ kind: 'InsightVizNode', source: { kind: 'TrendsQuery', dateRange } })).toBe(name);
});
