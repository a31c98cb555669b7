import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventsStore } from '../../ports/events.js';
import { eventRow, type TestEvents, testEvents } from '../../testing/events.js';
import { createScheduler } from '../system/index.js';
import { type Changes, createChanges } from './changes.js';
import { createDaysOfIds } from './days-of-ids.js';

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
});
afterAll(() => events.close());

const DAY = 86_400_000;
const scheduler = createScheduler();
const changesOf = (query: EventsStore['query']) => createChanges(query, createDaysOfIds(query, scheduler, { bytes: 1_000_000 }));
const PERSON = '00000000-0000-4000-8000-000000000abc';
/** The versions of some days, all of which have been wanted before. */
const versionsOf = async (changes: Changes, project: number, days: readonly number[]) => {
  const { day } = await changes.versionOf(project).days();
  return days.map(day);
};
const merge = (project_id: number, distinct_id: string) => ({ project_id, distinct_id, person_id: PERSON, version: 1 });

test('versions of days are found while somebody is merged during each look-up, and the next caller gets that merge', async () => {
  const first = eventRow(1, { project_id: 7, distinct_id: 'first', timestamp: 10 * DAY });
  const second = eventRow(2, { project_id: 7, distinct_id: 'second', timestamp: 20 * DAY });
  await events.put('events', [first, second]);
  let lookUps = 0;
  const query: EventsStore['query'] = (statement) => {
    lookUps += 1;
    changes.inserted('person_overrides', [merge(7, 'second')]);
    return events.store.query(statement);
  };
  const changes = changesOf(query);
  const before = await changes.versionOf(7).days();
  before.day(10);
  changes.inserted('person_overrides', [merge(7, 'first')]);

  const during = await changes.versionOf(7).days();
  expect(lookUps).toBe(1);
  expect(during.day(10)).not.toBe(before.day(10));
  expect(during.day(20)).toBe(before.day(20));

  const after = await changes.versionOf(7).days();
  expect(lookUps).toBe(2);
  expect(after.day(20)).not.toBe(before.day(20));
  expect(after.day(10)).toBe(during.day(10));
});

test('new persons have days looked up for versions of births alone, and only once these are read', async () => {
  let lookUps = 0;
  const query: EventsStore['query'] = (statement) => {
    if (statement.sql.includes('distinct_hash')) lookUps += 1;
    return events.store.query(statement);
  };
  const changes = changesOf(query);
  const row = eventRow(1, { project_id: 8, distinct_id: 'visitor', timestamp: 10 * DAY, person_mode: 'propertyless' });
  const create = (version: number) =>
    changes.inserted('persons', [
      {
        project_id: 8,
        person_id: PERSON,
        properties: {},
        is_identified: true,
        is_deleted: false,
        created_at: 20 * DAY,
        previous_created_at: null,
        first_distinct_ids: ['visitor'],
        version,
      },
    ]);
  await events.put('events', [row]);
  changes.inserted('events', [row]);
  create(1);
  await changes.versionOf(8).days();
  const before = await changes.versionOf(8).births();
  expect(lookUps).toBe(0);

  create(2);
  await changes.versionOf(8).days();
  expect(lookUps).toBe(0);
  const after = await changes.versionOf(8).births();
  expect(lookUps).toBe(1);
  expect([9, 10, 20].map((day) => after.day(day) === before.day(day))).toEqual([true, false, false]);
});

test('more merged distinct ids than are looked up together touch all days', async () => {
  let lookUps = 0;
  const query: EventsStore['query'] = (statement) => {
    lookUps += 1;
    return events.store.query(statement);
  };
  const changes = changesOf(query);
  const before = await changes.versionOf(9).days();
  changes.inserted(
    'person_overrides',
    Array.from({ length: 10_001 }, (_, at) => merge(9, `merged ${at}`)),
  );
  const after = await changes.versionOf(9).days();
  expect(after.day(5)).not.toBe(before.day(5));
  expect(lookUps).toBe(0);
});

test('the days of a merge are looked up from the oldest day on that anybody has wanted; it touches all older ones', async () => {
  const days = [10, 20, 30, 40];
  const rows = days.map((day, at) => eventRow(at + 11, { project_id: 10, distinct_id: `of ${day}`, timestamp: day * DAY }));
  await events.put('events', rows);
  const from: unknown[] = [];
  const query: EventsStore['query'] = (statement) => {
    from.push(Number(statement.params?.['from']) / DAY);
    return events.store.query(statement);
  };
  const changes = changesOf(query);
  const touched = async (wanted: readonly number[], distinctId: string) => {
    const before = await versionsOf(changes, 10, wanted);
    changes.inserted('person_overrides', [merge(10, distinctId)]);
    const after = await versionsOf(changes, 10, wanted);
    return wanted.filter((_, index) => before[index] !== after[index]);
  };
  expect(await touched([30, 40], 'of 40')).toEqual([40]);
  const before = await versionsOf(changes, 10, [20]);
  expect(from).toEqual([30]);
  // it may have been on any day before the 30th, which has been wanted since
  changes.inserted('person_overrides', [merge(10, 'of 10')]);
  expect(await versionsOf(changes, 10, [20, 30])).toEqual([before[0], expect.anything()]);
  expect(from).toEqual([30, 20]);
  expect(await touched([20, 30, 40], 'of 30')).toEqual([30]);
  expect(await touched([10, 20, 30], 'of 10')).toEqual([10]);
});

test('a day that is wanted while the days of a merge are looked up counts as touched by it', async () => {
  await events.put('events', [eventRow(21, { project_id: 11, distinct_id: 'visitor', timestamp: 10 * DAY })]);
  const older: string[] = [];
  const query: EventsStore['query'] = async (statement) => {
    const found = await events.store.query<never>(statement);
    older.push(first.day(10));
    return found;
  };
  const changes = changesOf(query);
  const first = await changes.versionOf(11).days();
  first.day(20);
  changes.inserted('person_overrides', [merge(11, 'visitor')]);
  const [after] = await versionsOf(changes, 11, [10]);
  expect(older).toHaveLength(1);
  expect(after).not.toBe(older[0]);
});
