import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { EventsStore } from '../../ports/events.js';
import { eventRow, project, token } from './rows.js';

/** The store as a whole. @param store once tests run */
export function wholeContract(store: () => EventsStore): void {
  test('all rows of a project are deleted for good, and no others', async () => {
    const [gone, untouched] = [project(), project()];
    const id = '0190163d-8694-7000-9000-000000000009';
    const versioned = { version: 1, created_at: 0, properties: { a: { b: 1 } } };
    for (const project_id of [gone, untouched]) {
      const person = { ...versioned, project_id, person_id: id, is_identified: true, is_deleted: false };
      const group = { ...versioned, project_id, group_type_index: 0, group_key: 'acme' };
      const override = { project_id, distinct_id: 'a', person_id: id, version: 1 };
      await store().insert('events', [eventRow({ project_id, properties: { a: { b: 1 } } })], token());
      await store().insert('persons', [person], token());
      await store().insert('person_overrides', [override], token());
      await store().insert('groups', [group], token());
    }
    const left = async (table: string, project_id: number) =>
      (
        await store().query<{ n: number }>({
          sql: `SELECT count() AS n FROM ${table} WHERE project_id = {project:UInt32}`,
          params: { project: project_id },
        })
      ).rows[0]?.n;
    await vi.waitFor(async () => expect(await store().deleteProject(gone)).toBe(true), { timeout: 60_000, interval: 100 });
    for (const table of ['events', 'persons', 'person_overrides', 'groups']) {
      expect([table, await left(table, gone), await left(table, untouched)]).toEqual([table, 0, 1]);
    }
    expect(await store().deleteProject(project())).toBe(true);
  });

  test('it says what its rows and logs take, and how much is free', async () => {
    const [before, project_id] = [await store().space(), project()];
    const rows = Array.from({ length: 2_000 }, (_, number) =>
      eventRow({ project_id, distinct_id: randomUUID(), properties: { number, text: randomUUID() } }),
    );
    await store().insert('events', rows, token());
    await store().query({ sql: 'SELECT count() FROM events' });
    const after = await store().space();
    // two random texts each; merges of what other tests have stored may free some of it
    expect(after.eventBytes - before.eventBytes).toBeGreaterThan(rows.length * 20);
    expect(after.logBytes).toBeGreaterThanOrEqual(0);
    expect(after.freeBytes).toBeGreaterThan(1e6);
  });

  test('events of distinct ids that were ingested until then are deleted, and the data version changes', async () => {
    const [own, other] = [project(), project()];
    const at = (project_id: number, distinct_id: string, inserted_at: number) =>
      eventRow({ project_id, distinct_id, inserted_at });
    const odd = "an'n \\ ☺";
    const rows = [at(own, odd, 1_000), at(own, odd, 1_001), at(own, 'bob', 999), at(own, 'cy', 1_000), at(other, odd, 1_000)];
    await store().insert('events', rows, token());
    const left = async (project_id: number) =>
      (
        await store().query({
          sql: 'SELECT distinct_id AS id, toUnixTimestamp64Milli(inserted_at) AS at FROM events WHERE project_id = {project:UInt32} ORDER BY id, at',
          params: { project: project_id },
        })
      ).rows;
    const { whole: version } = await store().dataVersion(own);
    const erased = [
      { distinctIds: [odd], until: 999 },
      { distinctIds: ['bob', odd], until: 1_000 },
      { distinctIds: Array.from({ length: 4_998 }, (_, number) => `many ${number}`), until: 1_800_000_000_000 },
      { distinctIds: [], until: 9_000 },
    ];
    await vi.waitFor(async () => expect(await store().deleteEvents(own, erased)).toBe(true), { timeout: 60_000, interval: 100 });
    expect(await left(own)).toEqual([
      { id: odd, at: 1_001 },
      { id: 'cy', at: 1_000 },
    ]);
    expect(await left(other)).toEqual([{ id: odd, at: 1_000 }]);
    expect((await store().dataVersion(own)).whole).not.toBe(version);
    expect(await store().deleteEvents(own, [])).toBe(true);
  });

  test('old versions of deleted persons and overrides are deleted, and no newer ones', async () => {
    const project_id = project();
    const id = (n: number) => `0190163d-8694-7000-9000-0000000000a${n}`;
    const ms = 1_700_000_000_000;
    const person = (n: number, version: number, more: object = {}) => ({
      project_id,
      person_id: id(n),
      properties: { secret: n },
      is_identified: true,
      is_deleted: false,
      created_at: 0,
      version,
      ...more,
    });
    const link = (distinct_id: string, version: number) => ({ project_id, distinct_id, person_id: id(1), version });
    await store().insert('persons', [person(1, ms * 1_000), person(2, ms * 1_000)], token());
    const gone = person(1, ms * 1_000 + 2, { properties: {}, is_deleted: true });
    await store().insert('persons', [gone, person(1, (ms + 5) * 1_000, { properties: { secret: 'new' } })], token());
    await store().insert('person_overrides', [link("o'dd", ms * 1_000), link('stays', ms * 1_000)], token());
    await store().insert('person_overrides', [link("o'dd", (ms + 5) * 1_000)], token());
    const erased = [{ personIds: [id(1), id(9)], distinctIds: ["o'dd"], until: ms }];
    await vi.waitFor(async () => expect(await store().deleteProfiles(project_id, erased)).toBe(true), {
      timeout: 60_000,
      interval: 100,
    });
    const read = async (sql: string) => (await store().query({ sql, params: { project: project_id } })).rows;
    const persons =
      'select toString(person_id) as id, version from persons where project_id = {project:UInt32} order by id, version';
    expect(await read(persons)).toEqual([
      { id: id(1), version: ms * 1_000 + 2 },
      { id: id(1), version: (ms + 5) * 1_000 },
      { id: id(2), version: ms * 1_000 },
    ]);
    const links = 'select distinct_id as id, version from person_overrides where project_id = {project:UInt32} order by id';
    expect(await read(links)).toEqual([
      { id: "o'dd", version: (ms + 5) * 1_000 },
      { id: 'stays', version: ms * 1_000 },
    ]);
    expect(await store().deleteProfiles(project_id, [])).toBe(true);
  });

  test('the version of the engine is returned', async () => {
    expect(await store().ping()).toEqual({ version: expect.stringMatching(/^\d+\.\d+\./) });
  });
}
