import { expect, test } from 'vitest';
import { propertyType } from './store.js';

test.each([
  ['abc', 'String'],
  ['2026-05-01', 'DateTime'],
  ['2026-05-01T10:00:00.123Z', 'DateTime'],
  ['2026-05-01 10:00:00+02:00', 'DateTime'],
  ['2026', 'String'],
  ['true', 'Boolean'],
  [false, 'Boolean'],
  [1.5, 'Numeric'],
  [null, null],
  [[1], null],
  [{ a: 1 }, null],
])('%j looks like %s', (value, type) => {
  expect(propertyType(value)).toBe(type);
});
