import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inPieces } from './pieces.js';

const block = (key: number, start: number, end: number) => ({
  blob_key: String(key),
  start_timestamp: new Date(start).toISOString(),
  end_timestamp: new Date(end).toISOString(),
});

test('the first pieces are small, later ones are not', () => {
  const blocks = Array.from({ length: 10 }, (_, key) => block(key, key * 1_000, key * 1_000 + 900));
  expect(inPieces(blocks)).toEqual([
    { start: 0, end: 900, first: '0', last: '0' },
    { start: 1_000, end: 1_900, first: '1', last: '1' },
    { start: 2_000, end: 3_900, first: '2', last: '3' },
    { start: 4_000, end: 7_900, first: '4', last: '7' },
    { start: 8_000, end: 9_900, first: '8', last: '9' },
  ]);
});

test('every block is in one piece, in order, and no piece is larger than the limit of the service', () => {
  fc.assert(
    fc.property(fc.nat({ max: 200 }), (count) => {
      const blocks = Array.from({ length: count }, (_, key) => block(key, key, key + 1));
      const keys = inPieces(blocks).flatMap(({ first, last }) => {
        expect(Number(last) - Number(first)).toBeLessThan(20);
        return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);
      });
      expect(keys).toEqual(blocks.map((_, key) => key));
    }),
  );
});
