import { expect, test } from 'vitest';
import { nextVariantKey, splitEvenly, sumFault } from './variant-list.js';

const variants = (...shares: number[]) =>
  shares.map((percentage, id) => ({ id, key: ['control', 'test', 'b'][id] ?? '', percentage }));

test('an even split adds up to 100', () => {
  expect(splitEvenly(variants(0, 0, 0)).map(({ percentage }) => percentage)).toEqual([34, 33, 33]);
});

test('a new variant gets the first key that is free', () => {
  expect([nextVariantKey([]), nextVariantKey(variants(50, 50)), nextVariantKey(variants(50, 50, 0))]).toEqual([
    'control',
    'a',
    'a',
  ]);
});

test('three thirds are a whole, and other sums are named', () => {
  expect(sumFault(variants(33.33, 33.33, 33.33))).toBeNull();
  expect(sumFault(variants(30, 50))).toBe('Sums to 80%, and must sum to 100%');
});
