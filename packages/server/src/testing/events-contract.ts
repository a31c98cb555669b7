import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EventRow, EventsStore } from '../ports/events.js';

/** What a contract runs on: a store with about 512 MB of memory. */
export interface ContractStore {
  store: EventsStore;
  close(): Promise<void>;
}

let lastProject = 0;

/** A row of `events` as the pipeline writes them. */
export function eventRow(overrides: Partial<EventRow> = {}): EventRow {
  return {
    project_id: 1,
    uuid: randomUUID(),
    event: 'opened',
    distinct_id: 'somebody',
    person_id: '00000000-0000-4000-8000-000000000001',
    person_mode: 'full',
    timestamp: Date.UTC(2026, 2, 4, 5, 6, 7, 89),
    inserted_at: Date.UTC(2026, 2, 4, 5, 6, 8, 0),
    elements_chain: '',
    group_0: '',
    group_1: '',
    group_2: '',
    group_3: '',
    group_4: '',
    properties: {},
    ...overrides,
  };
}

/** JSONEachRow bytes; a text is a line as it is. */
export const lines = (...rows: (object | string)[]): Buffer =>
  Buffer.from(rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join(''));

const token = () => ({ token: randomUUID() });

/** What every event store does, whatever engine is behind it. */
export function eventsContract(name: string, open: () => Promise<ContractStore>): void {
  describe(name, () => {
    let opened: ContractStore;
    let store: EventsStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened?.close());

    /** Nobody else's project. */
    const project = () => 1000 + ++lastProject;
    const count = async (projectId: number) => {
      const { rows } = await store.query<{ n: number }>({
        sql: 'SELECT count() AS n FROM events WHERE project_id = {project:UInt32}',
        params: { project: projectId },
      });
      return rows[0]?.n;
    };

    test('deletes all rows of a project for good, and no others', async () => {
      const [gone, kept] = [project(), project()];
      const id = '0190163d-8694-7000-9000-000000000009';
      const versioned = { version: 1, created_at: 0, properties: { a: { b: 1 } } };
      for (const project_id of [gone, kept]) {
        const person = { ...versioned, project_id, person_id: id, is_identified: true, is_deleted: false };
        const group = { ...versioned, project_id, group_type_index: 0, group_key: 'acme' };
        const override = { project_id, distinct_id: 'a', person_id: id, version: 1 };
        await store.insert('events', lines(eventRow({ project_id, properties: { a: { b: 1 } } })), token());
        await store.insert('persons', lines(person), token());
        await store.insert('person_overrides', lines(override), token());
        await store.insert('groups', lines(group), token());
      }
      const left = async (table: string, project_id: number) =>
        (
          await store.query<{ n: number }>({
            sql: `SELECT count() AS n FROM ${table} WHERE project_id = {project:UInt32}`,
            params: { project: project_id },
          })
        ).rows[0]?.n;
      await vi.waitFor(async () => expect(await store.deleteProject(gone)).toBe(true), { timeout: 60_000, interval: 100 });
      for (const table of ['events', 'persons', 'person_overrides', 'groups']) {
        expect([table, await left(table, gone), await left(table, kept)]).toEqual([table, 0, 1]);
      }
      expect(await store.deleteProject(project())).toBe(true);
    });

    test('answers with the version of the engine', async () => {
      expect(await store.ping()).toEqual({ version: expect.stringMatching(/^\d+\.\d+\./) });
    });

    test('has the same data version until rows are stored, in any table', async () => {
      const id = '0190163d-8694-7000-9000-000000000008';
      const project_id = project();
      const keyed = { project_id, version: 1, created_at: 0, properties: {} };
      const rows = {
        events: eventRow({ project_id }),
        persons: { ...keyed, person_id: id, is_identified: true, is_deleted: false },
        person_overrides: { project_id, distinct_id: 'a', person_id: id, version: 1 },
        groups: { ...keyed, group_type_index: 0, group_key: 'acme' },
      };
      const seen = [await store.dataVersion()];
      for (const table of ['events', 'persons', 'person_overrides', 'groups'] as const) {
        await store.insert(table, lines(rows[table]), token());
        seen.push(await store.dataVersion());
        expect(await store.dataVersion()).toBe(seen.at(-1));
      }
      expect(new Set(seen).size).toBe(5);
    });

    test('has another data version for whoever has stored something, also while others read and write', async () => {
      const project_id = project();
      const counted = new Map<string, number>();
      let stored = 0;
      let writing = 4;
      const write = async () => {
        for (let i = 0; i < 8; i++) {
          await store.insert('events', lines(eventRow({ project_id })), token());
          stored++;
        }
        writing--;
      };
      const readOnce = async () => {
        const before = stored;
        const version = await store.dataVersion();
        const known = counted.get(version);
        if (known === undefined) counted.set(version, (await count(project_id)) ?? 0);
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

    describe('rows', () => {
      test('of every table come back as they were written', async () => {
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
        await store.insert('events', lines(event), token());
        await store.insert('persons', lines(person), token());
        await store.insert('person_overrides', lines(override), token());
        await store.insert('groups', lines(group), token());

        const read = async (table: string) =>
          (await store.query({ sql: `SELECT * FROM ${table} WHERE project_id = {p:UInt32}`, params: { p: project_id } })).rows;
        const iso = (time: number) => new Date(time).toISOString();
        expect(await read('events')).toEqual([
          { ...event, timestamp: iso(event.timestamp), inserted_at: iso(event.inserted_at) },
        ]);
        expect(await read('persons')).toEqual([{ ...person, created_at: iso(at) }]);
        expect(await read('person_overrides')).toEqual([override]);
        expect(await read('groups')).toEqual([{ ...group, created_at: iso(at) }]);
      });

      test('of the same version twice, or of an older one, collapse to the newest', async () => {
        const row = { project_id: project(), distinct_id: 'd' };
        for (const [person, version] of [
          [1, 1],
          [2, 7],
          [3, 5],
        ]) {
          const person_id = `00000000-0000-4000-8000-00000000000${person}`;
          await store.insert('person_overrides', lines({ ...row, person_id, version }), token());
        }
        const { rows } = await store.query({
          sql: 'SELECT person_id, version FROM person_overrides FINAL WHERE project_id = {p:UInt32}',
          params: { p: row.project_id },
        });
        expect(rows).toEqual([{ person_id: '00000000-0000-4000-8000-000000000002', version: 7 }]);
      });

      test('hold any text and any shape of properties, each value with its type', async () => {
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
        await store.insert('events', lines(row), token());
        const { rows } = await store.query({
          sql: 'SELECT properties, distinct_id, event FROM events WHERE project_id = {p:UInt32} AND distinct_id = {d:String} AND event = {e:String}',
          params: { p: project_id, d: row.distinct_id, e: row.event },
        });
        expect(rows).toEqual([{ properties, distinct_id: row.distinct_id, event: row.event }]);
      });

      test('keep more properties than have columns of their own', async () => {
        const project_id = project();
        const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key_${i}`, i % 2 ? i : `text ${i}`]));
        await store.insert('events', lines(eventRow({ project_id, properties })), token());
        const { rows } = await store.query<{ properties: object; one: unknown }>({
          sql: 'SELECT properties, properties.key_2999 AS one FROM events WHERE project_id = {p:UInt32}',
          params: { p: project_id },
        });
        expect(rows).toEqual([{ properties, one: 2999 }]);
      });
    });

    describe('inserting', () => {
      test('nothing does nothing', async () => {
        await store.insert('events', Buffer.alloc(0), token());
      });

      test('with the same token again stores once, with another token twice', async () => {
        const project_id = project();
        // two months, so two partitions
        const rows = lines(eventRow({ project_id }), eventRow({ project_id, timestamp: 0 }));
        const same = token();
        await store.insert('events', rows, same);
        await store.insert('events', rows, same);
        expect(await count(project_id)).toBe(2);
        await store.insert('events', rows, token());
        const { rows: found } = await store.query({
          sql: 'SELECT count() AS n, uniq(uuid) AS uuids FROM events WHERE project_id = {p:UInt32}',
          params: { p: project_id },
        });
        expect(found).toEqual([{ n: 4, uuids: 2 }]);
      });

      test('an event that was stored before collapses with it', async () => {
        const row = eventRow({ project_id: project() });
        await store.insert('events', lines(row), token());
        await store.insert('events', lines({ ...row, inserted_at: row.inserted_at + 5 }), token());
        const { rows } = await store.query({
          sql: 'SELECT count() AS n FROM events FINAL WHERE project_id = {p:UInt32}',
          params: { p: row.project_id },
        });
        expect(rows).toEqual([{ n: 1 }]);
      });

      test('is visible and whole to the next read', async () => {
        const project_id = project();
        for (let round = 1; round <= 10; round++) {
          await store.insert('events', lines(...Array.from({ length: 100 }, () => eventRow({ project_id }))), token());
          expect(await count(project_id)).toBe(round * 100);
        }
      });
    });

    describe('reading', () => {
      test('binds values of every type and any text, never as SQL', async () => {
        const params = {
          text: "'; DROP TABLE events; -- \\' \n\t\u0000{n:UInt8} 😀",
          n: 42,
          big: 9_007_199_254_740_991,
          f: -0.125,
          yes: true,
          none: null,
          texts: ["it's", 'back\\slash', 'new\nline', '\u0000', '', 'NULL'],
          numbers: [1, 2, 3],
          uuid: '0190163d-8694-7000-9000-000000000001',
          empty: '',
        };
        const { rows } = await store.query({
          sql: `SELECT {text:String} AS text, {n:UInt8} AS n, {big:Int64} AS big, {f:Float64} AS f, {yes:Bool} AS yes,
            {none:Nullable(String)} AS none, {texts:Array(String)} AS texts, {numbers:Array(Int64)} AS numbers,
            {uuid:UUID} AS uuid, {empty:String} AS empty`,
          params,
        });
        expect(rows).toEqual([params]);
      });

      test('tells the columns, also of no rows', async () => {
        const { rows, columns } = await store.query({ sql: "SELECT 1 AS a, 'x' AS b, toUInt64(1) AS a2 WHERE 0" });
        expect(rows).toEqual([]);
        expect(columns).toEqual([
          { name: 'a', type: 'UInt8' },
          { name: 'b', type: 'String' },
          { name: 'a2', type: 'UInt64' },
        ]);
      });

      test('gives 64-bit integers as numbers, infinities as null, times in UTC', async () => {
        const { rows } = await store.query({
          sql: "SELECT toUInt64(5) AS u, 1 / 0 AS inf, 0 / 0 AS nan, toStartOfDay(toDateTime64('2026-03-04 23:30:00', 3, 'UTC'), 'Europe/Berlin') AS day",
        });
        expect(rows).toEqual([{ u: 5, inf: null, nan: null, day: '2026-03-04T23:00:00Z' }]);
      });

      test('does not take a value from an earlier statement', async () => {
        await store.query({ sql: 'SELECT {leak:String} AS x', params: { leak: 'of another project' } });
        for (let i = 0; i < 8; i++) {
          await expect(store.query({ sql: 'SELECT {leak:String} AS x' })).rejects.toMatchObject({
            name: 'QueryFailed',
            code: 456,
          });
        }
      });

      test('keeps the values of statements that run at the same time apart', async () => {
        const values = Array.from({ length: 60 }, (_, i) => `value ${i}`);
        const results = await Promise.all(values.map((v) => store.query({ sql: 'SELECT {v:String} AS v', params: { v } })));
        expect(results.map(({ rows }) => rows)).toEqual(values.map((v) => [{ v }]));
      });

      test.each<[string, number, string]>([
        ['SELECT nothing_of_this_name', 47, 'nothing_of_this_name'],
        ['SELEC 1', 62, 'Syntax error'],
        ['SELECT {n:UInt8}', 457, 'parsed'],
        ['SELECT throwIf(1)', 395, ''],
        ['SELECT number FROM numbers(3000000)', 396, ''],
        ['CREATE TABLE forbidden (a Int8) ENGINE = Memory', 164, ''],
      ])('%s fails with its number and a clean message', async (sql, code, words) => {
        const failed = await store.query({ sql, params: { n: 'many' } }).catch((error) => error);
        expect(failed).toMatchObject({ name: 'QueryFailed', code, message: expect.stringContaining(words) });
        expect(failed.message).not.toMatch(/DB::Exception|Code:|\(version|Stack trace/);
      });

      test('stops at its time limit', async () => {
        const endless = { sql: 'SELECT count() FROM numbers(1e12) WHERE sipHash64(number) = 1', maxSeconds: 1 };
        await expect(store.query(endless)).rejects.toMatchObject({ name: 'QueryFailed', code: 159 });
      });

      test('ends in the engine when it is aborted', async () => {
        const mark = `mark_${randomUUID().slice(0, 8)}`;
        const running = async () =>
          (
            await store.query<{ n: number }>({
              sql: "SELECT count() AS n FROM system.processes WHERE query LIKE concat('%AS mark', {m:String}, '%')",
              params: { m: mark.slice(4) },
            })
          ).rows[0]?.n;
        const abort = new AbortController();
        const read = store.query({
          sql: `SELECT count() AS ${mark} FROM numbers(1e12) WHERE sipHash64(number) = 1`,
          signal: abort.signal,
        });
        await expect.poll(running).toBe(1);
        abort.abort();
        await expect(read).rejects.toMatchObject({ name: 'AbortError' });
        await expect.poll(running).toBe(0);
      });

      test('aborted before it starts or while it waits ends at once, and leaves the others alone', async () => {
        await expect(store.query({ sql: 'SELECT 1', signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
        const slow = Array.from({ length: 12 }, () => {
          const abort = new AbortController();
          return { abort, read: store.query({ sql: 'SELECT sleepEachRow(0.1) FROM numbers(8)', signal: abort.signal }) };
        });
        const outcomes = Promise.allSettled(slow.map(({ read }) => read));
        for (const { abort } of slow.slice(0, 10)) abort.abort();
        expect((await outcomes).map(({ status }) => status)).toEqual([...Array(10).fill('rejected'), 'fulfilled', 'fulfilled']);
        expect((await store.query({ sql: 'SELECT 1 AS one' })).rows).toEqual([{ one: 1 }]);
      });

      test('that needs too much memory fails, and the store goes on', async () => {
        const greedy = { sql: 'SELECT length(groupArray(toString(number))) FROM numbers(1e9)' };
        await expect(store.query(greedy)).rejects.toMatchObject({ name: 'QueryFailed', code: 241 });
        const project_id = project();
        await store.insert('events', lines(eventRow({ project_id })), token());
        expect(await count(project_id)).toBe(1);
      });
    });
  });
}
