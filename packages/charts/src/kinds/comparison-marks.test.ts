import { describe, expect, test } from 'vitest';
import type { Insight } from '../insight.js';
import { readInsight } from '../read/read-insight.js';
import { renderSvg } from '../render-svg.js';
import { shownTable } from '../shown-table.js';
import { insightTable } from '../table.js';
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

  test('has its most important column below the names where one column fits at most, and has the space of it', () => {
    const detail = (label: string, text: string, more: object = {}) => ({ label, text, ...more });
    const narrow: Insight = {
      kind: 'comparison',
      level: 0.95,
      variants: [
        { ...variant('control', null), details: [detail('Rate', '15.0%'), detail('Chance to win', '')] },
        {
          ...variant('test', { value: 0.67, low: 0.25, high: 1.22 }),
          details: [detail('Rate', '25.0%'), detail('Chance to win', '98.7%', { isVerdict: true })],
        },
      ],
    };
    const shownAt = (width: number, height = 148) => {
      const svg = renderSvg(narrow, { width, height });
      return [...svg.matchAll(/<text[^>]*fill="([^"]*)"[^>]*>([^<]*)</g)].map(([, fill = '', text = '']) => ({ fill, text }));
    };
    const wordsAt = (width: number, height?: number) => shownAt(width, height).map(({ text }) => text);
    expect(wordsAt(600)).toEqual(expect.arrayContaining(['Rate', 'Chance to win', '15.0%', '25.0%', '98.7%']));
    const phone = shownAt(320);
    expect(phone.find(({ text }) => text === 'Rate 15.0%')?.fill).toBe(THEMES.light.text2);
    expect(phone.find(({ text }) => text === 'Chance to win 98.7%')?.fill).toBe(THEMES.light.good);
    expect(phone.map(({ text }) => text)).not.toContain('Chance to win');
    // the smallest has the number alone, and low rows have no second line
    expect(wordsAt(220)).toContain('98.7%');
    expect(wordsAt(320, 100).join()).not.toContain('Chance to win 98.7%');
  });

  test('says why a change is unknown, and what makes the numbers doubtful', () => {
    const unknown = { ...variant('few', null), unknown: 'Not enough data: 50 people needed' };
    const warning = { fact: 'Uneven split: do not trust these results', cause: 'More people than planned saw one of them.' };
    const texts = textsOf({ kind: 'comparison', variants: [variant('control', null), unknown], level: 0.95, warning });
    expect(texts).toEqual(expect.arrayContaining([warning.fact, warning.cause, 'Not enough data: 50 people needed']));
    expect(texts.filter((text) => /\d%$/.test(text ?? ''))).toEqual([]);
  });
});

describe('a comparison by several metrics', () => {
  const comparison = (delta: number) => ({
    delta,
    delta_interval: [delta - 0.05, delta + 0.05],
    chance_to_win: 0.5,
    enough_data: true,
  });
  const metric = (uuid: string, name: string, goal: string, changes: number[], more: object = {}) => ({
    uuid,
    name,
    goal,
    metric_type: 'funnel',
    variants: [
      ...changes.map((delta, i) => ({
        key: `v${i + 1}`,
        is_baseline: false,
        exposures: 200,
        value: 0.1 * (1 + delta),
        comparison: comparison(delta),
      })),
      { key: 'control', is_baseline: true, exposures: 200, value: 0.1, comparison: null },
    ],
    ...more,
  });
  const read = (uuids: string[], ...metrics: object[]) =>
    readInsight(
      { kind: 'ExperimentQuery', metric_uuids: uuids },
      {
        results: {
          status: 'running',
          baseline: 'control',
          method: 'bayesian',
          confidence_level: 0.95,
          exposures: { total: 400 },
          metrics: [],
          metrics_secondary: metrics,
        },
      },
    );
  const refunds = metric('r', 'Refunds', 'decrease', [-0.3]);
  const visits = metric('v', 'Visits', 'increase', [-0.2]);
  const dots = (insight: Insight) =>
    [...svgOf(insight).matchAll(/<circle cx="([\d.]+)"[^>]*fill="([^"]*)"[^>]*><title>([^<]*)/g)].map(([, x, fill, title]) => ({
      x: Number(x),
      fill,
      title,
    }));

  test('has a row for each in the order of the query, with the value of the baseline beside it', () => {
    const texts = textsOf(read(['v', 'r'], refunds, visits));
    expect(texts).toEqual(expect.arrayContaining(['Metric', 'control', 'Value', 'Chance to win']));
    expect(texts.indexOf('Visits')).toBeLessThan(texts.indexOf('Refunds'));
    expect(texts.filter((text) => text === '10.0%')).toHaveLength(2);
    expect(texts).not.toContain('v1');
  });

  test('draws better to the right for each, on an axis whose numbers have no sign when less is better for some alone', () => {
    const { up, down } = THEMES.light;
    const mixed = read(['v', 'r'], refunds, visits);
    const [worse, better] = dots(mixed);
    expect(worse).toMatchObject({ fill: down, title: 'Visits: −20.0%, from −25.0% to −15.0%' });
    expect(better).toMatchObject({ fill: up, title: 'Refunds: −30.0%, from −35.0% to −25.0%' });
    expect(better?.x).toBeGreaterThan(worse?.x ?? 0);
    const ticks = (insight: Insight) => textsOf(insight).filter((text) => /^[+−]?\d+%$/.test(text ?? ''));
    expect(ticks(mixed).join()).not.toMatch(/[+−]/);
    expect(ticks(read(['r'], refunds)).join()).toMatch(/−\d+%/);
  });

  test('names the variants where there are several, in full', () => {
    const long = metric(
      'l',
      'A metric with a name that is much too long to be shown beside its intervals',
      'increase',
      [0.1, 0.2],
    );
    const texts = textsOf(read(['l'], long));
    expect(texts.filter((text) => text?.startsWith('A metric'))).toEqual([
      expect.stringMatching(/… · v1$/),
      expect.stringMatching(/… · v2$/),
    ]);
  });

  test('says of one that cannot be computed why, and shows the others', () => {
    const broken = metric('b', 'Broken', 'increase', [], { error: 'There is no cohort 7.', variants: [] });
    const texts = textsOf(read(['b', 'v'], visits, broken));
    expect(texts).toEqual(expect.arrayContaining(['Broken', 'There is no cohort 7.', 'Visits']));
  });

  test('has both names in its tables', () => {
    const insight = read(['v', 'r'], refunds, visits);
    const { columns, rows } = shownTable(insight, 10);
    expect(columns.map(({ label, isNumber }) => [label, isNumber]).slice(0, 3)).toEqual([
      ['Metric', false],
      ['Variant', false],
      ['control', true],
    ]);
    expect(rows[1]?.slice(0, 2).map(({ text }) => text)).toEqual(['Refunds', 'v1']);
    expect(insightTable(insight).rows[0]?.slice(0, 4)).toEqual(['Visits', 'v1', 0.1, expect.closeTo(0.08)]);
  });
});

describe('a comparison in a small picture', () => {
  const variants = Array.from({ length: 9 }, (_, i) => ({
    name: i === 0 ? 'control' : `variant ${i}`,
    details: [],
    change: i === 0 ? null : { value: 24.5, low: 12, high: 60 },
  }));
  const small = (insight: Insight) =>
    [...renderSvg(insight, { width: 262, height: 200 }).matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);

  test('counts the variants that do not fit, and writes large changes with separators', () => {
    const texts = small({ kind: 'comparison', variants, level: 0.95 });
    expect(texts).toContain('+ 4 more');
    expect(texts).toContain('+10,000%');
    expect(titlesOf({ kind: 'comparison', variants, level: 0.95 })[1]).toContain('+2,450.0%');
  });

  test('has the expected people only beside the people', () => {
    const details = ['People', 'Expected', 'Completed', 'Rate'].map((label) => ({ label, text: '1,000' }));
    const rows = variants.slice(0, 2).map((one) => ({ ...one, details }));
    const headsAt = (width: number) =>
      ['People', 'Expected', 'Rate'].map((head) =>
        renderSvg({ kind: 'comparison', variants: rows, level: 0.95 }, { width, height: 200 }).includes(`>${head}<`),
      );
    const seen = Array.from({ length: 40 }, (_, i) => headsAt(300 + 10 * i));
    expect(seen.filter(([people, expected]) => expected && !people)).toEqual([]);
    // a rate that would stand alone is a line below the name
    expect(seen.filter(([people, , rate]) => rate && !people)).toEqual([]);
    expect(seen).toContainEqual([true, true, true]);
    expect(seen).toContainEqual([true, false, true]);
  });

  test('leaves out who completed before the people and their rate', () => {
    const details = ['People', 'Expected', 'Completed', 'Rate', 'Chance to win'].map((label) => ({ label, text: '1,000' }));
    const rows = variants.slice(0, 2).map((one) => ({ ...one, details }));
    const headsAt = (width: number) => {
      const svg = renderSvg({ kind: 'comparison', variants: rows, level: 0.95 }, { width, height: 200 });
      return details.map(({ label }) => label).filter((label) => svg.includes(`>${label}<`));
    };
    const seen = Array.from({ length: 50 }, (_, i) => headsAt(300 + 10 * i).join());
    expect([...new Set(seen)].slice(-4)).toEqual([
      'Rate,Chance to win',
      'People,Rate,Chance to win',
      'People,Completed,Rate,Chance to win',
      'People,Expected,Completed,Rate,Chance to win',
    ]);
  });

  test('says a warning in full', () => {
    const warning = {
      fact: 'Uneven split: do not trust these results',
      cause: 'By chance the people would be split so unevenly less than once in 1,000 times.',
    };
    const texts = small({ kind: 'comparison', variants, level: 0.95, warning });
    expect(texts.join(' ')).toContain(`${warning.fact} ${warning.cause}`);
  });
});
