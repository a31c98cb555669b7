import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { EventsStore, TableCache } from '../../ports/events.js';
import { eventRow, type TestEvents, testEvents } from '../../testing/events.js';

const DAY = 86_400_000;
const [ANNA, BERT] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
});
afterAll(() => events.close());

let lastProject = 100;
let lastRow = 0;

/** On a cluster there is no such cache. */
const withCache = test.skipIf(Boolean(inject('clickhouseCluster')));

function cacheOf({ tableCache }: EventsStore): TableCache {
  if (!tableCache) throw new Error('The embedded store has a cache of tables.');
  return tableCache;
}

const capture = (project_id: number, distinct_id: string, person_id = ANNA, timestamp = 10 * DAY) =>
  events.put('events', [eventRow(++lastRow, { project_id, distinct_id, person_id, timestamp })]);
const merge = (project_id: number, distinct_id: string, person_id: string) =>
  events.put('person_overrides', [{ project_id, distinct_id, person_id, version: 1 }]);

/** The pairs of distinct ids and persons that a change since has touched, as numbers. */
async function touched(projectId: number, since: number): Promise<object[]> {
  const { table } = await cacheOf(events.store).people(projectId);
  const { rows } = await events.store.query<object>({
    sql: `select distinct hash, number from ${table} where at > {since:Int64} order by hash, number`,
    params: { since },
  });
  return rows;
}

async function numbersOf(pairs: (readonly [distinctId: string, person: string])[]): Promise<object[]> {
  const { rows } = await events.store.query<object>({
    sql: `select cityHash64(pair.1) as hash, cityHash64(toUUID(pair.2)) as number
      from (select arrayJoin(arrayZip({ids:Array(String)}, {persons:Array(String)})) as pair) order by hash, number`,
    params: { ids: pairs.map(([id]) => id), persons: pairs.map(([, person]) => person) },
  });
  return rows;
}

withCache('people are those of all events and merges, and a change touches those of its rows', async () => {
  const project = ++lastProject;
  await capture(project, 'a');
  await merge(project, 'b', BERT);
  const { last } = await cacheOf(events.store).people(project);
  expect(await touched(project, -1)).toEqual(
    await numbersOf([
      ['a', ANNA],
      ['b', BERT],
    ]),
  );
  expect(await touched(project, last)).toEqual([]);
  await capture(project, 'c');
  await merge(project, 'a', BERT);
  await capture(++lastProject, 'd');
  expect(await touched(project, last)).toEqual(
    await numbersOf([
      ['c', ANNA],
      ['a', BERT],
    ]),
  );
  const after = await cacheOf(events.store).people(project);
  expect([after.touchedSince(last), after.touchedSince(after.last)]).toEqual([2, 0]);
});

withCache('a deletion may have touched anybody', async () => {
  const project = ++lastProject;
  await capture(project, 'a');
  const { last } = await cacheOf(events.store).people(project);
  await expect
    .poll(() => events.store.deleteEvents(project, [{ distinctIds: ['a'], until: 20 * DAY + Date.now() }]), { interval: 50 })
    .toBe(true);
  expect((await cacheOf(events.store).people(project)).anybody).toBeGreaterThan(last);
});

withCache('people are read again once the engine has lost them, and what changed before counts as unknown', async () => {
  const project = ++lastProject;
  await capture(project, 'a');
  const { table, last } = await cacheOf(events.store).people(project);
  cacheOf(events.store).drop(table);
  await capture(project, 'b');
  await expect(cacheOf(events.store).people(project)).rejects.toMatchObject({ code: 60 });
  const again = await cacheOf(events.store).people(project);
  expect(again.anybody).toBeGreaterThan(last);
  expect(await touched(project, -1)).toEqual(
    await numbersOf([
      ['a', ANNA],
      ['b', ANNA],
    ]),
  );
});

withCache('a long series of changes is written anew, with the last change of each distinct id', async () => {
  const project = ++lastProject;
  await capture(project, 'a');
  const first = await cacheOf(events.store).people(project);
  for (let change = 0; change <= 201; change++) {
    await capture(project, change % 2 ? 'a' : 'b');
    await cacheOf(events.store).people(project);
  }
  const { table, last } = await cacheOf(events.store).people(project);
  expect(table).not.toBe(first.table);
  expect(await touched(project, first.last)).toEqual(
    await numbersOf([
      ['a', ANNA],
      ['b', ANNA],
    ]),
  );
  expect(await touched(project, last)).toEqual([]);
});

withCache('a project whose people change too fast is left, and followed again by the next call but one', async () => {
  const project = ++lastProject;
  await capture(project, 'a');
  const { last } = await cacheOf(events.store).people(project);
  const rows = Array.from({ length: 100_001 }, (_, index) =>
    eventRow(++lastRow, { project_id: project, distinct_id: `visitor ${index}`, timestamp: 10 * DAY }),
  );
  await events.put('events', rows);
  await expect(cacheOf(events.store).people(project)).rejects.toThrow('Too many people');
  expect((await cacheOf(events.store).people(project)).anybody).toBeGreaterThan(last);
});
