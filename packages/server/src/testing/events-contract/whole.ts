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

  test('the version of the engine is returned', async () => {
    expect(await store().ping()).toEqual({ version: expect.stringMatching(/^\d+\.\d+\./) });
  });
}
