import fc from 'fast-check';
import { expect, test } from 'vitest';
import { axisWriter } from '../text/number-style.js';
import { niceScale, ticksOf } from './nice-ticks.js';

const labels = (from: number, to: number, style: Parameters<typeof axisWriter>[1] = {}, least = 0) => {
  const perSecond = style.unit === 'milliseconds' ? 1000 : 1;
  const isTime = style.unit === 'seconds' || style.unit === 'milliseconds';
  const scale = niceScale(from / perSecond, to / perSecond, { most: 4, least, isTime });
  const ticks = ticksOf(scale).map((tick) => tick * perSecond);
  return ticks.map(axisWriter(ticks, style)).join(' ');
};

test.each([
  [0, 805, '0 250 500 750 1,000'],
  [0, 91, '0 25 50 75 100'],
  [-140, 410, '−200 0 200 400 600'],
  [0, 7500, '0 2,000 4,000 6,000 8,000'],
  [0, 24_000, '0 10K 20K 30K'],
  [0, 1_900, '0 500 1,000 1,500 2,000'],
  [0, 9_000_000, '0 2.5M 5M 7.5M 10M'],
  [0, 1.4e15, '0 5E14 1E15 1.5E15'],
  [0, 0.3, '0 0.1 0.2 0.3'],
  [0.12, 0.13, '0.12 0.1225 0.125 0.1275 0.13'],
  [0, 0, '0 1'],
  [5, 5, '5 10'],
])('numbers from %d to %d have the ticks %s', (from, to, expected) => {
  expect(labels(from, to)).toBe(expected);
});

test.each([
  ['milliseconds', 1_815, '0s 500ms 1s 1.5s 2s'],
  ['seconds', 0.0021, '0s 1ms 2ms 3ms'],
  ['seconds', 100, '0s 30s 1m 1m 30s 2m'],
  ['seconds', 5_000, '0s 30m 1h 1h 30m'],
  ['seconds', 200_000, '0s 1d 2d 3d'],
  ['seconds', 9_000_000, '0s 50d 100d 150d'],
] as const)('%s up to %d have the ticks %s', (unit, to, expected) => {
  expect(labels(0, to, { unit })).toBe(expected);
});

test('shares and money keep their signs', () => {
  expect(labels(0.02, 0.04, { unit: 'share' })).toBe('2% 2.5% 3% 3.5% 4%');
  expect(labels(0, 40_595, { unit: 'dollars', decimals: [2, 2] })).toBe('$0 $20K $40K $60K');
  expect(labels(0, 3, {}, 1)).toBe('0 1 2 3');
});

test('no two ticks of an axis have the same text, whatever its numbers', () => {
  const unit = fc.constantFrom('percent', 'share', 'seconds', 'milliseconds', 'dollars', 'short', undefined);
  const size = fc.double({ min: -9, max: 12, noNaN: true }).map((power) => 10 ** power);
  fc.assert(
    fc.property(size, size, unit, (a, b, style) => {
      const isTime = style === 'seconds' || style === 'milliseconds';
      const scale = niceScale(0, Math.max(a, b), { most: 4, isTime: isTime && style === 'seconds' });
      const ticks = ticksOf(scale);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThan(6);
      const texts = ticks.map(axisWriter(ticks, style ? { unit: style } : {}));
      expect(new Set(texts).size).toBe(ticks.length);
    }),
  );
});
