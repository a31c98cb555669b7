import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { EventRow, EventsStore } from '../../ports/events.js';
import { eventRow, type TestEvents, testEvents } from '../../testing/events.js';
import { createDaysOfIds, type DaysOfIds } from './days-of-ids.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
});
afterAll(() => events.close());

const DAY = 86_400_000;
const MANY = { bytes: 1_000_000, lookups: 1 };
let projects = 0;
let made = 0;

/** A project of its own, whose events are found by a reader that counts the searches in the tables. */
function project(limits = MANY) {
  const id = 100 + ++projects;
  const scheduler = { now: 0, uptime: () => scheduler.now, yield: async () => {} };
  const store = { searches: 0, lists: 0, running: 0, fails: false, meanwhile: async () => {} };
  const query: EventsStore['query'] = async (statement) => {
    if (statement.sql.includes('distinct_hash')) store.searches++;
    else if (statement.sql.includes('CRC32')) store.lists++;
    store.running++;
    try {
      const found = await events.store.query<never>(statement);
      await store.meanwhile();
      if (store.fails) throw new Error('The store does not answer.');
      return found;
    } finally {
      store.running--;
    }
  };
  const days = createDaysOfIds(query, scheduler, limits);
  const row = (day: number, distinct_id: string): EventRow =>
    eventRow(++made, { project_id: id, distinct_id, timestamp: day * DAY + (made % DAY) });
  const put = async (rows: EventRow[]) => {
    await events.put('events', rows);
    days.inserted(rows);
  };
  const find = async (ids: string[], from = Number.NEGATIVE_INFINITY) =>
    [...(await days.find(id, ids, from))].sort((a, b) => a - b);
  /** Waits until a search reads no table. */
  const listed = (from: number) =>
    vi.waitFor(async () => {
      const { searches } = store;
      await find(['somebody'], from);
      expect(store.searches).toBe(searches);
    }, 20_000);
  return { id, days, store, scheduler, row, put, find, listed };
}

test('days are found in the tables, then in lists, which have the events that were inserted since', async () => {
  const { row, put, find, listed, store } = project();
  await put([row(-20_000, 'old'), row(10, 'ann'), row(10, 'bob'), row(20, 'ann'), row(30, 'Zoë 🦊')]);
  const found = async () => [
    await find(['ann']),
    await find(['old', 'Zoë 🦊']),
    await find(['ann', 'bob'], 11),
    await find(['nobody']),
  ];
  const expected = [[10, 20], [-20_000, 30], [20], []];
  expect(await found()).toEqual(expected);
  await listed(Number.NEGATIVE_INFINITY);
  const { lists } = store;
  expect(await found()).toEqual(expected);
  await put([row(15, 'nobody'), row(20, 'nobody'), row(-20_000, 'ann')]);
  expect(await found()).toEqual([[-20_000, 10, 20], [-20_000, 30], [20], [15, 20]]);
  expect(store.lists).toBe(lists);
});

test('days before those that are listed are searched in the tables, until they are listed, too', async () => {
  const { row, put, find, listed, store } = project();
  await put([row(10, 'ann'), row(20, 'ann'), row(30, 'ann')]);
  await listed(20);
  store.fails = true;
  expect(await find(['ann'], 20)).toEqual([20, 30]);
  await expect(find(['ann'], 10)).rejects.toThrow('does not answer');
  store.fails = false;
  expect(await find(['ann'], 10)).toEqual([10, 20, 30]);
  await listed(10);
  expect(await find(['ann'], 10)).toEqual([10, 20, 30]);
});

test('lists take no more memory than they may, and what they lack is searched in the tables', async () => {
  const { row, put, find, store } = project({ bytes: 4_000, lookups: 1 });
  const names = Array.from({ length: 100 }, (_, i) => `person ${i}`);
  const days = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  await put(days.flatMap((day) => names.map((name) => row(day, name))));
  await find(['person 7']);
  // 3,000 bytes: those of seven and a half days
  await vi.waitFor(() => expect(store.lists).toBe(8));
  for (let i = 0; i < 5; i++) expect(await find(['person 7'])).toEqual(days);
  expect(store.searches).toBe(6);
  const searches = () => store.searches;
  await find(['person 7'], 5);
  expect(searches()).toBe(6);
  // 40 bytes each until a list takes them in: more than all lists may have
  await put(Array.from({ length: 90 }, (_, i) => row(10, `newcomer ${i}`)));
  expect(await find(['person 7', 'newcomer 1'])).toEqual(days);
  expect(await find(['newcomer 89'])).toEqual([10]);
  await find(['person 7'], 5);
  expect(searches()).toBeGreaterThan(8);
});

test('a day whose list is dropped while others are read is searched in the tables', async () => {
  const { row, put, find, store } = project({ bytes: 60, lookups: 1 });
  let statements = 0;
  store.meanwhile = async () => {
    // the search, then the days with events, of which there are none yet
    if (++statements === 2) await put([row(2, 'ann'), row(2, 'bob')]);
  };
  expect(await find(['ann'], 0)).toEqual([]);
  await vi.waitFor(() => expect([statements, store.running]).toEqual([2, 0]), 20_000);
  expect(await find(['ann'], 0)).toEqual([2]);
});

test('after a failed insert, the days of the project are searched in the tables for ten minutes', async () => {
  const { id, row, put, find, listed, store, days, scheduler } = project();
  await put([row(10, 'ann')]);
  await listed(0);
  const late = row(11, 'ann');
  days.failed([{ project_id: id }]);
  days.inserted([late]);
  await events.put('events', [late]);
  for (let i = 0; i < 3; i++) expect(await find(['ann'], 0)).toEqual([10, 11]);
  expect(store.searches).toBeGreaterThanOrEqual(4);
  scheduler.now += 600_000;
  await listed(0);
  expect(await find(['ann'], 0)).toEqual([10, 11]);
});

test('lists that nobody has used for a quarter of an hour are dropped, and leave their memory to others', async () => {
  const { row, put, find, listed, store, scheduler } = project({ bytes: 60, lookups: 1 });
  await put([row(10, 'ann')]);
  await listed(0);
  await put([row(11, 'ann')]);
  const { searches } = store;
  scheduler.now += 900_001;
  await put([row(12, 'ann')]);
  expect(await find(['ann'], 0)).toEqual([10, 11, 12]);
  expect(store.searches).toBe(searches + 1);
  // 4 bytes each, while the one that was recorded took 40
  await listed(0);
  expect(await find(['ann'], 0)).toEqual([10, 11, 12]);
});

test('whatever is inserted, and whenever lists are read, each day of a distinct id is found', async () => {
  const day = fc.integer({ min: 0, max: 5 });
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const put = fc.record({ kind: fc.constant('put' as const), day, name });
  const find = fc.record({ kind: fc.constant('find' as const), from: day, name });
  const other = fc.record({ kind: fc.constantFrom('fail' as const, 'wait' as const, 'listed' as const, 'listed' as const) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(put, put, find, find, other), { minLength: 5, maxLength: 25 }),
      fc.array(fc.array(fc.record({ day, name }), { maxLength: 4 }), { maxLength: 10 }),
      fc.integer({ min: 4, max: 400 }),
      async (steps, between, bytes) => {
        const { id, row, put, days, store, scheduler } = project({ bytes, lookups: 1 });
        const stored: { day: number; name: string }[] = [];
        const insert = async (one: { day: number; name: string }) => {
          await put([row(one.day, one.name)]);
          stored.push(one);
        };
        // each statement has read, and its result is not there yet
        store.meanwhile = async () => {
          for (const next of between.shift() ?? []) await insert(next);
        };
        for (const step of steps) {
          if (step.kind === 'put') await insert(step);
          else if (step.kind === 'find') await expectFound(days, id, [...stored], step);
          else if (step.kind === 'fail') days.failed([{ project_id: id }]);
          else if (step.kind === 'wait') scheduler.now += 400_000;
          else await vi.waitFor(() => expect(store.running).toBe(0), { timeout: 20_000, interval: 2 });
        }
      },
    ),
    { numRuns: 100 },
  );
});

async function expectFound(
  days: DaysOfIds,
  project: number,
  stored: readonly { day: number; name: string }[],
  { from, name }: { from: number; name: string },
): Promise<void> {
  const found = await days.find(project, [name], from);
  for (const one of stored) if (one.name === name && one.day >= from) expect([...found]).toContain(one.day);
}
