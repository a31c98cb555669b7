import { expect, test } from 'vitest';
import { sayMoment } from './clock.js';

test('a moment is said in the zone of the project', () => {
  const at = new Date('2026-11-22T23:34:00Z');
  expect(sayMoment(at, 'Asia/Kolkata')).toEqual({
    time: '05:04',
    weekday: 'Monday',
    day: 'Monday 23 November',
    partOfDay: 'morning',
    place: 'Kolkata',
  });
  expect(sayMoment(at, 'America/Argentina/Buenos_Aires')).toMatchObject({
    time: '20:34',
    weekday: 'Sunday',
    place: 'Buenos Aires',
  });
  expect(sayMoment(new Date('2026-11-22T00:05:00Z'), 'UTC')).toMatchObject({ time: '00:05', partOfDay: 'evening', place: 'UTC' });
});
