import { describe, expect, test } from 'vitest';
import type { Insight } from '../insight.js';
import { renderSvg } from '../render-svg.js';
import { THEMES } from '../theme/theme.js';

const svgOf = (insight: Insight) => renderSvg(insight, { width: 600, height: 400 });
const textsOf = (insight: Insight) => [...svgOf(insight).matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
const titlesOf = (insight: Insight) => [...svgOf(insight).matchAll(/<title>([^<]*)<\/title>/g)].map(([, text]) => text);

describe('a comparison of variants', () => {
  const variant = (name: string, change: { value: number; low: number; high: number } | null) => ({
    name,
    details: [{ label: 'People', text: '12' }],
    change,
  });
  const variants = [
    variant('control', null),
    variant('up', { value: 0.2, low: 0.1, high: 0.3 }),
    variant('down', { value: -0.2, low: -0.3, high: -0.1 }),
    variant('unclear', { value: 0.1, low: -0.1, high: 0.3 }),
  ];
  const dots = (isLessBetter: boolean) => {
    const svg = svgOf({ kind: 'comparison', variants, level: 0.95, isLessBetter });
    return [...svg.matchAll(/<circle cx="([\d.]+)"[^>]*fill="([^"]*)"[^>]*><title>(\w+)/g)].map(([, x, fill, name]) => ({
      x: Number(x),
      fill,
      name,
    }));
  };

  test('draws better to the right and worse to the left, and gray what crosses zero', () => {
    const { up, down, flat, card } = THEMES.light;
    for (const isLessBetter of [false, true]) {
      const [control, first, second, unclear] = dots(isLessBetter);
      const [better, worse] = isLessBetter ? [second, first] : [first, second];
      expect([control?.fill, better?.fill, worse?.fill, unclear?.fill]).toEqual([card, up, down, flat]);
      expect(better?.x).toBeGreaterThan(control?.x ?? 0);
      expect(worse?.x).toBeLessThan(control?.x ?? 0);
    }
    expect(titlesOf({ kind: 'comparison', variants, level: 0.95 })).toContain('up: +20.0%, from +10.0% to +30.0%');
  });

  test('has ticks from below the lowest interval to above the highest', () => {
    const far = [variant('control', null), variant('far', { value: 1.2, low: 0.4, high: 1.9 })];
    const ticks = textsOf({ kind: 'comparison', variants: far, level: 0.95 }).filter((text) => /^[+−]?\d+%$/.test(text ?? ''));
    expect(ticks).toEqual(expect.arrayContaining(['0%', '+200%']));
    expect(ticks).not.toContain('−200%');
  });

  test('says why a change is unknown, and what makes the numbers doubtful', () => {
    const unknown = { ...variant('few', null), unknown: 'Not enough data: 50 people needed' };
    const warning = { fact: 'Uneven split: do not trust these results', cause: 'More people than planned saw one of them.' };
    const texts = textsOf({ kind: 'comparison', variants: [variant('control', null), unknown], level: 0.95, warning });
    expect(texts).toEqual(expect.arrayContaining([warning.fact, warning.cause, 'Not enough data: 50 people needed']));
    expect(texts.filter((text) => /\d%$/.test(text ?? ''))).toEqual([]);
  });
});
