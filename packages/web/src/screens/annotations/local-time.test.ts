import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOf, localOf } from './local-time.js';

test('a local time is a moment in the zone of the project', () => {
  expect(instantOf('2026-01-15T09:30', 'America/New_York')).toBe('2026-01-15T14:30:00.000Z');
  expect(instantOf('2026-07-15T09:30', 'America/New_York')).toBe('2026-07-15T13:30:00.000Z');
  // on the day when clocks change, before and after it
  expect(instantOf('2026-03-29T01:30', 'Europe/Berlin')).toBe('2026-03-29T00:30:00.000Z');
  expect(instantOf('2026-03-29T03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  expect(localOf('2026-03-29T01:30:00Z', 'Asia/Kolkata')).toBe('2026-03-29T07:00');
});

test('what is shown is read as the same local time', () => {
  const minute = fc.integer({ min: Date.UTC(2001, 0) / 60_000, max: Date.UTC(2040, 0) / 60_000 });
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Asia/Kathmandu', 'Australia/Lord_Howe');
  fc.assert(
    fc.property(minute, zone, (at, name) => {
      const local = localOf(new Date(at * 60_000).toISOString(), name);
      expect(localOf(instantOf(local, name), name)).toBe(local);
    }),
  );
});
