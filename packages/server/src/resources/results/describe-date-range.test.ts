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
  [{ date_from: '-7d', date_to: '-1d' }, '7 days ago to yesterday'],
  [{ date_from: '-3d', date_to: '-3d' }, '3 days ago'],
  [{ date_from: '-1m', date_to: '-0d' }, '1 month ago to today'],
  [{ date_from: '2026-05-01 08:00:00', date_to: '2026-13-01' }, '1 May 2026 to 2026-13-01'],
  [{ date_from: 'mStart', date_to: '2026-05-03' }, 'start of this month to 3 May 2026'],
  [{ date_from: '2026-05-01', date_to: '2026-05-03' }, '1 May 2026 to 3 May 2026'],
  [{ date_from: 'constructor' }, 'constructor to now'],
  [{}, ''],
  [null, ''],
])('%j are called "%s"', (dateRange, name) => {
  expect(describeDateRange({ kind: 'InsightVizNode', source: { kind: 'TrendsQuery', dateRange } })).toBe(name);
});
