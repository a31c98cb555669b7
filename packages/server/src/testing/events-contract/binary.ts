import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../kernel/json.js';
import { shortIntegers } from '../../kernel/short-integers.js';
import type { EventsStore } from '../../ports/events.js';
import { binary, count, eventRow, lines, project, token } from './rows.js';

/** Rows of events in the binary form. @param store once tests run */
export function binaryContract(store: () => EventsStore): void {
  const binaryToken = () => ({ ...token(), format: 'binary' as const });
  const read = async (project_id: number, columns: string) =>
    (
      await store().query<{ properties: JsonObject }>({
        sql: `SELECT ${columns} FROM events WHERE project_id = {p:UInt32} ORDER BY uuid`,
        params: { p: project_id },
      })
    ).rows;

  describe('binary rows', () => {
    test('come back as they were written, each value with its type', async () => {
      const project_id = project();
      const row = eventRow({
        project_id,
        event: "it's \\ \n",
        distinct_id: 'a\u0000b😀',
        person_mode: 'propertyless',
        elements_chain: `a.btn:attr__href="${'/x'.repeat(500)}"`,
        group_0: 'acme',
        group_4: 'ümlaut',
        properties: {
          text: 'ümlaut 😀 \u0000 NUL \u2028 "quoted" \\ back\nline\ttab',
          'dotted.name': 1,
          dotted: { name: 2, more: { 'and.more': 3 } },
          'with `backtick`': true,
          date: '2026-01-02 03:04:05',
          number_like: '0042',
          zero: 0,
          negative: -1.25,
          exponent: 1.5e300,
          large: 9_007_199_254_740_991,
          low: -9_007_199_254_740_991,
          list: [1, 'two', null, true, { three: 3, 'f.f': [] }, [4, [null]], 5.5],
          numbers: [1, 2.5, null],
          texts: ['a', 'é', null],
          flags: [true, 1],
          empty_list: [],
          empty_text: '',
          deep: { a: { b: { c: [{ d: 'e' }] } } },
        },
      });
      await store().insert('events', binary(row), binaryToken());
      const iso = (time: number) => new Date(time).toISOString();
      expect(await read(project_id, '*')).toEqual([{ ...row, timestamp: iso(row.timestamp), inserted_at: iso(row.inserted_at) }]);
      const types =
        'dynamicType(properties.zero) AS zero, dynamicType(properties.negative) AS negative, dynamicType(properties.date) AS date';
      expect(await read(project_id, types)).toEqual([{ zero: 'Int64', negative: 'Float64', date: 'String' }]);
    });

    test('say what the same rows say as lines', async () => {
      const number = fc.oneof(
        fc.integer(),
        fc.maxSafeInteger(),
        fc.double({ noDefaultInfinity: true, noNaN: true }),
        fc.constant(1e20),
      );
      const text = fc.string({ unit: 'grapheme' });
      const name = fc.oneof(text, fc.constantFrom('', '.', 'a.b', 'a', 'b', '%', '$set', '__proto__', 'n'.repeat(200)));
      const { properties } = fc.letrec<{ value: unknown; properties: JsonObject }>((tie) => ({
        value: fc.oneof(
          { maxDepth: 3 },
          text,
          number,
          fc.boolean(),
          fc.constant(null),
          fc.array(number),
          fc.array(text),
          tie('properties'),
          // a null among lists, lines store as an empty list
          fc.array(tie('value'), { maxLength: 4 }).filter((list) => !list.includes(null)),
        ),
        properties: fc.dictionary(name, tie('value'), { maxKeys: 8 }).map((object) => JSON.parse(JSON.stringify(object))),
      }));
      const [asLines, asBinary] = [project(), project()];
      const rows = fc.sample(properties, 500).map((object) => eventRow({ properties: object }));
      const of = (project_id: number) => rows.map((row) => ({ ...row, project_id }));
      await store().insert('events', lines(...of(asLines).map((row) => shortIntegers(JSON.stringify(row)))), token());
      await store().insert('events', binary(...of(asBinary)), binaryToken());
      const said = await read(asBinary, 'uuid, properties, toJSONString(properties) AS text');
      expect(said).toHaveLength(500);
      expect(said).toEqual(await read(asLines, 'uuid, properties, toJSONString(properties) AS text'));
    });

    test('have the times that lines have, however long ago', async () => {
      const [asLines, asBinary] = [project(), project()];
      const times = [Date.UTC(400, 0, 1) - 146_097 * 86_400_000, Date.UTC(1899, 11, 31), Date.UTC(1969, 11, 31), -1, 0, 1];
      const rows = times.map((timestamp) => eventRow({ timestamp }));
      const of = (project_id: number) => rows.map((row) => ({ ...row, project_id }));
      await store().insert('events', lines(...of(asLines)), token());
      await store().insert('events', binary(...of(asBinary)), binaryToken());
      const columns =
        'uuid, timestamp, toUnixTimestamp64Milli(timestamp) AS milli, toDate(timestamp) AS day, toYYYYMM(timestamp) AS month';
      expect(await read(asBinary, columns)).toEqual(await read(asLines, columns));
    });

    test('keep more properties than have columns of their own', async () => {
      const project_id = project();
      const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key_${i}`, i % 2 ? i : `text ${i}`]));
      await store().insert('events', binary(eventRow({ project_id, properties })), binaryToken());
      expect(await read(project_id, 'properties, properties.key_2999 AS one')).toEqual([{ properties, one: 2999 }]);
    });

    test('with the same token again are stored once, with another token twice', async () => {
      const project_id = project();
      // two months, so two partitions
      const rows = binary(eventRow({ project_id }), eventRow({ project_id, timestamp: 0 }));
      const same = binaryToken();
      await store().insert('events', rows, same);
      await store().insert('events', rows, same);
      expect(await count(store(), project_id)).toBe(2);
      await store().insert('events', rows, binaryToken());
      expect(await count(store(), project_id)).toBe(4);
    });

    test('are visible and whole to the next read, beside lines', async () => {
      const project_id = project();
      const many = () => Array.from({ length: 100 }, () => eventRow({ project_id }));
      for (let round = 1; round <= 10; round++) {
        await Promise.all([
          store().insert('events', binary(...many()), binaryToken()),
          store().insert('events', lines(...many()), token()),
        ]);
        expect(await count(store(), project_id)).toBe(round * 200);
      }
    });
  });
}
