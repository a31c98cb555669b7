import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validate } from '../../../http/validate.js';
import type { EventRow } from '../../../ports/events.js';
import { type TestEvents, testEvents } from '../../../testing/events.js';
import {
  byActor,
  HISTORY_START,
  histories,
  ordinalOf,
  people,
  personOf,
  putMerges,
  putRows,
  rowsOf,
} from '../../../testing/histories.js';
import { runs } from '../../../testing/runs.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  await putMerges(events);
});
afterAll(() => events.close());

const NOW = Date.UTC(2024, 3, 9, 5);
const FROM = Date.UTC(2024, 3, 1, 3);
const TO = Date.UTC(2024, 3, 7, 17);
const HOUR = 3_600_000;

const anyQuery = fc.record({
  interval: fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const),
  event: fc.constantFrom('a', 'b', null),
  groups: fc.boolean(),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  /** Whether dates stand for instants, or for whole intervals. */
  isExact: fc.boolean(),
});
type AnyQuery = typeof anyQuery extends fc.Arbitrary<infer T> ? T : never;

const queryOf = ({ interval, event, groups, isExact }: AnyQuery) => ({
  kind: 'LifecycleQuery',
  interval,
  series: [{ kind: 'EventsNode', event }],
  dateRange: isExact
    ? { date_from: new Date(FROM).toISOString(), date_to: new Date(TO).toISOString(), explicitDate: true }
    : { date_from: '2024-04-03', date_to: '2024-04-05' },
  ...(groups ? { aggregation_group_type_index: 1 } : {}),
});

const STATUSES = ['new', 'returning', 'resurrecting', 'dormant'];

/** The interval in which an hour of a local day is. */
function ordinalOfDay({ interval, timezone }: AnyQuery, date: string, hour: number): number {
  const wanted = `${date} ${String(hour).padStart(2, '0')}`;
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  const from = Date.parse(`${date}T00:00:00Z`) - 24 * HOUR;
  const found = Array.from({ length: 72 }, (_, index) => from + index * HOUR).find((at) => clock.format(at).startsWith(wanted));
  return ordinalOf(found ?? Number.NaN, interval, timezone);
}

function naive(rows: EventRow[], query: AnyQuery, created: Map<string, number>): number[][] {
  const ordinal = (instant: number) => ordinalOf(instant, query.interval, query.timezone);
  const [first, last] = query.isExact
    ? [ordinal(FROM), ordinal(TO - 1)]
    : [ordinalOfDay(query, '2024-04-03', 0), ordinalOfDay(query, '2024-04-05', 23)];
  const isPast = (instant: number) => (query.isExact ? instant < TO : ordinal(instant) <= last);
  const table = STATUSES.map(() => Array.from({ length: last - first + 1 }, () => 0));
  const count = (status: string, period: number, by: number) => {
    const line = table[STATUSES.indexOf(status)];
    if (line && period >= first && period <= last) line[period - first] = (line[period - first] ?? 0) + by;
  };
  const past = rows.filter(({ timestamp }) => isPast(timestamp));
  for (const [actor, all] of byActor(past, query.groups ? (row) => row.group_1 : personOf)) {
    const own = all.filter((row) => query.event === null || row.event === query.event);
    const active = new Set(own.map((row) => ordinal(row.timestamp)).filter((one) => one >= first - 1));
    const since = created.get(actor) ?? Math.min(...all.map(({ timestamp }) => timestamp));
    for (const one of active) {
      const stays = active.has(one - 1) ? 'returning' : 'resurrecting';
      count(one === ordinal(since) && isPast(since) ? 'new' : stays, one, 1);
      if (!active.has(one + 1)) count('dormant', one + 1, -1);
    }
  }
  return table;
}

let projectId = 0;
const births = fc.array(fc.option(fc.integer({ min: -20, max: 9 * 24 }).map((hours) => HISTORY_START + hours * HOUR)), {
  minLength: people.length,
  maxLength: people.length,
});

test('new, returning, resurrecting and dormant actors equal a reference computation, with and without profiles', async () => {
  await fc.assert(
    fc.asyncProperty(histories, births, fc.array(anyQuery, { minLength: 6, maxLength: 6 }), async (history, born, queries) => {
      const created = new Map<string, number>();
      const profiles = people.flatMap((person_id, index) => {
        const created_at = born[index] ?? null;
        if (created_at === null) return [];
        created.set(person_id, created_at);
        return [
          {
            project_id: projectId + 1,
            person_id,
            properties: {},
            is_identified: false,
            is_deleted: false,
            created_at,
            version: 1,
          },
        ];
      });
      const rows = rowsOf(history, ++projectId).map(
        (row): EventRow => ({ ...row, person_mode: created.has(personOf(row)) ? 'full' : 'propertyless' }),
      );
      await putRows(events, rows);
      if (profiles.length > 0) await events.put('persons', profiles);
      for (const query of queries) {
        const parsed = validate(querySchema, queryOf(query));
        const context = { projectId, timezone: query.timezone, now: NOW, hasDenseEvents: async () => projectId % 2 === 0 };
        const { results } = await runQuery(events.store, parsed, context);
        const data = (results as { data: number[] }[]).map((line) => line.data);
        expect(data, JSON.stringify(query)).toEqual(naive(rows, query, query.groups ? new Map() : created));
      }
    }),
    { ...runs(8), endOnFailure: true },
  );
});

test('each status is a series', async () => {
  const query = validate(querySchema, {
    kind: 'LifecycleQuery',
    series: [{ kind: 'EventsNode', event: 'a' }],
    dateRange: { date_from: '2024-04-01', date_to: '2024-04-02' },
  });
  const { results } = await runQuery(events.store, query, { projectId: 999, timezone: 'UTC', now: NOW });
  expect(results).toEqual(
    STATUSES.map((status) =>
      expect.objectContaining({ status, label: `a - ${status}`, data: [0, 0], days: ['2024-04-01', '2024-04-02'] }),
    ),
  );
});

test.each([
  [{ series: [] }, 'series'],
  [
    {
      series: [
        { kind: 'EventsNode', event: 'a' },
        { kind: 'EventsNode', event: 'b' },
      ],
    },
    'series',
  ],
  [{ series: [{ kind: 'EventsNode', event: 'a', math: 'unique_session' }] }, 'series__0__math'],
  [{ interval: 'year' }, 'interval'],
])('%j is refused at %s', (given, attr) => {
  const refused = expect.objectContaining({ body: expect.objectContaining({ attr }) });
  const query = { kind: 'LifecycleQuery', series: [{ kind: 'EventsNode', event: 'a' }], ...given };
  expect(() => validate(querySchema, query)).toThrow(refused);
});
