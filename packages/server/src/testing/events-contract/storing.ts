import { describe, expect, test } from 'vitest';
import type { EventsStore } from '../../ports/events.js';
import { count, eventRow, project, token } from './rows.js';

/** Rows, and how they get there. @param store once tests run */
export function storingContract(store: () => EventsStore): void {
  describe('rows', () => {
    test('rows of every table are returned as they were written', async () => {
      const project_id = project();
      const event = eventRow({
        project_id,
        elements_chain: 'a.btn:attr__href="/x"',
        group_4: 'acme',
        properties: { $browser: 'Chrome', n: 1.5 },
      });
      const id = '0190163d-8694-7000-9000-000000000001';
      const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
      const versioned = { project_id, version: 3 };
      const person = {
        ...versioned,
        person_id: id,
        properties: { email: 'a@b.c' },
        is_identified: true,
        is_deleted: false,
        created_at: at,
      };
      const override = { ...versioned, distinct_id: 'anonymous', person_id: id };
      const group = { ...versioned, group_type_index: 4, group_key: 'acme', properties: { seats: 3 }, created_at: at };
      await store().insert('events', [event], token());
      await store().insert('persons', [person], token());
      await store().insert('person_overrides', [override], token());
      await store().insert('groups', [group], token());

      const read = async (table: string) =>
        (await store().query({ sql: `SELECT * FROM ${table} WHERE project_id = {p:UInt32}`, params: { p: project_id } })).rows;
      const iso = (time: number) => new Date(time).toISOString();
      expect(await read('events')).toEqual([{ ...event, timestamp: iso(event.timestamp), inserted_at: iso(event.inserted_at) }]);
      expect(await read('persons')).toEqual([{ ...person, created_at: iso(at) }]);
      expect(await read('person_overrides')).toEqual([override]);
      expect(await read('groups')).toEqual([{ ...group, created_at: iso(at) }]);
    });

    test('rows of the same version, or of an older one, collapse to the newest', async () => {
      const row = { project_id: project(), distinct_id: 'd' };
      for (const [person, version] of [
        [1, 1],
        [2, 7],
        [3, 5],
      ] as const) {
        const person_id = `00000000-0000-4000-8000-00000000000${person}`;
        await store().insert('person_overrides', [{ ...row, person_id, version }], token());
      }
      const { rows } = await store().query({
        sql: 'SELECT person_id, version FROM person_overrides FINAL WHERE project_id = {p:UInt32}',
        params: { p: row.project_id },
      });
      expect(rows).toEqual([{ person_id: '00000000-0000-4000-8000-000000000002', version: 7 }]);
    });

    test('any text and any shape of properties is stored, each value with its type', async () => {
      const project_id = project();
      const properties = {
        text: 'ümlaut 😀 \u0000 NUL \u2028 "quoted" \\ back\nline\ttab',
        'dotted.name': 1,
        dotted: { name: 2 },
        'with `backtick`': true,
        date: '2026-01-02',
        time: '2026-01-02 03:04:05',
        iso: '2026-01-02T03:04:05.678Z',
        number_like: '0042',
        zero: 0,
        negative: -1.25,
        exponent: 1.5e300,
        large: 9_007_199_254_740_991,
        list: [1, 'two', null, true, { three: 3 }, [4]],
        flags: [true, 1],
        empty_list: [],
        empty_text: '',
        deep: { a: { b: { c: [{ d: 'e' }] } } },
      };
      const row = eventRow({ project_id, properties, distinct_id: 'a\u0000b😀', event: "it's \\ \n" });
      await store().insert('events', [row], token());
      const { rows } = await store().query({
        sql: 'SELECT properties, distinct_id, event FROM events WHERE project_id = {p:UInt32} AND distinct_id = {d:String} AND event = {e:String}',
        params: { p: project_id, d: row.distinct_id, e: row.event },
      });
      expect(rows).toEqual([{ properties, distinct_id: row.distinct_id, event: row.event }]);
    });

    test('more properties than have columns of their own are stored', async () => {
      const project_id = project();
      const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key_${i}`, i % 2 ? i : `text ${i}`]));
      await store().insert('events', [eventRow({ project_id, properties })], token());
      const { rows } = await store().query<{ properties: object; one: unknown }>({
        sql: 'SELECT properties, properties.key_2999 AS one FROM events WHERE project_id = {p:UInt32}',
        params: { p: project_id },
      });
      expect(rows).toEqual([{ properties, one: 2999 }]);
    });
  });

  describe('inserts', () => {
    test('an empty insert does nothing', async () => {
      await store().insert('events', [], token());
    });

    test('a repeated token stores once, and another token twice', async () => {
      const project_id = project();
      // two months, so two partitions
      const rows = [eventRow({ project_id }), eventRow({ project_id, timestamp: 0 })];
      const same = token();
      await store().insert('events', rows, same);
      await store().insert('events', rows, same);
      expect(await count(store(), project_id)).toBe(2);
      await store().insert('events', rows, token());
      const { rows: found } = await store().query({
        sql: 'SELECT count() AS n, uniq(uuid) AS uuids FROM events WHERE project_id = {p:UInt32}',
        params: { p: project_id },
      });
      expect(found).toEqual([{ n: 4, uuids: 2 }]);
    });

    test('an event that was stored before collapses with it', async () => {
      const row = eventRow({ project_id: project() });
      await store().insert('events', [row], token());
      await store().insert('events', [{ ...row, inserted_at: row.inserted_at + 5 }], token());
      const { rows } = await store().query({
        sql: 'SELECT count() AS n FROM events FINAL WHERE project_id = {p:UInt32}',
        params: { p: row.project_id },
      });
      expect(rows).toEqual([{ n: 1 }]);
    });

    test('an insert is visible and complete for the next read', async () => {
      const project_id = project();
      for (let round = 1; round <= 10; round++) {
        await store().insert(
          'events',
          Array.from({ length: 100 }, () => eventRow({ project_id })),
          token(),
        );
        expect(await count(store(), project_id)).toBe(round * 100);
      }
    });
  });
}
