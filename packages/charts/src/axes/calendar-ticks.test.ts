import fc from 'fast-check';
import { expect, test } from 'vitest';
import { roughly } from '../text/measure.js';
import { AXIS_SIZE, calendarTicks } from './calendar-ticks.js';

const HOUR = 3_600_000;
const from = (start: string, count: number, step: number) =>
  Array.from({ length: count }, (_, i) =>
    new Date(Date.parse(`${start}Z`) + i * step).toISOString().slice(0, 16).replace('T', ' '),
  );
const days = (start: string, count: number) => from(`${start}T00:00`, count, 24 * HOUR).map((day) => day.slice(0, 10));
const months = (start: number, count: number) =>
  Array.from({ length: count }, (_, i) => new Date(Date.UTC(2025, start + i, 1)).toISOString().slice(0, 10));
const texts = (starts: string[], width: number) =>
  calendarTicks(starts, width, roughly)?.map(({ text, day }) => (day === null ? text : `${text} ${day}`)) ?? [];

test.each([
  ['days on Mondays', days('2026-10-25', 30), 500, ['26 Oct', '2 Nov', '9 Nov', '16 Nov', '23 Nov']],
  ['days on each, where they fit', days('2026-11-17', 4), 500, ['17 Nov', '18 Nov', '19 Nov', '20 Nov']],
  ['days of one Monday in equal steps from it', days('2026-11-14', 10), 400, ['14 Nov', '16 Nov', '18 Nov', '20 Nov', '22 Nov']],
  ['fewer of them in a narrow picture', days('2026-11-14', 10), 250, ['16 Nov', '19 Nov', '22 Nov']],
  ['narrow days on every second Monday', days('2026-10-25', 30), 200, ['2 Nov', '16 Nov']],
  ['a year of days on firsts', days('2025-12-02', 365), 500, ['1 Jan 2026', '1 Apr', '1 Jul', '1 Oct']],
  ['months with the year where it turns', months(9, 6), 500, ['Oct', 'Nov', 'Dec', 'Jan 2026', 'Feb', 'Mar']],
  [
    'hours with their day below the first',
    from('2026-11-21T00:00', 36, HOUR),
    500,
    ['00 21 Nov', '06', '12', '18', '00 22 Nov', '06'],
  ],
  [
    'many hours on midnights',
    from('2026-11-01T00:00', 24 * 7, HOUR),
    400,
    ['1 Nov', '2 Nov', '3 Nov', '4 Nov', '5 Nov', '6 Nov', '7 Nov'],
  ],
  ['minutes', from('2026-11-21T09:50', 25, 60_000), 500, ['09:50 21 Nov', '09:55', '10:00', '10:05', '10:10']],
])('%s', (_, starts, width, expected) => {
  expect(texts(starts, width)).toEqual(expected);
});

test('names are no times', () => {
  expect(calendarTicks(['Chrome', '2026-11-21'], 500, roughly)).toBeNull();
});

const MONDAY = 1;
const unit = fc.constantFrom('minute', 'hour', 'day', 'week', 'month');
const STEPS = { minute: 60_000, hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 0 };

test('ticks of any range and width stand on the calendar and never touch', () => {
  const start = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(
      unit,
      start,
      fc.integer({ min: 2, max: 500 }),
      fc.integer({ min: 60, max: 1_200 }),
      (name, date, count, width) => {
        const begin = new Date(Math.floor(date.getTime() / Math.max(STEPS[name], 60_000)) * Math.max(STEPS[name], 60_000));
        const starts =
          name === 'month' ? months(date.getUTCMonth(), count) : from(begin.toISOString().slice(0, 16), count, STEPS[name]);
        const ticks = calendarTicks(starts, width, roughly) ?? [];
        expect(ticks.length).toBeGreaterThan(0);
        const pixels = width / (count - 1);
        const places = ticks.map(({ index, text, day }) => ({
          x: index * pixels,
          half: Math.max(roughly(text, AXIS_SIZE), roughly(day ?? '', AXIS_SIZE)) / 2,
        }));
        for (const [i, { x, half }] of places.entries()) {
          const before = places[i - 1];
          // each begins in the middle of its bucket
          if (before) expect(x - before.x).toBeGreaterThanOrEqual(2 * Math.min(half, before.half));
        }
        if (name !== 'day' || ticks.length < 2 || ticks.length === count) return;
        const at = ticks.map(({ index }) => new Date(`${starts[index]?.slice(0, 10)}T00:00Z`));
        const weekday = (day: string) => new Date(`${day.slice(0, 10)}T00:00Z`).getUTCDay();
        // few Mondays would be few ticks
        if (starts.filter((day) => weekday(day) === MONDAY).length < 3 && ticks.length > 2) {
          expect(new Set(ticks.slice(1).map(({ index }, i) => index - (ticks[i]?.index ?? 0))).size).toBe(1);
          if (starts.some((day) => weekday(day) === MONDAY)) expect(at.some((day) => day.getUTCDay() === MONDAY)).toBe(true);
          return;
        }
        const isOnMondays = at.every((day) => day.getUTCDay() === MONDAY);
        expect(isOnMondays || at.every((day) => day.getUTCDate() === 1)).toBe(true);
      },
    ),
  );
});
