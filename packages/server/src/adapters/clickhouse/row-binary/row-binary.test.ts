import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../kernel/json.js';
import { BytesWriter, TooLong } from './bytes.js';
import { readProperties } from './read-events.js';
import { writeJson } from './write-json.js';

function bytesOf(properties: JsonObject): Buffer {
  const writer = new BytesWriter(1);
  writeJson(writer, properties);
  return writer.take();
}

/** Properties as JSON.parse gives them, with names that have a meaning elsewhere. */
const name = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '.', 'a.b', 'a%2Eb', '%', '__proto__', 'é', 'x'.repeat(200)),
);
const { properties } = fc.letrec<{ value: unknown; properties: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'x'.repeat(127), 'é'.repeat(100), '\0', '\ud800'),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.oneof(fc.integer(), fc.double({ noDefaultInfinity: true, noNaN: true })), { maxLength: 4 }),
    fc.array(fc.option(fc.string()), { maxLength: 4 }),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('properties'),
  ),
  properties: fc.dictionary(name, tie('value')).map((object) => JSON.parse(JSON.stringify(object))),
}));

/** Without what is not stored: nulls, objects without a value, and of two names for one path the second. */
function storable(object: JsonObject): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    if (value === null) return [];
    if (typeof value !== 'object') return [[key, value]];
    const inner = Array.isArray(value) ? value.map(keptItem) : storable(value);
    return Array.isArray(inner) || Object.keys(inner).length > 0 ? [[key, inner]] : [];
  });
  return JSON.parse(JSON.stringify(Object.fromEntries(entries)));
}
const keptItem = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(keptItem);
  return typeof value === 'object' && value !== null ? storable({ ...value }) : value;
};

test('properties are decoded as encoded, except for those that are not stored', () => {
  fc.assert(
    fc.property(properties, (object) => {
      fc.pre(!JSON.stringify(object).includes('%2E'));
      const text = (value: JsonObject) =>
        JSON.stringify(sorted(JSON.parse(JSON.stringify(value).replace(/\\ud[89a-f]../g, '\ufffd'))));
      expect(text(readProperties(bytesOf(object)))).toBe(text(storable(object)));
    }),
    { numRuns: 500 },
  );
});
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, sorted(inner)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

test('of two names for one path the first is used', () => {
  expect(readProperties(bytesOf({ 'a.b': 1, 'a%2Eb': 2, c: 3 }))).toEqual({ 'a.b': 1, c: 3 });
});

test('a row longer than the limit of the writer can be dropped, and earlier rows stay', () => {
  const writer = new BytesWriter(16);
  writer.limit = 1_000_000;
  writeJson(writer, { a: 'first' });
  const first = writer.take();
  writeJson(writer, { b: 'second' });
  const second = writer.take();
  expect(() => writeJson(writer, { list: Array.from({ length: 200_000 }, () => 1) })).toThrow(TooLong);
  writer.drop();
  writeJson(writer, { c: 'third' });
  expect([first, second, writer.take()].map(readProperties)).toEqual([{ a: 'first' }, { b: 'second' }, { c: 'third' }]);
});
