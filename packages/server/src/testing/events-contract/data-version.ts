import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { EventsStore } from '../../ports/events.js';
import { count, eventRow, project, token } from './rows.js';

/** Tests of `dataVersion`, which caches of results depend on. @param store is called once tests run */
export function dataVersionContract(store: () => EventsStore): void {
  const PERSON = '0190163d-8694-7000-9000-000000000008';
  const DAY = 86_400_000;
  const TODAY = Math.floor(eventRow({ project_id: 1 }).timestamp / DAY);
  /** The versions of a project: of everything, of profiles, and of the days from yesterday to tomorrow. */
  const versions = async (projectId: number) => {
    const { whole, profiles, days } = await store().dataVersion(projectId);
    const { day } = await days();
    return { whole, profiles, days: [day(TODAY - 1), day(TODAY), day(TODAY + 1)] as const };
  };

  test('the data version of a project changes when rows of it are stored, in any table, and only then', async () => {
    const project_id = project();
    const other = project();
    const keyed = { project_id, version: 1, created_at: 0, properties: {} };
    const rows = {
      events: eventRow({ project_id }),
      persons: { ...keyed, person_id: PERSON, is_identified: true, is_deleted: false },
      person_overrides: { project_id, distinct_id: 'a', person_id: PERSON, version: 1 },
      groups: { ...keyed, group_type_index: 0, group_key: 'acme' },
    };
    const before = await versions(other);
    const seen = [(await versions(project_id)).whole];
    for (const table of ['events', 'persons', 'person_overrides', 'groups'] as const) {
      await store().insert(table, [rows[table]], token());
      seen.push((await versions(project_id)).whole);
      expect((await versions(project_id)).whole).toBe(seen.at(-1));
    }
    expect(new Set(seen).size).toBe(5);
    expect(await versions(other)).toEqual(before);
  });

  test('an event changes the version of its UTC day and of no other, also when it is late', async () => {
    const project_id = project();
    const first = await versions(project_id);
    await store().insert('events', [eventRow({ project_id, timestamp: (TODAY + 1) * DAY - 1 })], token());
    const second = await versions(project_id);
    expect(second.days[1]).not.toBe(first.days[1]);
    expect([second.days[0], second.days[2], second.profiles]).toEqual([first.days[0], first.days[2], first.profiles]);
    await store().insert('events', [eventRow({ project_id, timestamp: (TODAY - 1) * DAY })], token());
    const third = await versions(project_id);
    expect(third.days[0]).not.toBe(second.days[0]);
    expect(third.days.slice(1)).toEqual(second.days.slice(1));
  });

  test('a person or a group changes the version of profiles and of no day', async () => {
    const project_id = project();
    await store().insert('events', [eventRow({ project_id })], token());
    const keyed = { project_id, version: 1, created_at: 0, properties: {} };
    const seen = [await versions(project_id)];
    await store().insert('persons', [{ ...keyed, person_id: PERSON, is_identified: true, is_deleted: false }], token());
    seen.push(await versions(project_id));
    await store().insert('groups', [{ ...keyed, group_type_index: 0, group_key: 'acme' }], token());
    seen.push(await versions(project_id));
    expect(new Set(seen.map(({ profiles }) => profiles)).size).toBe(3);
    for (const { days } of seen) expect(days).toEqual(seen[0]?.days);
  });

  test('a merge changes the version of the days on which its distinct id has events', async () => {
    const project_id = project();
    await store().insert('events', [eventRow({ project_id, distinct_id: 'merged', timestamp: TODAY * DAY })], token());
    await store().insert('events', [eventRow({ project_id, distinct_id: 'other', timestamp: (TODAY - 1) * DAY })], token());
    const before = await versions(project_id);
    const merge = { project_id, distinct_id: 'merged', person_id: PERSON, version: 1 };
    await store().insert('person_overrides', [merge], token());
    // several callers at once all learn of it
    const all = await Promise.all([versions(project_id), versions(project_id), versions(project_id)]);
    for (const after of all) expect(after.days[1]).not.toBe(before.days[1]);
  });

  test('a person who comes to be, turns out to be older, or is deleted changes the version of births', async () => {
    const project_id = project();
    const born = async () => {
      const { day } = await (await store().dataVersion(project_id)).births();
      return [day(TODAY - 1), day(TODAY)] as const;
    };
    const person = { project_id, person_id: PERSON, properties: {}, is_identified: true, is_deleted: false };
    const put = (row: object) => store().insert('persons', [{ ...person, version: 1, created_at: TODAY * DAY, ...row }], token());
    const seen = [await born()];
    for (const row of [
      { version: 1, previous_created_at: null },
      // merged with somebody who was there before
      { version: 2, previous_created_at: TODAY * DAY, created_at: TODAY * DAY - 1 },
      { version: 3, previous_created_at: TODAY * DAY - 1, created_at: TODAY * DAY - 1, is_deleted: true },
      { version: 4, previous_created_at: null },
      // of a copy that was late, the version before is unknown
      { version: 5 },
    ]) {
      await put(row);
      seen.push(await born());
    }
    for (const [index, later] of seen.slice(1).entries()) {
      const changed = later.map((version, at) => version !== seen[index]?.[at]);
      expect(changed, String(index)).toContain(true);
      if (index === 1 || index === 4) expect(changed).toEqual([true, true]);
    }
  });

  test('a deletion of events changes the versions of the days that lose some, and of no other, when it begins and when it ends', async () => {
    const project_id = project();
    const put = (distinct_id: string, day: number) =>
      store().insert('events', [eventRow({ project_id, distinct_id, timestamp: day * DAY })], token());
    await put('gone', TODAY);
    await put('stays', TODAY - 1);
    const before = await versions(project_id);
    const gone = [{ distinctIds: ['gone'], until: Date.now() + DAY }];
    expect(await store().deleteEvents(project_id, gone)).toBe(false);
    const begun = await versions(project_id);
    await expect.poll(() => store().deleteEvents(project_id, gone), { timeout: 60_000 }).toBe(true);
    const ended = await versions(project_id);
    expect(new Set([before, begun, ended].map(({ whole }) => whole)).size).toBe(3);
    expect(new Set([before, begun, ended].map(({ days }) => days[1])).size).toBe(3);
    for (const { days } of [begun, ended]) expect([days[0], days[2]]).toEqual([before.days[0], before.days[2]]);
    // nothing is left to delete
    expect(await store().deleteEvents(project_id, gone)).toBe(true);
    expect(await versions(project_id)).toEqual(ended);
  });

  test('events whose retention is over are deleted, of each project by its own limit, with the versions of their days', async () => {
    const [short, long, forever] = [project(), project(), project()];
    for (const project_id of [short, long, forever]) {
      for (const timestamp of [TODAY * DAY - 1, TODAY * DAY, (TODAY - 1) * DAY - 1]) {
        await store().insert('events', [eventRow({ project_id, timestamp })], token());
      }
    }
    const before = await versions(long);
    const untouched = await versions(forever);
    const limits = [
      { projectId: short, before: TODAY * DAY },
      { projectId: long, before: (TODAY - 1) * DAY },
    ];
    await expect.poll(() => store().deleteEventsBefore(limits), { timeout: 60_000 }).toBe(true);
    expect(await Promise.all([short, long, forever].map((id) => count(store(), id)))).toEqual([1, 2, 3]);
    expect(await versions(forever)).toEqual(untouched);
    const after = await versions(long);
    expect(after.whole).not.toBe(before.whole);
    expect(after.days).toEqual(before.days);
    // an event that is older than the retention and came late
    await store().insert('events', [eventRow({ project_id: long, timestamp: 0 })], token());
    await expect.poll(() => store().deleteEventsBefore(limits), { timeout: 60_000 }).toBe(true);
    expect(await count(store(), long)).toBe(2);
    expect((await versions(long)).days).toEqual(after.days);
    expect(await store().deleteEventsBefore([])).toBe(true);
  });

  test('each insert changes the data version, also with concurrent reads and writes', async () => {
    const project_id = project();
    const counted = new Map<string, number>();
    let stored = 0;
    let writing = 4;
    const write = async () => {
      for (let i = 0; i < 8; i++) {
        await store().insert('events', [eventRow({ project_id })], token());
        stored++;
      }
      writing--;
    };
    const readOnce = async () => {
      const before = stored;
      const version = (await store().dataVersion(project_id)).whole;
      const known = counted.get(version);
      if (known === undefined) counted.set(version, (await count(store(), project_id)) ?? 0);
      else expect(known).toBeGreaterThanOrEqual(before);
    };
    const read = async () => {
      while (writing > 0) {
        await readOnce();
        // a store may know its version without waiting for anything
        await nextTurn();
      }
    };
    await readOnce();
    await Promise.all([write(), write(), write(), write(), read(), read(), read()]);
    await readOnce();
    expect(counted.size).toBeGreaterThan(1);
  });
}
