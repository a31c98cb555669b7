import { assert, constantFrom, date, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type IsoForm, instantOf, isoPattern, offsetOf, utcOf } from './iso-date.js';

const FORMS: Record<string, IsoForm> = {
  common: {},
  anyCase: { anyCase: true },
  shortDate: { shortDate: true },
  comma: { comma: true },
  longFraction: { longFraction: true },
  spacedZone: { spacedZone: true },
  hourZone: { hourZone: true },
  utcZone: { utcZone: true },
};
const ALL = Object.keys(FORMS);

test.each<[text: string, forms: string[]]>([
  ['2024-01-31', ALL],
  ['2024-01-31T12:34', ALL],
  ['2024-01-31 12:34:56', ALL],
  ['2024-01-31T12:34:56.123456789Z', ALL],
  ['2024-01-31T12:34:56+01:30', ALL],
  ['2024-01-31T12:34:56-0130', ALL],
  ['2024-01-31t12:34', ['anyCase']],
  ['2024-01-31T12:34z', ['anyCase']],
  ['2024-1-31', ['shortDate']],
  ['2024-01-3T12:34', ['shortDate']],
  ['2024-01-31T12:34:56,5', ['comma']],
  ['2024-01-31T12:34:56.1234567891Z', ['longFraction']],
  ['2024-01-31T12:34:56 Z', ['spacedZone']],
  ['2024-01-31T12:34:56\t+01:00', ['spacedZone']],
  ['2024-01-31T12:34:56+01', ['hourZone']],
  ['2024-01-31T12:34:56UTC', ['utcZone']],
  ...['', ' 2024-01-31', '2024-01', '20240131', '24-01-31', '2024-01-31Z', '2024-01-31T', '2024-01-31T12', '2024-01-31T12:3'].map(
    (text): [string, string[]] => [text, []],
  ),
  ['2024-01-31T12:34:56.', []],
  ['2024-01-31T12:34.5', []],
  ['2024-01-31T12:34+1', []],
  ['2024-01-31  12:34', []],
  ['٢٠٢٤-01-31', []],
])('"%s" is in the forms %j', (text, forms) => {
  expect(ALL.filter((name) => isoPattern(FORMS[name] ?? {}).test(text))).toEqual(forms);
});

const PATTERN = isoPattern({ hourZone: true });
const read = (text: string, lastSecond?: number) => instantOf(PATTERN.exec(text) ?? [], lastSecond);

describe('instantOf', () => {
  test.each([
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2024-01-31T23:59:59.999999999', Date.UTC(2024, 0, 31, 23, 59, 59, 999)],
    ['2024-01-31T12:00:00.5+01:30', Date.UTC(2024, 0, 31, 10, 30, 0, 500)],
    ['2024-01-31T12:00-05', Date.UTC(2024, 0, 31, 17)],
    ['0000-01-01', -62_167_219_200_000],
    ['0099-12-31T23:59:59+23:59', Date.parse('0099-12-31T00:00:59Z')],
  ])('%s', (text, at) => expect(read(text)).toBe(at));

  test.each([
    ...['2023-02-29', '1900-02-29', '2024-04-31', '2024-00-10', '2024-13-10', '2024-01-00', '2024-01-32'],
    ...['2024-01-31T24:00', '2024-01-31T12:60', '2024-01-31T12:00:60'],
    ...['2024-01-31T12:00+24:00', '2024-01-31T12:00+30', '2024-01-31T12:00-23:60', '2024-01-31T12:00+0099'],
  ])('%s is not a date', (text) => expect(read(text)).toBeNaN());

  test('a leap second is the next minute if the option accepts it', () => {
    expect(read('2016-12-31T23:59:60Z', 60)).toBe(Date.UTC(2017, 0, 1));
    expect(read('2016-12-31T23:59:61Z', 60)).toBeNaN();
  });

  test('every time of four-digit years is parsed, at every offset', () => {
    const time = date({ min: new Date('0000-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true });
    const two = (n: number) => String(n).padStart(2, '0');
    assert(
      property(time, integer({ min: 0, max: 1439 }), constantFrom(-1, 1), (at, minutes, sign) => {
        const local = new Date(at.getTime() + sign * minutes * 60_000).toISOString().slice(0, -1);
        expect(read(`${local}${sign < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`)).toBe(at.getTime());
      }),
    );
  });
});

test('the parser of local times returns the time and its offset separately', () => {
  const match = PATTERN.exec('2024-01-31T12:00-0130') ?? [];
  expect([utcOf(match), offsetOf(match[8] ?? '')]).toEqual([Date.UTC(2024, 0, 31, 12), -90]);
});
