import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { list, nullable, object, optional, text } from './fields.js';
import { rejectUnknownFields, rejectUnknownParameters, unknownField } from './unknown-fields.js';

const inner = z.object({ name: optional(text()) });
const schema = z
  .object({
    name: text(),
    filters: optional(nullable(object())),
    one: optional(nullable(inner)),
    many: optional(list(inner)),
    loose: optional(z.looseObject({ known: optional(inner) })),
    either: optional(z.union([z.null(), z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b'), b: inner })])),
  })
  .transform((body) => body);

describe('an unknown field of a schema', () => {
  test.each<[unknown, string[] | null]>([
    [{ name: 'a', date_from: '-7d' }, ['date_from']],
    [{ name: 'a', dateFrom: '-7d' }, ['dateFrom']],
    [{ name: 'a', whatever: 1, color: 'red' }, null],
    [{ name: 'a', date_from: null, limit: '', cohorts: [], flag: false, where: {} }, null],
    [{ name: 'a', limit: 0 }, ['limit']],
    [{ name: 'a', errors_to_ignore: ['x'] }, ['errors_to_ignore']],
    [{ name: 'a', created_by: { id: 1 }, last_modified_at: 'x', showDateRange: true }, null],
    [{ name: 'a', filters: { anything: { limit: 1 } } }, null],
    [{ name: 'a', one: { cohort: 1 } }, ['one', 'cohort']],
    [{ name: 'a', many: [{}, { name: 'x', events: ['a'] }] }, ['many', '1', 'events']],
    [{ name: 'a', loose: { limit: 1, known: { limit: 1 } } }, ['loose', 'known', 'limit']],
    [{ name: 'a', either: { kind: 'b', b: { until: 1 } } }, ['either', 'b', 'until']],
    ['no object', null],
  ])('%j: %j', (value, path) => {
    expect(unknownField(schema, value)).toEqual(path);
  });

  test('it is refused by name, unless responses have it', () => {
    const answer = z.object({ name: z.string(), users_count: z.int() });
    expect(() => rejectUnknownFields(schema, { name: 'a', users_count: 4 }, answer)).not.toThrow();
    expect(() => rejectUnknownFields(schema, { name: 'a', users_count: 4 })).toThrow(
      expect.objectContaining({ status: 400, body: expect.objectContaining({ attr: 'users_count' }) }),
    );
  });

  test('malformed values do not break the check', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => unknownField(schema, value) !== undefined));
  });
});

test.each<[Record<string, unknown>, string | null]>([
  [{ search: 'a' }, null],
  [{ x: '1', unknown: '1', _: '5' }, null],
  [{ created_by: '1' }, 'created_by'],
  [{ created_by: '' }, null],
  [{ date_from: ['', '-7d'] }, 'date_from'],
  [{ limit: '1', offset: '2' }, null],
])('of parameters %j: %j is refused', (query, attr) => {
  const parameters = z.object({ search: z.string() });
  const page = z.object({ next: z.null(), results: z.array(z.int()) });
  const call = () => rejectUnknownParameters(parameters, query, page);
  if (attr === null) expect(call).not.toThrow();
  else expect(call).toThrow(expect.objectContaining({ status: 400, body: expect.objectContaining({ attr }) }));
});
