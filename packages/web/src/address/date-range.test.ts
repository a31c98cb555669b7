import { expect, test } from 'vitest';
import { rangeLabel } from './date-range.js';

test.each([
  ['-30d', null, 'Last 30 days'],
  ['-30d', '-1d', '30 days ago to yesterday'],
  ['-1w', null, 'Since 1 week ago'],
  ['2026-11-01', '2026-11-20', '2026-11-01 to 2026-11-20'],
  ['-2mStart', null, 'Since -2mStart'],
])('the range from %s to %s is named %s', (from, to, name) => {
  expect(rangeLabel({ from, to })).toBe(name);
});
