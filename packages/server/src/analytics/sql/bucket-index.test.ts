import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestEvents, testEvents } from '../../testing/events.js';
import { bucketsOf, INTERVALS } from '../buckets.js';
import { createZone } from '../zone.js';
import { bucketIndex } from './bucket-index.js';
import { render, sql } from './fragment.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
});
afterAll(() => events.close());

const HOUR = 3_600_000;

test('every instant is in the last bucket that begins before it, also across a change of the clocks', async () => {
  const hours = fc.integer({ min: 0, max: 500 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(Date.UTC(2024, 9, 20), Date.UTC(2024, 2, 25)),
      hours,
      hours,
      fc.constantFrom(...INTERVALS),
      fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
      async (start, skipped, length, interval, zone) => {
        const from = start + skipped * HOUR;
        const to = from + (length + 1) * HOUR;
        const buckets = bucketsOf({ from, to }, interval, createZone(zone));
        // minutes of many days are too many
        if (!buckets) return;
        const index = render(sql`${bucketIndex(sql`at`, buckets)}`);
        const { rows } = await events.store.query<{ at: number; place: number }>({
          sql: `select toInt64(arrayJoin(range(${from}, ${to}, ${HOUR / 2}))) as at, ${index.sql} as place`,
          params: index.params,
        });
        const naive = ({ at }: { at: number }) => ({ at, place: buckets.starts.filter((begin) => begin <= at).length - 1 });
        expect(rows).toEqual(rows.map(naive));
      },
    ),
    {
      numRuns: 60,
      // the last day has 25 hours
      examples: [[Date.UTC(2024, 9, 20), 118, 72, 'day', 'Europe/Berlin']],
    },
  );
});
