import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copied } from './copied.js';

/** All objects and lists within a value. */
function objectsIn(value: unknown): object[] {
  return typeof value === 'object' && value ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

test('a copy has the same JSON as the value, and shares no object with it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = copied(value);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
      const originals = new Set(objectsIn(value));
      expect(objectsIn(copy).filter((object) => originals.has(object))).toEqual([]);
    }),
  );
});

test('values that are not plain data become their JSON', () => {
  class Money {
    amount = 5;
    get currency() {
      return 'EUR';
    }
  }
  expect(copied({ at: new Date(0), of: new Money(), known: new Map([[1, 2]]), text: Object('a') })).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    of: { amount: 5 },
    known: {},
    text: 'a',
  });
  expect(copied(JSON.parse('{ "__proto__": { "admin": true } }')).admin).toBeUndefined();
});

test('cycles, and values of very many objects, are copied by JSON', () => {
  const ring: Record<string, unknown> = { name: 'a' };
  Object.assign(ring, { self: ring, again: ring });
  expect(copied(ring)).toEqual({ name: 'a', self: '[circular]', again: '[circular]' });
  const many = Array.from({ length: 5_000 }, (_, id) => ({ id }));
  expect(copied(many)).toEqual(many);
  expect(copied(many)?.[4_999]).not.toBe(many[4_999]);
});

test('an object that cannot be read has no copy', () => {
  const broken = {
    get name(): string {
      throw new Error('no');
    },
  };
  expect(copied({ broken })?.broken).toBeUndefined();
});
