import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { EventsStore } from '../../ports/events.js';
import { count, eventRow, project, token } from './rows.js';

/** Statements and their ends. @param store once tests run */
export function readingContract(store: () => EventsStore): void {
  describe('reading', () => {
    test('values of every type and any text are bound, never parsed as SQL', async () => {
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
      const { rows } = await store().query({
        sql: `SELECT {text:String} AS text, {n:UInt8} AS n, {big:Int64} AS big, {f:Float64} AS f, {yes:Bool} AS yes,
          {none:Nullable(String)} AS none, {texts:Array(String)} AS texts, {numbers:Array(Int64)} AS numbers,
          {uuid:UUID} AS uuid, {empty:String} AS empty`,
        params,
      });
      expect(rows).toEqual([params]);
    });

    test('columns are returned, also without rows', async () => {
      const { rows, columns } = await store().query({ sql: "SELECT 1 AS a, 'x' AS b, toUInt64(1) AS a2 WHERE 0" });
      expect(rows).toEqual([]);
      expect(columns).toEqual([
        { name: 'a', type: 'UInt8' },
        { name: 'b', type: 'String' },
        { name: 'a2', type: 'UInt64' },
      ]);
    });

    test('64-bit integers are numbers, infinities are null, times are in UTC', async () => {
      const { rows } = await store().query({
        sql: "SELECT toUInt64(5) AS u, 1 / 0 AS inf, 0 / 0 AS nan, toStartOfDay(toDateTime64('2026-03-04 23:30:00', 3, 'UTC'), 'Europe/Berlin') AS day",
      });
      expect(rows).toEqual([{ u: 5, inf: null, nan: null, day: '2026-03-04T23:00:00Z' }]);
    });

    test('a value of an earlier statement is not used', async () => {
      await store().query({ sql: 'SELECT {leak:String} AS x', params: { leak: 'of another project' } });
      for (let i = 0; i < 8; i++) {
        await expect(store().query({ sql: 'SELECT {leak:String} AS x' })).rejects.toMatchObject({
          name: 'QueryFailed',
          code: 456,
        });
      }
    });

    test('values of concurrent statements are separate', async () => {
      const values = Array.from({ length: 60 }, (_, i) => `value ${i}`);
      const results = await Promise.all(values.map((v) => store().query({ sql: 'SELECT {v:String} AS v', params: { v } })));
      expect(results.map(({ rows }) => rows)).toEqual(values.map((v) => [{ v }]));
    });

    test('a value may be a list of 100,000 people, or a long text', async () => {
      const ids = Array.from({ length: 100_000 }, () => randomUUID());
      const text = "it's a\\b\n\t{one:String} ü ".repeat(20_000);
      const { rows } = await store().query({
        sql: `SELECT length({ids:Array(UUID)}) AS n, has({ids:Array(UUID)}, toUUID({one:String})) AS found,
          {text:String} = arrayElement({texts:Array(String)}, 2) AS same, length({text:String}) AS bytes`,
        params: { ids, one: ids[77_777], text, texts: ['', text] },
      });
      expect(rows).toEqual([{ n: 100_000, found: 1, same: 1, bytes: Buffer.byteLength(text) }]);
    });

    test.each<[string, number, string]>([
      ['SELECT nothing_of_this_name', 47, 'nothing_of_this_name'],
      ['SELEC 1', 62, 'Syntax error'],
      ['SELECT {n:UInt8}', 457, 'parsed'],
      ['SELECT throwIf(1)', 395, ''],
      ['SELECT number FROM numbers(3000000)', 396, ''],
      ['CREATE TABLE forbidden (a Int8) ENGINE = Memory', 164, ''],
    ])('%s fails with its number and a clean message', async (sql, code, words) => {
      const failed = await store()
        .query({ sql, params: { n: 'many' } })
        .catch((error) => error);
      expect(failed).toMatchObject({ name: 'QueryFailed', code, message: expect.stringContaining(words) });
      expect(failed.message).not.toMatch(/DB::Exception|Code:|\(version|Stack trace/);
    });

    test('a read stops at its time limit', async () => {
      const endless = { sql: 'SELECT count() FROM numbers(1e12) WHERE sipHash64(number) = 1', maxSeconds: 1 };
      await expect(store().query(endless)).rejects.toMatchObject({ name: 'QueryFailed', code: 159 });
    });

    test('an aborted read ends in the engine', async () => {
      const mark = `mark_${randomUUID().slice(0, 8)}`;
      const running = async () =>
        (
          await store().query<{ n: number }>({
            sql: "SELECT count() AS n FROM system.processes WHERE query LIKE concat('%AS mark', {m:String}, '%')",
            params: { m: mark.slice(4) },
          })
        ).rows[0]?.n;
      const abort = new AbortController();
      const read = store().query({
        sql: `SELECT count() AS ${mark} FROM numbers(1e12) WHERE sipHash64(number) = 1`,
        signal: abort.signal,
      });
      await expect.poll(running).toBe(1);
      abort.abort();
      await expect(read).rejects.toMatchObject({ name: 'AbortError' });
      await expect.poll(running).toBe(0);
    });

    test('a read aborted before its start or while it waits ends at once, without affecting others', async () => {
      await expect(store().query({ sql: 'SELECT 1', signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
      const slow = Array.from({ length: 12 }, () => {
        const abort = new AbortController();
        return { abort, read: store().query({ sql: 'SELECT sleepEachRow(0.1) FROM numbers(8)', signal: abort.signal }) };
      });
      const outcomes = Promise.allSettled(slow.map(({ read }) => read));
      for (const { abort } of slow.slice(0, 10)) abort.abort();
      expect((await outcomes).map(({ status }) => status)).toEqual([...Array(10).fill('rejected'), 'fulfilled', 'fulfilled']);
      expect((await store().query({ sql: 'SELECT 1 AS one' })).rows).toEqual([{ one: 1 }]);
    });

    test('a read that needs too much memory fails, and the store works', async () => {
      const greedy = { sql: 'SELECT length(groupArray(toString(number))) FROM numbers(1e9)' };
      await expect(store().query(greedy)).rejects.toMatchObject({ name: 'QueryFailed', code: 241 });
      const project_id = project();
      await store().insert('events', [eventRow({ project_id })], token());
      expect(await count(store(), project_id)).toBe(1);
    });
  });
}
