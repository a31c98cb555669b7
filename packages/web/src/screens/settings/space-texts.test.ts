import { expect, test } from 'vitest';
import { isFullSoon, outlookText, placeName } from './space-texts.js';

const place = { free_bytes: 50e9, growth_bytes_per_day: 2.5e9, days_until_full: 20, filled_by: 'events' as const };

test.each([
  [{}, '50 GB free. It grows by 2.5 GB a day, most of it events, and is full in 20 days.'],
  [{ days_until_full: 1.9 }, '50 GB free. It grows by 2.5 GB a day, most of it events, and is full in 1 day.'],
  [{ days_until_full: 0.4 }, '50 GB free. It grows by 2.5 GB a day, most of it events, and is full within a day.'],
  [{ days_until_full: 9_999 }, '50 GB free. It grows by 2.5 GB a day, most of it events, and is full in more than ten years.'],
  [{ growth_bytes_per_day: -5, days_until_full: null, filled_by: null }, '50 GB free. It does not grow.'],
  [
    { growth_bytes_per_day: null, days_until_full: null, filled_by: null },
    '50 GB free. When that is used up is known after a day.',
  ],
  [
    { free_bytes: null, days_until_full: null, filled_by: 'postgres' as const },
    'The server does not report its free space. It grows by 2.5 GB a day, most of it persons, flags, dashboards.',
  ],
])('a disk with %j', (fields, text) => expect(outlookText({ ...place, ...fields })).toBe(text));

test('a disk that lasts less than two weeks is pointed out', () => {
  expect(isFullSoon({ days_until_full: 13.9 })).toBe(true);
  expect(isFullSoon({ days_until_full: 14 })).toBe(false);
  expect(isFullSoon({ days_until_full: null })).toBe(false);
});

test('disks have names, also those that are not known', () => {
  expect([placeName('data'), placeName('attic')]).toEqual(['Data directory', 'attic']);
});
