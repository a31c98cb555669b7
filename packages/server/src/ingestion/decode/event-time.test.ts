import { assert, date, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventTime, parseRfc3339, parseTime, sentAtOfQuery } from './event-time.js';

const AT = Date.UTC(2024, 4, 6, 10, 11, 12);

describe('parseTime', () => {
  test.each([
    ['2024-05-06T10:11:12Z', AT],
    ['2024-05-06T10:11:12.345Z', AT + 345],
    ['2024-05-06T10:11:12.345678Z', AT + 345],
    ['2024-05-06T10:11:12.1Z', AT + 100],
    ['2024-05-06t10:11:12z', AT],
    ['2024-05-06T13:11:12+03:00', AT],
    ['2024-05-06T13:11:12+0300', AT],
    ['2024-05-06T13:11:12+03', AT],
    ['2024-05-06T04:41:12-05:30', AT],
    ['2024-05-06 10:11:12', AT],
    ['2024-05-06T10:11:12', AT],
    ['2024-05-06 10:11:12 UTC', AT],
    ['  2024-05-06T10:11:12Z ', AT],
    ['2024-05-06T10:11Z', AT - 12_000],
    ['2024-05-06', Date.UTC(2024, 4, 6)],
    ['05/06/2024', Date.UTC(2024, 4, 6)],
    ['2024/05/06', Date.UTC(2024, 4, 6)],
    ['2024/05/06 10:11:12', AT],
    ['Mon, 6 May 2024 10:11:12 +0000', AT],
    ['Mon, 06 May 2024 10:11:12 GMT', AT],
    ['6 May 2024 05:11:12 EST', AT],
    [String(AT), AT],
    [String(AT / 1000), AT],
    [AT, AT],
    [AT / 1000 + 0.5, AT + 500],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['0000-01-01T00:00:00Z', -62167219200000],
  ])('%s', (text, expected) => {
    expect(parseTime(text)).toBe(expected);
  });

  test.each([
    '2023-02-29T00:00:00Z',
    '2024-13-01',
    '2024-05-06T24:00:00Z',
    '2024-05-06T10:11:12+25:00',
    '2024-05-06T10:11:12+03:99',
    '6 Foo 2024 10:11:12 GMT',
    '6 May 2024 10:11:12 XYZ',
    'yesterday',
    '',
    `2024-05-06${' '.repeat(100_000)}`,
    null,
    true,
    {},
    Number.POSITIVE_INFINITY,
  ])('not a time: %s', (text) => {
    expect(parseTime(text)).toBeNull();
  });

  test('every time that JavaScript writes is parsed, in every zone', () => {
    const range = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true };
    assert(
      property(date(range), integer({ min: -23 * 60, max: 23 * 60 }), (at, minutes) => {
        const local = new Date(at.getTime() + minutes * 60_000);
        if (local.getUTCFullYear() < 0 || local.getUTCFullYear() > 9999) return;
        const sign = minutes < 0 ? '-' : '+';
        const [h, m] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) => String(n).padStart(2, '0'));
        const text = local.toISOString().replace('Z', `${sign}${h}:${m}`);
        expect(parseTime(text)).toBe(at.getTime());
        expect(parseRfc3339(text)).toBe(at.getTime());
      }),
    );
  });
});

test.each(['2024-05-06', '2024-05-06T10:11:12', '1714990272', '2024-05-06T10:11:12+03', 'Mon, 6 May 2024 10:11:12 GMT'])(
  'not RFC 3339: %s',
  (text) => {
    expect(parseTime(text)).not.toBeNull();
    expect(parseRfc3339(text)).toBeNull();
  },
);

describe('eventTime', () => {
  const now = AT;
  const HOUR = 3_600_000;
  test.each([
    ['nothing known', { timestamp: null, sentAt: null, offset: null }, now],
    ['the clock of the client is right', { timestamp: now - 5000, sentAt: now, offset: null }, now - 5000],
    ['the clock is an hour ahead', { timestamp: now + HOUR - 5000, sentAt: now + HOUR, offset: null }, now - 5000],
    ['the clock is a year behind', { timestamp: now - 9000 * HOUR, sentAt: now - 8999 * HOUR, offset: null }, now - HOUR],
    ['no time of sending', { timestamp: now - HOUR, sentAt: null, offset: null }, now - HOUR],
    ['offset wins', { timestamp: now - HOUR, sentAt: now, offset: 2500 }, now - 2500],
    ['22 hours ahead', { timestamp: now + 22 * HOUR, sentAt: null, offset: null }, now + 22 * HOUR],
    ['24 hours ahead', { timestamp: now + 24 * HOUR, sentAt: null, offset: null }, now],
    ['before year 0', { timestamp: now, sentAt: null, offset: 1e15 }, 0],
    ['endless offset', { timestamp: now, sentAt: null, offset: Number.POSITIVE_INFINITY }, 0],
  ])('%s', (_name, clues, expected) => {
    expect(eventTime({ now, ...clues })).toBe(expected);
  });
});

test('sent_at of the query is in milliseconds only', () => {
  expect(sentAtOfQuery(String(AT))).toBe(AT);
  expect(sentAtOfQuery(String(AT / 1000))).toBeNull();
  expect(sentAtOfQuery('1e400')).toBeNull();
  expect(sentAtOfQuery(undefined)).toBeNull();
});
