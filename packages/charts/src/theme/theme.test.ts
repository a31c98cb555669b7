import { describe, expect, test } from 'vitest';
import { contrast, linearOf, readableOn, THEMES } from './theme.js';
import { TOKENS, type Token } from './tokens.js';

/** Machado, Oliveira, Fernandes 2009, severity 1, for linear RGB. */
const SIGHTS = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (matrix: number[][], vector: number[]) =>
  matrix.map((row) => row.reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0));

/** A color in OKLab as a kind of sight perceives it. */
function seen(color: string, sight: number[][]): number[] {
  const light = times(sight, linearOf(color)).map((value) => Math.min(1, Math.max(0, value)));
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    light,
  ).map(Math.cbrt);
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

/** The smallest distance between any two colors, in hundredths of OKLab. Under 5 is hard to distinguish. */
function closest(colors: readonly string[], sight: number[][]): number {
  const places = colors.map((color) => seen(color, sight));
  const distances = places.flatMap((a, i) =>
    places.slice(0, i).map((b) => 100 * Math.hypot(...a.map((x, k) => x - (b[k] ?? 0)))),
  );
  return Math.min(...distances);
}

describe.each(['light', 'dark'] as const)('the colors of the %s theme', (name) => {
  const { palette, paletteText, lifecycle, up, down, card, other, none, scale, scaleText } = THEMES[name];
  const token = (one: Token) => TOKENS[name][one];

  test.each(Object.entries(SIGHTS))('differ for people with %s sight', (_, sight) => {
    expect(closest(palette.slice(0, 6), sight)).toBeGreaterThanOrEqual(8);
    expect(closest(palette, sight)).toBeGreaterThanOrEqual(5);
    expect(closest(Object.values(lifecycle), sight)).toBeGreaterThanOrEqual(8);
    expect(closest([up, down], sight)).toBeGreaterThanOrEqual(8);
    expect(closest([other, none], sight)).toBeGreaterThanOrEqual(8);
    for (const color of palette.slice(0, 6)) expect(closest([none, color], sight), color).toBeGreaterThanOrEqual(5);
  });

  test('stand out from the card, marks 3 to 1', () => {
    for (const color of [...palette, ...Object.values(lifecycle), up, down, other, none]) {
      expect(contrast(color, card), color).toBeGreaterThanOrEqual(3);
    }
  });

  test('are readable as words, 4.5 to 1', () => {
    for (const behind of [card, token('hover')]) {
      for (const color of paletteText) expect(contrast(color, behind), color).toBeGreaterThanOrEqual(4.5);
      for (const word of ['text', 'text-2', 'text-3', 'good', 'bad', 'accent-text'] as const) {
        expect(contrast(token(word), behind), word).toBeGreaterThanOrEqual(4.5);
      }
    }
    for (const [word, behind] of [
      ['good', 'good-soft'],
      ['bad', 'bad-soft'],
      ['text-3', 'bg'],
      ['tip-text-2', 'tip'],
    ] as const) {
      expect(contrast(token(word), token(behind)), word).toBeGreaterThanOrEqual(4.5);
    }
    expect(scale.map((color, i) => contrast(color, scaleText[i] ?? '') >= 4.5)).toEqual(scale.map(() => true));
  });
});

test('text on a color of the user has the larger contrast of both', () => {
  expect(['#ffff00', '#fca5a5', '#ff0000', '#00ff00', '#111111', '#0000ff'].map(readableOn)).toEqual([
    '#12181e',
    '#12181e',
    '#12181e',
    '#12181e',
    '#ffffff',
    '#ffffff',
  ]);
});
