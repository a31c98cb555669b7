import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../kernel/json.js';
import type { EventsStore } from '../../ports/events.js';
import { eventRow, personRow, project, token } from './rows.js';

/** Properties of events, which have a binary form of their own, beside those of persons, which are JSON. @param store once tests run */
export function propertiesContract(store: () => EventsStore): void {
  const read = async (project_id: number, columns: string, table: 'events' | 'persons' = 'events') =>
    (
      await store().query<{ properties: JsonObject }>({
        sql: `SELECT ${columns} FROM ${table} WHERE project_id = {p:UInt32} ORDER BY ${table === 'events' ? 'uuid' : 'person_id'}`,
        params: { p: project_id },
      })
    ).rows;

  describe('properties of events', () => {
    test('they are returned as they were written, each value with its type', async () => {
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
      await store().insert('events', [row], token());
      const iso = (time: number) => new Date(time).toISOString();
      expect(await read(project_id, '*')).toEqual([{ ...row, timestamp: iso(row.timestamp), inserted_at: iso(row.inserted_at) }]);
      const types =
        'dynamicType(properties.zero) AS zero, dynamicType(properties.negative) AS negative, dynamicType(properties.date) AS date';
      expect(await read(project_id, types)).toEqual([{ zero: 'Int64', negative: 'Float64', date: 'String' }]);
    });

    test('they are read like the same properties stored as JSON', async () => {
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
          // as JSON a null among lists would become an empty list
          fc.array(tie('value'), { maxLength: 4 }).filter((list) => !list.includes(null)),
        ),
        properties: fc.dictionary(name, tie('value'), { maxKeys: 8 }).map((object) => JSON.parse(JSON.stringify(object))),
      }));
      const project_id = project();
      const rows = fc.sample(properties, 500).map((object) => eventRow({ project_id, properties: object }));
      await store().insert('events', rows, token());
      await store().insert(
        'persons',
        rows.map((row) => personRow({ project_id, person_id: row.uuid, properties: row.properties })),
        token(),
      );
      const stored = await read(project_id, 'uuid AS id, properties, toJSONString(properties) AS text');
      expect(stored).toHaveLength(500);
      expect(stored).toEqual(await read(project_id, 'person_id AS id, properties, toJSONString(properties) AS text', 'persons'));
    });

    test('they can be encoded before their row, and extended then', async () => {
      const { codec } = store();
      const project_id = project();
      const result = codec.encode({ a: { b: 1 }, text: 'ümlaut' }, 1_000);
      if (!result) throw new Error('too long');
      const properties = codec.withTexts(result.encoded, [['$group_0', 'acme']]);
      await store().insert('events', [{ ...eventRow({ project_id }), properties }], token());
      expect(await read(project_id, 'properties')).toEqual([{ properties: { a: { b: 1 }, text: 'ümlaut', $group_0: 'acme' } }]);
      expect([result.isClean, codec.encode({ a: '\0' }, 1_000)?.isClean]).toEqual([true, false]);
      expect(codec.encode({ a: 'x'.repeat(1_000) }, 1_000)).toBe(null);
    });

    test('those that the table refuses in binary form are stored in another form', async () => {
      const { codec } = store();
      const project_id = project();
      const encoded = codec.encode({ $group_0: 'first' }, 1_000)?.encoded;
      if (!encoded) throw new Error('too long');
      // the engine refuses a name that comes twice
      const twice = { ...eventRow({ project_id }), properties: codec.withTexts(encoded, [['$group_0', 'second']]) };
      const refused = await store().insert('events', [eventRow({ project_id }), twice, eventRow({ project_id })], token());
      expect(refused).toEqual([]);
      expect(await read(project_id, 'properties.$group_0 AS name')).toHaveLength(3);
    });
  });

  test('times of events are stored as those of persons, for any age', async () => {
    const project_id = project();
    const times = [Date.UTC(400, 0, 1) - 146_097 * 86_400_000, Date.UTC(1899, 11, 31), Date.UTC(1969, 11, 31), -1, 0, 1];
    const rows = times.map((timestamp) => eventRow({ project_id, timestamp }));
    await store().insert('events', rows, token());
    await store().insert(
      'persons',
      rows.map(({ uuid, timestamp }) => personRow({ project_id, person_id: uuid, created_at: timestamp })),
      token(),
    );
    const columns = (time: string) =>
      `${time} AS time, toUnixTimestamp64Milli(${time}) AS milli, toDate(${time}) AS day, toYYYYMM(${time}) AS month`;
    expect(await read(project_id, columns('timestamp'))).toEqual(await read(project_id, columns('created_at'), 'persons'));
  });
}
