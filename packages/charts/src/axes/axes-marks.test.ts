import { describe, expect, test } from 'vitest';
import { annotate, describeInsight, type Insight, renderSvg } from '../index.js';
import { THEMES } from '../theme/theme.js';

const NOON = { now: Date.parse('2026-11-23T12:00:00Z'), timezone: 'UTC' };
const DAYS = Array.from({ length: 10 }, (_, i) => new Date(Date.UTC(2026, 10, 14 + i)).toISOString().slice(0, 10));
const line = (name: string, data: readonly number[], fields: object = {}) => ({
  label: name,
  action: { name, order: 0 },
  data,
  count: 9,
  days: DAYS,
  labels: DAYS,
  ...fields,
});
const trend = (results: object[], trendsFilter: object = {}) =>
  describeInsight({ kind: 'TrendsQuery', trendsFilter }, { results }, NOON);
const rising = DAYS.map((_, i) => i + 1);
const svgOf = (insight: Insight, width = 560, height = 300) => renderSvg(insight, { width, height });
const textsOf = (svg: string) =>
  [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"([^>]*)>([^<]*)</g)].map(([, x, y, tag = '', text = '']) => ({
    x: Number(x),
    y: Number(y),
    tag,
    text,
  }));
const [c1 = '', c2 = ''] = THEMES.light.palette;

describe('what is not over', () => {
  test('is the dashed end of a line with a hollow point', () => {
    const svg = svgOf(trend([line('paid', rising)]));
    expect(svg.match(/stroke-dasharray="4 3"/g)).toHaveLength(1);
    expect(svg).toMatch(new RegExp(`<circle[^>]* fill="${THEMES.light.card}" stroke="${c1}"`));
  });

  test('is a hatched bar', () => {
    for (const display of ['ActionsBar', 'ActionsUnstackedBar'])
      expect(svgOf(trend([line('paid', rising)], { display })).match(/fill="url\(#hatch/g)).toHaveLength(1);
  });

  test('is nothing of the period before, which is a thin unbroken line at half strength', () => {
    const svg = svgOf(
      trend([line('paid', rising, { compare_label: 'current' }), line('paid', rising, { compare_label: 'previous' })]),
    );
    expect(svg.match(/stroke-dasharray="4 3"/g)).toHaveLength(1);
    expect(svg).toMatch(
      new RegExp(`<path d="M[^"]*" fill="none" stroke="${c1}" stroke-width="1" opacity="0.5" stroke-linejoin="round"/>`),
    );
  });
});

describe('names', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, i) => line(`name ${i}`, rising, { action: { name: `${i}`, order: i } }));

  test('of up to six lines stand at their ends, at least 15 pixels apart, in their colors', () => {
    const names = textsOf(svgOf(trend(lines(6)))).filter(({ text }) => text.startsWith('name'));
    const places = names.map(({ y }) => y).sort((a, b) => a - b);
    expect(names).toHaveLength(6);
    for (const [i, y] of places.entries()) if (i > 0) expect(y - (places[i - 1] ?? 0)).toBeGreaterThanOrEqual(14.99);
    expect(names.every(({ x }) => x > 400)).toBe(true);
    expect(names.map(({ tag }) => /fill="([^"]*)"/.exec(tag)?.[1])).toEqual(
      expect.arrayContaining([...THEMES.light.paletteText.slice(0, 6)]),
    );
  });

  test('of more lines, and of bars, stand above in the order of the stack', () => {
    for (const svg of [svgOf(trend(lines(7))), svgOf(trend(lines(3), { display: 'ActionsBar' }))]) {
      const names = textsOf(svg).filter(({ text }) => text.startsWith('name'));
      expect(names.map(({ text }) => text)).toEqual(names.map((_, i) => `name ${i}`));
      expect(names.every(({ y }) => y < 80)).toBe(true);
    }
  });

  test('that differ by what they count show it, at the ends or above, at any width', () => {
    const maths = ['total', 'dau', 'weekly_active', 'monthly_active'];
    const insight = trend(maths.map((math, order) => line('$pageview', rising, { action: { name: '$pageview', order, math } })));
    for (const width of [262, 328, 560, 800, 960, 1150]) {
      const texts = textsOf(svgOf(insight, width)).map(({ text }) => text);
      const names = texts.filter((text) => text.startsWith('Page'));
      const hidden = Number(texts.find((text) => text.endsWith(' more'))?.match(/\d+/) ?? 0);
      expect(new Set(names).size).toBe(4 - hidden);
      if (width > 300)
        expect(names.filter((text) => !/\((total|unique people|weekly active|monthly active)\)$/.test(text))).toEqual([]);
    }
  });

  test('that would look equal at the ends stand above', () => {
    const long = ['A campaign with a long name in Denmark', 'A campaign with a long name in Norway'];
    const insight = trend(long.map((name, order) => line(name, rising, { action: { name, order } })));
    const names = textsOf(svgOf(insight)).filter(({ text }) => text.startsWith('A campaign'));
    expect(names.map(({ text }) => text.slice(-6))).toEqual(['enmark', 'Norway']);
  });

  test('that do not fit are counted, with those that are gray', () => {
    const texts = textsOf(svgOf(trend(lines(30)), 262, 200)).map(({ text }) => text);
    const shown = texts.filter((text) => text.startsWith('name')).length;
    expect(texts).toContain(`+ ${30 - shown} more`);
  });
});

test('bars begin at zero, lines of rates do not', () => {
  const ticksOf = (results: object[], filter: object) =>
    textsOf(svgOf(trend(results, filter))).flatMap(({ x, text }) => (x < 60 && /\d$|%$/.test(text) ? [text] : []));
  const high = rising.map((value) => 100 + value);
  expect(ticksOf([line('a', high)], { display: 'ActionsUnstackedBar' })).toContain('0');
  const rate = { aggregationAxisFormat: 'percentage' };
  expect(
    ticksOf(
      [
        line(
          'a',
          rising.map((value) => 40 + value / 5),
        ),
      ],
      rate,
    ),
  ).not.toContain('0%');
  expect(ticksOf([line('a', rising)], { ...rate, display: 'ActionsUnstackedBar' })).toContain('0%');
});

test('an annotation is a letter on a dotted line, named in a note', () => {
  const insight = annotate(
    trend([line('a', rising)]),
    [{ at: Date.parse('2026-11-16T10:00:00Z'), text: 'launch' }],
    (now) => now,
  );
  const svg = svgOf(insight);
  expect(svg.match(/stroke-dasharray="1 3"/g)).toHaveLength(1);
  expect(textsOf(svg).map(({ text }) => text)).toEqual(
    expect.arrayContaining(['A', expect.stringMatching(/^A +16 Nov 2026: launch$/)]),
  );
});

test('further axes have numbers only as long as they leave the plot half of the width, the second always', () => {
  const many = Array.from({ length: 4 }, (_, i) =>
    line(
      `e${i}`,
      rising.map((value) => value * 1e-7),
      { action: { name: `e${i}`, order: i } },
    ),
  );
  const plotOf = (width: number) => {
    const svg = svgOf(trend(many, { showMultipleYAxes: true }), width, 200);
    const numbers = new Set(textsOf(svg).flatMap(({ x, text }) => (/^0\./.test(text) ? [x] : [])));
    return { share: Number(/width="([\d.]+)"[^>]*data-plot/.exec(svg)?.[1]) / width, axes: numbers.size };
  };
  expect(plotOf(262)).toMatchObject({ axes: 2 });
  expect(plotOf(262).share).toBeGreaterThan(0.3);
  expect(plotOf(900)).toMatchObject({ axes: 4 });
});

test('days of hours have a line between them', () => {
  const hours = Array.from({ length: 48 }, (_, i) =>
    new Date(Date.UTC(2026, 10, 20, i)).toISOString().slice(0, 16).replace('T', ' '),
  );
  const svg = svgOf(
    trend([
      line(
        'a',
        hours.map((_, i) => i),
        { days: hours, labels: hours },
      ),
    ]),
  );
  const lines = [...svg.matchAll(/<path d="M([\d.]+) ([\d.]+)V([\d.]+)"/g)].filter(
    ([, , top, bottom]) => Number(bottom) - Number(top) > 100,
  );
  expect(lines).toHaveLength(2);
});

test('a single month is named by the month', () => {
  const month = { days: ['2026-11-01'], labels: ['2026-11-01'], data: [4] };
  const insight = describeInsight({ kind: 'TrendsQuery', interval: 'month' }, { results: [line('a', [4], month)] }, NOON);
  expect(textsOf(svgOf(insight)).map(({ text }) => text)).toContain('Nov');
});

test('a name from right to left does not pull the number to its left', () => {
  expect(svgOf(trend([line('فارسی', rising), line(c2, rising)]))).toContain('فارسی\u200e: 1');
});
