import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isoTime } from '../../../http/dates.js';
import { eventRow, type TestEvents, testEvents } from '../../../testing/events.js';
import { querySchema } from '../../query.js';
import { runQuery } from '../../run.js';
import type { ListResult } from '../kind.js';

/*
 * Pages of lists of events, whose events are looked for in the last day first and then in longer spans.
 */

const NOW = Date.UTC(2024, 0, 16, 12);
const DAY = 24 * 3_600_000;
/** Ages in days: several within a day, at the edge of a window, and beyond all windows; some are equal, and one is in the future. */
const AGES = [-0.1, 0, 0.1, 0.1, 0.1, 0.5, 0.99, 1, 1, 1.01, 2, 2, 15, 29.9, 30, 30, 30.1, 31, 90, 400, 400];
const personOf = (at: number) => `00000000-0000-4000-8000-00000000000${at % 4}`;
/** Person 3 was merged into person 0, and 2 has no profile. */
const EMAILS: Record<number, string> = { 0: 'a@example.com', 1: 'b@example.com', 3: 'a@example.com' };

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  const row = (age: number, at: number) => ({
    event: at % 2 === 0 ? 'even' : 'odd',
    distinct_id: `d${at % 4}`,
    person_id: personOf(at),
    timestamp: NOW - age * DAY,
    properties: { at },
  });
  await events.put(
    'events',
    AGES.map((age, at) => eventRow(at + 1, row(age, at))),
  );
  await events.put('events', [eventRow(99, { project_id: 2, event: 'foreign', timestamp: NOW - 1 })]);
  const person = { project_id: 1, is_identified: true, is_deleted: false, created_at: NOW, version: 1 };
  await events.put(
    'persons',
    [0, 1].map((at) => ({ ...person, person_id: personOf(at), properties: { email: EMAILS[at] ?? '' } })),
  );
  await events.put('person_overrides', [{ project_id: 1, distinct_id: 'd3', person_id: personOf(0), version: 1 }]);
});
afterAll(() => events.close());

async function list(query: object): Promise<ListResult> {
  const parsed = querySchema.parse({ kind: 'EventsQuery', after: 'all', ...query });
  return (await runQuery(events.store, parsed, { projectId: 1, timezone: 'UTC', now: NOW })) as ListResult;
}

const iso = (age: number) => isoTime(new Date(NOW - age * DAY));
const SELECT = ['properties.at', 'timestamp', 'person.properties.email'];

/** Indexes of the listed events, newest first; equal times by uuid, which grow with the index. */
const wanted = ({ after, before, event }: { after: number; before: number; event: string | null }) =>
  AGES.map((age, at) => ({ age, at }))
    .filter(({ age, at }) => age < after && age > before && (event === null || (at % 2 === 0 ? 'even' : 'odd') === event))
    .sort((a, b) => a.age - b.age || a.at - b.at)
    .map(({ at }) => at);

const bounds = fc.record({
  after: fc.constantFrom(1000, 400, 31, 30, 2, 1, 0.5),
  before: fc.constantFrom(-1, 0, 0.1, 1, 2, 30),
  event: fc.constantFrom(null, 'even', 'odd'),
  // none, one of SQL, or all properties, which are read in different ways
  column: fc.constantFrom(null, "concat('x', person.properties.email)", 'properties'),
});

test('all pages together are the whole list, for any bounds and page size', async () => {
  await fc.assert(
    fc.asyncProperty(bounds, fc.integer({ min: 1, max: 25 }), async (of, limit) => {
      const all = wanted(of);
      const seen: unknown[] = [];
      for (let offset = 0; ; offset += limit) {
        const select = of.column === null ? SELECT : [...SELECT, of.column];
        const query = { select, after: iso(of.after), before: iso(of.before), event: of.event, limit, offset };
        const { results, hasMore } = await list(query);
        seen.push(...results.map((row) => row.slice(0, SELECT.length)));
        expect(hasMore).toBe(offset + limit < all.length);
        if (!hasMore) break;
      }
      expect(seen).toEqual(all.map((at) => [at, iso(AGES[at] ?? 0), EMAILS[at % 4] ?? null]));
    }),
    { numRuns: 60 },
  );
});

test('a long page, an order from the oldest and one by a property of persons list the same events', async () => {
  const all = wanted({ after: 1000, before: -1, event: null });
  const ats = async (query: object) => (await list({ select: ['properties.at'], ...query })).results.flat();
  expect(await ats({ limit: 5_000 })).toEqual(all);
  expect(await ats({ orderBy: ['timestamp ASC'], limit: 4 })).toEqual([19, 20, 18, 17]);
  const byEmail = (await list({ select: SELECT, orderBy: ['person.properties.email', 'timestamp desc'], limit: 100 })).results;
  expect(byEmail.map((row) => row[2])).toEqual([
    ...AGES.flatMap((_, at) => (at % 4 === 0 || at % 4 === 3 ? ['a@example.com'] : [])),
    ...AGES.flatMap((_, at) => (at % 4 === 1 ? ['b@example.com'] : [])),
    ...AGES.flatMap((_, at) => (at % 4 === 2 ? [null] : [])),
  ]);
});

test.each([
  ['*', 'person'],
  ['*', 'upper(person.properties.email)'],
])('a page is found and then read: no statement reads the profiles of all persons for %s, %s', async (...select) => {
  const statements: string[] = [];
  const store = {
    ...events.store,
    query: (statement: Parameters<typeof events.store.query>[0]) => {
      statements.push(statement.sql);
      return events.store.query(statement);
    },
  };
  const query = querySchema.parse({ kind: 'EventsQuery', after: 'all', select, limit: 2 });
  await runQuery(store as typeof events.store, query, { projectId: 1, timezone: 'UTC', now: NOW });
  expect(statements).toHaveLength(2);
  expect(statements[0]).not.toMatch(/ persons | properties/);
  expect(statements[1]).toMatch(/person_id in \{/);
});
