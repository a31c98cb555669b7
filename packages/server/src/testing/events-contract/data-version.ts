import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { EventsStore } from '../../ports/events.js';
import { count, eventRow, project, token } from './rows.js';

/** Tests of `dataVersion`, which caches of results depend on. @param store is called once tests run */
export function dataVersionContract(store: () => EventsStore): void {
  test('the data version changes only when rows are stored, in any table', async () => {
    const id = '0190163d-8694-7000-9000-000000000008';
    const project_id = project();
    const keyed = { project_id, version: 1, created_at: 0, properties: {} };
    const rows = {
      events: eventRow({ project_id }),
      persons: { ...keyed, person_id: id, is_identified: true, is_deleted: false },
      person_overrides: { project_id, distinct_id: 'a', person_id: id, version: 1 },
      groups: { ...keyed, group_type_index: 0, group_key: 'acme' },
    };
    const seen = [await store().dataVersion()];
    for (const table of ['events', 'persons', 'person_overrides', 'groups'] as const) {
      await store().insert(table, [rows[table]], token());
      seen.push(await store().dataVersion());
      expect(await store().dataVersion()).toBe(seen.at(-1));
    }
    expect(new Set(seen).size).toBe(5);
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
      const version = await store().dataVersion();
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
