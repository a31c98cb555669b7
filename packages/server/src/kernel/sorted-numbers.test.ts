import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasNumber, mergedNumbers, sortedNumbers } from './sorted-numbers.js';

const numbers = fc.uniqueArray(
  fc.nat({ max: 60 }).map((n) => n * 71_582_788),
  { maxLength: 30 },
);
const sorted = (of: readonly number[]) => new Uint32Array(of).sort();

test('two lists become one that has the numbers of both, once', () => {
  fc.assert(
    fc.property(numbers, numbers, (one, other) => {
      expect([...mergedNumbers(sorted(one), sorted(other))]).toEqual([...sorted([...new Set([...one, ...other])])]);
    }),
  );
});

test('a list has its numbers and no other', () => {
  fc.assert(
    fc.property(numbers, fc.nat({ max: 60 }), (list, n) => {
      expect(hasNumber(sorted(list), n * 71_582_788)).toBe(list.includes(n * 71_582_788));
    }),
  );
});

test('a text with more or fewer numbers than were counted is refused', () => {
  const text = Buffer.from(new Uint32Array([1, 2, 3_000_000_000]).buffer).toString('base64url');
  expect([...sortedNumbers(3, text)]).toEqual([1, 2, 3_000_000_000]);
  expect(() => sortedNumbers(2, text)).toThrow(RangeError);
  expect(() => sortedNumbers(4, text)).toThrow(RangeError);
});
