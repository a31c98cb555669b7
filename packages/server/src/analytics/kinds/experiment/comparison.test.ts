import { describe, expect, test } from 'vitest';
import { compare, sampleOf } from './comparison.js';
import type { Metric, MetricSums } from './experiment-schema.js';

const EVENTS = { event: 'click', properties: { type: 'AND' as const, values: [] }, math: 'total' as const, property: null };
const ABOUT = { name: null, goal: 'increase' as const, window: null };
const RATIO: Metric = { ...ABOUT, type: 'ratio', numerator: EVENTS, denominator: EVENTS };
const MEAN: Metric = { ...ABOUT, type: 'mean', source: EVENTS };
const BY_P = { method: 'frequentist' as const, confidence: 0.95 };

/** The sums over people with these numbers. */
function sumsOf(pairs: readonly (readonly [x: number, y: number])[]): MetricSums {
  const sum = (of: (x: number, y: number) => number) => pairs.reduce((all, [x, y]) => all + of(x, y), 0);
  return {
    exposures: pairs.length,
    samples: pairs.length,
    sum: sum((x) => x),
    squares: sum((x) => x * x),
    otherSum: sum((_, y) => y),
    otherSquares: sum((_, y) => y * y),
    products: sum((x, y) => x * y),
    steps: [],
  };
}
const control = sumsOf([
  [1, 2],
  [0, 1],
  [2, 3],
  [1, 4],
]);
const variant = sumsOf([
  [2, 2],
  [1, 1],
  [2, 3],
  [3, 4],
]);

describe('a ratio metric', () => {
  // residuals x - R y: control 0.2 -0.4 0.8 -0.6, variant 0.4 0.2 -0.4 -0.2; their squares sum to 1.2 and 0.4; mean(y) is 2.5
  test('a ratio has the variance of the delta method', () => {
    expect(sampleOf(RATIO, control)).toEqual({ n: 4, mean: 0.4, variance: expect.closeTo(1.2 / 3 / 6.25, 12) });
    expect(sampleOf(RATIO, variant)).toEqual({ n: 4, mean: 0.8, variance: expect.closeTo(0.4 / 3 / 6.25, 12) });
  });

  // t = 0.4 / sqrt((0.064 + 0.021333) / 4) = 2.738613 with 4.8 degrees; scipy.stats.t.sf(2.738613, 4.8) * 2 = 0.042673
  test('ratios are compared by Welch’s t test with this variance', () => {
    const { p_value: pValue, difference, delta, enough_data: enough } = compare(RATIO, control, variant, BY_P);
    expect([pValue?.toFixed(5), difference, delta, enough]).toEqual([
      '0.04267',
      expect.closeTo(0.4, 12),
      expect.closeTo(1, 12),
      false,
    ]);
  });

  test('a ratio of zero by zero is null', () => {
    const none = sumsOf([
      [0, 0],
      [0, 0],
    ]);
    expect(sampleOf(RATIO, none)).toBeNull();
    expect(compare(RATIO, none, variant, BY_P)).toMatchObject({
      difference: null,
      delta: null,
      p_value: null,
      chance_to_win: null,
    });
  });
});

test('equal numbers have no variance, despite rounding errors', () => {
  const tenths = sumsOf(Array.from({ length: 1000 }, () => [0.1, 0] as const));
  expect(sampleOf(MEAN, tenths)?.variance).toBe(0);
  expect(compare(MEAN, tenths, tenths, BY_P)).toMatchObject({ difference: 0, p_value: null, significant: null });
});
