import { expect, test } from 'vitest';
import type { Insight } from '../insight.js';
import { readInsight } from '../read/read-insight.js';
import { renderSvg } from '../render-svg.js';

const NAMES = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet', 'Opera', 'Something with a long name'];
const browsers = (display: string, chartSettings: object = {}, sign = 1): Insight =>
  readInsight(
    { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery' }, display, chartSettings },
    {
      columns: ['browser', 'views', 'people'],
      results: NAMES.map((name, i) => [name, sign * 1_200 * (7 - i), sign * 300 * (7 - i)]),
    },
  );
const svgOf = (insight: Insight, width: number, height = 460) => renderSvg(insight, { width, height });
const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
const barsOf = (svg: string) =>
  [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*><title>([^<]*)</g)].map(([, x, width, title]) => ({
    x: Number(x),
    width: Number(width),
    title,
  }));

test('no category is skipped: names that do not fit below bars stand above them, with the number of each series', () => {
  const svg = svgOf(browsers('ActionsBar'), 340);
  expect(textsOf(svg)).toEqual(expect.arrayContaining([...NAMES, 'views', 'people', '8,400', '300']));
  const bars = barsOf(svg);
  expect(bars.map(({ title }) => title).slice(0, 2)).toEqual(['Chrome, views: 8,400', 'Chrome, people: 2,100']);
  expect(bars[1]?.width).toBeCloseTo((bars[0]?.width ?? 0) / 4, 0);
  // in a wide picture all have space below the plot, in several lines
  expect(textsOf(svgOf(browsers('ActionsBar'), 560))).toEqual(expect.arrayContaining([...NAMES.slice(0, 4), 'Samsung']));
  expect(svgOf(browsers('ActionsBar'), 560)).toContain('data-plot');
});

test('those that do not fit into the height are counted', () => {
  expect(textsOf(svgOf(browsers('ActionsBar'), 340, 200))).toContain('+ 5 more rows');
});

test('the parts of a stack share a bar with their sum, or with none where all have 100%', () => {
  const svg = svgOf(browsers('ActionsStackedBar'), 300, 500);
  const [views, people] = barsOf(svg);
  expect(people?.x).toBeCloseTo((views?.x ?? 0) + (views?.width ?? 0), 0);
  expect(textsOf(svg)).toContain('10,500');
  const shares = svgOf(browsers('ActionsStackedBar', { stackBars100: true }), 300, 500);
  expect(
    barsOf(shares)
      .map(({ title }) => title)
      .slice(0, 2),
  ).toEqual(['Chrome, views: 80%', 'Chrome, people: 20%']);
  expect(textsOf(shares)).not.toContain('10,500');
});

test('negative numbers are on the left of zero', () => {
  const [views, people] = barsOf(svgOf(browsers('ActionsBar', {}, -1), 340));
  expect((views?.x ?? 0) + (views?.width ?? 0)).toBeCloseTo((people?.x ?? 0) + (people?.width ?? 0), 1);
});

test('in wide pictures names stand beside their bars, and more rows fit', () => {
  const many = readInsight(
    { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery' }, display: 'ActionsBar', chartSettings: {} },
    { columns: ['browser', 'views', 'people'], results: Array.from({ length: 30 }, (_, i) => [`browser ${i}`, 60 - i, 30 - i]) },
  );
  const svg = svgOf(many, 1150, 320);
  expect(textsOf(svg)).toContain('+ 23 more rows');
  const [, y = ''] = /y="([\d.]+)"[^>]*>browser 0</.exec(svg) ?? [];
  const bars = [...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)"[^>]*><title>browser 0,/g)].map(([, x, top]) => [
    Number(x),
    Number(top),
  ]);
  expect(bars.every(([x = 0, top = 0]) => x > 60 && Math.abs(top - Number(y)) < 15)).toBe(true);
});
