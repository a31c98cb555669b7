import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createZone } from '../../../analytics/index.js';
import { dateReader } from './date-cell.js';

const read = (zone: string) => dateReader(createZone(zone).toLocal);
/** What a spreadsheet shows of a number of days. */
const shown = (serial: number) => new Date(Date.UTC(1899, 11, 30) + Math.round(serial * 86_400_000)).toISOString();

test.each([
  ['2026-05-01', '2026-05-01T00:00:00.000Z', false],
  ['2026-05-01T12:00:00Z', '2026-05-01T14:00:00.000Z', true],
  ['2026-01-01T12:00:00Z', '2026-01-01T13:00:00.000Z', true],
  ['2026-05-01T12:00:00.250000Z', '2026-05-01T14:00:00.250Z', true],
  ['2026-05-01T12:00:00-05:30', '2026-05-01T19:30:00.000Z', true],
  ['2026-05-01T12:00:00-00:30', '2026-05-01T14:30:00.000Z', true],
  ['2026-05-01T12:00:00+00:30', '2026-05-01T13:30:00.000Z', true],
  ['2026-05-01 12:00:00', '2026-05-01T12:00:00.000Z', true],
  ['2026-05-01T12:00', '2026-05-01T12:00:00.000Z', true],
  ['2024-02-29', '2024-02-29T00:00:00.000Z', false],
  // the hour that is there twice, and the one that is not there
  ['2026-10-25T00:30:00Z', '2026-10-25T02:30:00.000Z', true],
  ['2026-10-25T01:30:00Z', '2026-10-25T02:30:00.000Z', true],
  ['2026-03-29T01:00:00Z', '2026-03-29T03:00:00.000Z', true],
])('%s is %s in Berlin', (text, expected, hasTime) => {
  const date = read('Europe/Berlin')(text);
  expect([shown(date?.serial ?? 0), date?.hasTime]).toEqual([expected, hasTime]);
});

test.each([
  '2026-02-30',
  '2026-13-01',
  '2026-05-01T24:00:00Z',
  '2026-05-01T12:60:00Z',
  '1899-12-31',
  '1900-02-28',
  '2026-5-1',
  '2026-05-01T',
  ' 2026-05-01',
  '2026-05-01x',
  '12026-05-01',
  '2026-05-01T12:00:00 Europe/Berlin',
  '',
  'plain',
])('%j stays a text', (text) => {
  expect(read('UTC')(text)).toBeNull();
});

test('every instant has the local time of the zone, in any order', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe'];
  const instants = fc.array(fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }));
  fc.assert(
    fc.property(fc.constantFrom(...zones), instants, (zone, times) => {
      const dateOf = read(zone);
      for (const time of times) {
        const expected = new Date(createZone(zone).toLocal(time.getTime())).toISOString();
        expect(shown(dateOf(time.toISOString())?.serial ?? 0)).toBe(expected);
      }
    }),
  );
});
