import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketsOf, type Interval, type Span, spanBefore, spanOf, wholeIntervals } from './buckets.js';
import { createZone, UTC } from './zone.js';

const at = (text: string): number => Date.parse(`${text}Z`);
const shown = ({ from, to }: Span): string[] => [from, to].map((instant) => new Date(instant).toISOString().slice(0, 16));

/** Asked on a Saturday evening. */
const MOMENT = { now: at('2020-01-04T20:30:00'), zone: UTC };
const rangeOf = (dateFrom: string | null, dateTo: string | null = null, explicitDate = false) => ({
  dateFrom,
  dateTo,
  explicitDate,
});
const span = (range: ReturnType<typeof rangeOf>, interval: Interval) => spanOf(range, interval, MOMENT, null);

describe('the period of a date range', () => {
  test.each([
    [
      'the whole day of an end with a time',
      rangeOf('2020-01-01', '2020-01-03 00:00:00'),
      'day',
      '2020-01-01T00:00',
      '2020-01-04T00:00',
    ],
    [
      'the whole hour of one, by hours',
      rangeOf('2020-01-01', '2020-01-03 00:00:00'),
      'hour',
      '2020-01-01T00:00',
      '2020-01-03T01:00',
    ],
    ['the day of one, by weeks', rangeOf('2020-01-01', '2020-01-03T10:15:00Z'), 'week', '2020-01-01T00:00', '2020-01-04T00:00'],
    [
      'the instant, where dates are explicit',
      rangeOf('2020-01-01', '2020-01-03T10:15:00Z', true),
      'day',
      '2020-01-01T00:00',
      '2020-01-03T10:15',
    ],
    ['whole hours of the last 24', rangeOf('-24h'), 'hour', '2020-01-03T20:00', '2020-01-04T21:00'],
    [
      'the whole minute of an end, by minutes',
      rangeOf('2020-01-04 20:00', '2020-01-04 20:10:20'),
      'minute',
      '2020-01-04T20:00',
      '2020-01-04T20:11',
    ],
    ['whole minutes of the last hour', rangeOf('-1h'), 'minute', '2020-01-04T19:30', '2020-01-04T20:31'],
    ['the last day whole', rangeOf('-1d', '-1d'), 'day', '2020-01-03T00:00', '2020-01-04T00:00'],
  ] as const)('it is %s', (_, range, interval, from, to) => {
    expect(shown(span(range, interval))).toEqual([from, to]);
  });

  test('it has the local hours of zones whose offset is not a whole hour', () => {
    const local = spanOf(rangeOf('-2h'), 'hour', { now: at('2020-01-04T20:30:00'), zone: createZone('Asia/Kathmandu') }, null);
    // 02:15 there
    expect(shown(local)).toEqual(['2020-01-04T18:15', '2020-01-04T21:15']);
  });
});

describe('the comparison period', () => {
  const before = (range: ReturnType<typeof rangeOf>, interval: Interval, back: string | null = null) =>
    shown(spanBefore(span(range, interval), { ...range, interval }, back, MOMENT));

  test.each([
    ['has the same weekdays as the last 7 days', rangeOf('-7d'), 'day', '2019-12-21T00:00', '2019-12-29T00:00'],
    ['has the same weekdays as the last 14 days', rangeOf('-14d'), 'day', '2019-12-07T00:00', '2019-12-22T00:00'],
    ['has them by default', rangeOf(null), 'day', '2019-12-21T00:00', '2019-12-29T00:00'],
    ['is as long as the range for other numbers of days', rangeOf('-3d'), 'day', '2019-12-28T00:00', '2020-01-01T00:00'],
    ['is as long as a range with an end', rangeOf('-7d', '-1d'), 'day', '2019-12-21T00:00', '2019-12-28T00:00'],
    ['has the same hours of the day before', rangeOf('dStart'), 'hour', '2020-01-03T00:00', '2020-01-03T21:00'],
    [
      'has the same hours of the day before for the last 24 hours',
      rangeOf('-24h'),
      'hour',
      '2020-01-02T20:00',
      '2020-01-03T21:00',
    ],
  ] as const)('%s', (_, range, interval, from, to) => {
    expect(before(range, interval)).toEqual([from, to]);
  });

  test('it is as far back as the request says, for any range', () => {
    expect(before(rangeOf('-7d'), 'day', '-1m')).toEqual(['2019-11-28T00:00', '2019-12-05T00:00']);
  });

  test('with hours it begins at the same hour of an earlier day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (hours) => {
        const range = rangeOf(`-${hours}h`);
        const [now, earlier] = [
          span(range, 'hour'),
          spanBefore(span(range, 'hour'), { ...range, interval: 'hour' }, null, MOMENT),
        ];
        expect((now.from - earlier.from) % 86_400_000).toBe(0);
        expect(now.from - earlier.from).toBeGreaterThanOrEqual(86_400_000);
        expect(earlier.to - earlier.from).toBe(now.to - now.from);
      }),
    );
  });
});

describe('intervals', () => {
  const labels = (interval: Interval, from: string, to: string, weekStart: 0 | 1 = 0) =>
    bucketsOf({ from: at(`${from}:00`), to: at(`${to}:00`) }, interval, UTC, weekStart)?.labels;

  test.each([
    ['minute', '2020-11-04T09:59', '2020-11-04T10:01', ['4-Nov 09:59', '4-Nov 10:00']],
    ['hour', '2020-11-04T09:00', '2020-11-04T11:00', ['4-Nov 09:00', '4-Nov 10:00']],
    ['day', '2020-11-04T00:00', '2020-11-06T00:00', ['4-Nov-2020', '5-Nov-2020']],
    // of the first and the last week only the days of the range
    ['week', '2020-11-04T00:00', '2020-11-25T00:00', ['4–7 Nov', '8–14 Nov', '15–21 Nov', '22–24 Nov']],
    ['week', '2020-11-28T00:00', '2020-12-06T00:00', ['28-Nov-2020', '29-Nov – 5-Dec']],
    ['week', '2020-12-27T00:00', '2021-01-03T00:00', ['27-Dec-2020 – 2-Jan-2021']],
    ['month', '2020-11-04T00:00', '2021-01-02T00:00', ['Nov 2020', 'Dec 2020', 'Jan 2021']],
  ] as const)('by %s from %s to %s they have labels', (interval, from, to, expected) => {
    expect(labels(interval, from, to)).toEqual(expected);
  });

  test('weeks can begin on Monday', () => {
    expect(labels('week', '2020-11-01T00:00', '2020-11-09T00:00', 1)).toEqual(['1-Nov-2020', '2–8 Nov']);
  });

  test('whole intervals follow the calendar of the zone', () => {
    const whole = (interval: Interval) =>
      shown(
        wholeIntervals(
          { from: at('2024-03-30T12:00:00'), to: at('2024-04-01T12:00:00') },
          interval,
          { zone: createZone('Europe/Berlin') },
          1,
        ),
      );
    expect(whole('hour')).toEqual(['2024-03-30T12:00', '2024-04-01T12:00']);
    expect(whole('day')).toEqual(['2024-03-29T23:00', '2024-04-01T22:00']);
    expect(whole('week')).toEqual(['2024-03-24T23:00', '2024-04-07T22:00']);
    expect(whole('month')).toEqual(['2024-02-29T23:00', '2024-04-30T22:00']);
  });
});
