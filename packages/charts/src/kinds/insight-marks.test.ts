import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canvasOf } from '../canvas.js';
import type { Insight } from '../insight.js';
import type { Mark } from '../marks.js';
import { readInsight } from '../read/read-insight.js';
import { renderSvg } from '../render-svg.js';
import { BOLD, roughly } from '../text/measure.js';
import { THEMES } from '../theme/theme.js';
import { insightMarks } from './insight-marks.js';

const trend = (fields: object = {}) => ({
  action: { name: 'opened', custom_name: null },
  label: 'opened',
  count: 6,
  data: [1, 2, 3],
  labels: [],
  days: [],
  ...fields,
});
const trends = (results: object[], display: string, filter: object = {}) =>
  readInsight({ kind: 'TrendsQuery', trendsFilter: { display, ...filter } }, { results });
const byValue = (values: Record<string, number>, display: string) =>
  trends(
    Object.entries(values).map(([breakdown_value, count]) => trend({ breakdown_value, label: breakdown_value, count })),
    display,
  );

const svgOf = (insight: Insight, width = 600, height = 400) => renderSvg(insight, { width, height });
const decoded = (text = '') =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const textsOf = (insight: Insight, width?: number, height?: number) =>
  [...svgOf(insight, width, height).matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => decoded(text));
const titlesOf = (insight: Insight, width?: number, height?: number) =>
  [...svgOf(insight, width, height).matchAll(/<title>([^<]*)<\/title>/g)].map(([, text]) => decoded(text));

describe('a number', () => {
  const compared = (now: number, before: number, filter: object = {}) =>
    trends(
      [trend({ count: now, compare_label: 'current' }), trend({ count: before, compare_label: 'previous' })],
      'BoldNumber',
      filter,
    );

  test('has its change with a sign, the number before, and no name of an event', () => {
    expect(textsOf(compared(40_595, 13_983))).toEqual(['40,595', '+190.3%', 'vs 13,983']);
    expect(textsOf(compared(50, 0))).toEqual(['50', 'vs 0']);
    expect(textsOf(trends([trend({ count: 1234.5 })], 'BoldNumber'))).toEqual(['1,234.5']);
  });

  test('is good or bad by color, up or down by an arrow: where less is better, only the color turns', () => {
    const { good, bad } = THEMES.light;
    const inkOf = (insight: Insight) => /<path d="(M[^"]*)" fill="none" stroke="([^"]*)" stroke-width="1.5"/.exec(svgOf(insight));
    const [more, less, slower] = [compared(2, 1), compared(1, 2), compared(2, 1, { aggregationAxisFormat: 'duration_ms' })].map(
      inkOf,
    );
    expect([more?.[2], less?.[2], slower?.[2]]).toEqual([good, bad, bad]);
    expect(slower?.[1]).toBe(more?.[1]);
    expect(less?.[1]).not.toBe(more?.[1]);
  });

  test('is 32 pixels high, 24 in narrow tiles, and never cut', () => {
    const sizeOf = (insight: Insight, width: number) => Number(/<text[^>]*font-size="(\d+)/.exec(svgOf(insight, width, 90))?.[1]);
    expect([sizeOf(compared(40_595, 13_983), 300), sizeOf(compared(40_595, 13_983), 200)]).toEqual([32, 24]);
    expect(textsOf(compared(40_595, 13_983), 120, 90)).toEqual(['40,595', '+190.3%', 'vs 13,983']);
  });

  test('and the number before stay within a low picture, where that before stands in a line of its own or is left out', () => {
    const paid = compared(46_239.17, 15_313.06, { aggregationAxisPrefix: '$' });
    for (const width of [120, 150, 178, 240])
      for (const height of [40, 48, 56, 61, 70, 90]) {
        const svg = svgOf(paid, width, height);
        const lines = [...svg.matchAll(/<text[^>]* y="([\d.]+)"[^>]*font-size="([\d.]+)"/g)].map(([, y, size]) => ({
          top: Number(y) - Number(size) * 0.45,
          bottom: Number(y) + Number(size) * 0.45,
        }));
        expect(lines.filter(({ bottom }) => bottom > height)).toEqual([]);
        expect(lines.filter(({ top }) => top < 0)).toEqual([]);
      }
    expect(textsOf(paid, 178, 61)).toEqual(['$46,239.17', '+202.0%', 'vs $15,313.06']);
    expect(textsOf(paid, 178, 48)).toEqual(['$46,239.17', '+202.0%']);
  });
});

describe('shares', () => {
  const sources = { Direct: 1310, google: 1140, github: 295, producthunt: 256, x: 212, news: 199, bing: 100, yahoo: 90 };

  test('are six slices and the others, with the total in the hole and values beside the names', () => {
    const texts = textsOf(byValue(sources, 'ActionsPie'));
    expect(texts.slice(0, 2)).toEqual(['3,602', 'total']);
    expect(texts).toEqual(expect.arrayContaining(['opened · Direct', '1,310', '36.4%', '2 others', '190', '5.3%']));
    expect(texts).not.toContain('opened · bing');
    expect(titlesOf(byValue(sources, 'ActionsPie'))).toHaveLength(7);
  });

  test('cut long names and never a number', () => {
    const long = 'プレミアム会員（年間契約・自動更新）の人たち';
    for (const width of [260, 320, 600]) {
      const texts = textsOf(byValue({ [long]: 1140, [`${long} 2`]: 96 }, 'ActionsPie'), width, 200);
      expect(texts).toEqual(expect.arrayContaining(['1,140', '96']));
      expect(texts.some((text) => text.includes('…'))).toBe(true);
    }
  });

  test('that are nearly nothing or nearly all are not rounded to it', () => {
    expect(textsOf(byValue({ a: 1e6, b: 1 }, 'ActionsPie'))).toEqual(expect.arrayContaining(['>99.9%', '<0.1%']));
  });

  test('of negative numbers are drawn as bars', () => {
    const below = trends([trend({ count: -6 }), trend({ label: 'closed', count: -2 })], 'ActionsPie');
    expect(textsOf(below)).toEqual(expect.arrayContaining(['opened', 'closed']));
    expect(textsOf(below)).not.toContain('total');
  });
});

describe('a ranking', () => {
  test('has one color, a share of the whole, and a row for all that do not fit', () => {
    const values = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`v${i}`, 100 - i]));
    const insight = byValue(values, 'ActionsBarValue');
    const fills = [...svgOf(insight, 600, 280).matchAll(/<rect[^>]*fill="([^"]*)" fill-opacity/g)].map(([, fill]) => fill);
    expect(new Set(fills.slice(0, -1))).toEqual(new Set([THEMES.light.palette[0]]));
    expect(fills.at(-1)).toBe(THEMES.light.other);
    expect(textsOf(insight, 600, 280)).toEqual(expect.arrayContaining(['opened · v0', '100', '5.5%', '11 others']));
  });

  test('of averages has no shares, which would mean nothing', () => {
    const results = [30, 10].map((count, i) =>
      trend({ breakdown_value: `v${i}`, count, action: { name: 'opened', math: 'avg' } }),
    );
    expect(textsOf(trends(results, 'ActionsBarValue')).join()).not.toContain('%');
  });

  test('shows all categories of a chart of SQL whose names do not fit below bars', () => {
    const results = Array.from({ length: 9 }, (_, i) => [`A browser with number ${i}`, 100 + i]);
    const node = { kind: 'DataVisualizationNode', display: 'ActionsBar', source: {} };
    const insight = readInsight(node, { columns: ['browser', 'n'], results });
    expect(textsOf(insight, 600, 300)).toEqual(expect.arrayContaining(results.map(([name]) => name)));
  });
});

const step = (name: string, count: number, median: number | null = null, more: object = {}) => ({
  name,
  count,
  median_conversion_time: median,
  average_conversion_time: median,
  ...more,
});
const funnel = (results: unknown[], query: object = {}) => readInsight({ kind: 'FunnelsQuery', ...query }, { results });

describe('a funnel', () => {
  const steps = [step('Visited site', 3876), step('Signed up', 1077, 101), step('Bought a plan', 193, 194_400)];

  test('shows persons, the share of the previous step and the median time of each step', () => {
    expect(textsOf(funnel(steps), 420, 240)).toEqual(
      expect.arrayContaining(['Visited site', '3,876', 'Signed up', '27.8% of step 1, 1m 41s', '17.9% of step 2, 2d 6h', '193']),
    );
    const wide = textsOf(funnel(steps), 800, 400);
    expect(wide).toEqual(expect.arrayContaining(['2 Signed up', '1,077 people', '27.8% of step 1, median 1m 41s', '5.0%']));
    expect(textsOf(funnel(steps, { aggregation_group_type_index: 0 }), 800, 400)).toContain('1,077 groups');
  });

  test('hatches the persons who dropped off at a step', () => {
    for (const width of [300, 800]) {
      const svg = svgOf(funnel(steps), width);
      expect(svg.match(/fill="url\(#[^)]+\)"/g)).toHaveLength(2);
      expect(svg).toContain('<pattern id=');
    }
  });

  test('marks optional steps, and converts with the last required one', () => {
    const group = (plan: string, tried: number) =>
      [step('opened', 10), step('tried', tried), step('paid', 5), step('rated', 1)].map((one) => ({
        ...one,
        breakdown_value: plan,
      }));
    const series = [{}, { optionalInFunnel: true }, {}, { optionalInFunnel: true }];
    const texts = textsOf(funnel([group('pro', 2), group('free', 0)], { series }));
    expect(texts.join(' ')).toContain('2 tried (optional)');
    // the step after an optional one continues the people before it
    expect(texts).toEqual(expect.arrayContaining(['pro 50.0%', 'free 50.0%', '50.0% of step 1']));
  });
});

test('the legend of a funnel by value cuts names, never the share, also of names from right to left', () => {
  const results = ['مبيعات الخريف', 'a name that is much too long for a legend'].map((breakdown_value) =>
    [8, 2].map((count, i) => ({ name: `step ${i}`, count, breakdown_value })),
  );
  const svg = renderSvg(readInsight({ kind: 'FunnelsQuery' }, { results }), { width: 262, height: 300 });
  expect(svg).toContain('>مبيعات الخريف\u200e 25.0%<');
  expect(svg).toMatch(/>a name[^<]*…[^<]* 25\.0%</);
});

test('the number of a step stands in the line of its name, and the share of the step before is not torn', () => {
  const names = ['Internationalisierungsbeauftragter', 'Created project', 'Bought', 'Paid'];
  const results = ['a', 'b'].map((breakdown_value) => names.map((name, i) => ({ name, count: 80 / (i + 1), breakdown_value })));
  const svg = renderSvg(readInsight({ kind: 'FunnelsQuery' }, { results }), { width: 500, height: 300 });
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
  expect(texts.filter((text) => /^\d$/.test(text ?? ''))).toEqual([]);
  expect(texts).toEqual(expect.arrayContaining(['50.0%', '66.7%', '75.0%']));
});

describe('paths', () => {
  const edge = (source: string, target: string, value: number) => ({ source, target, value });
  const read = (...results: object[]) => readInsight({ kind: 'PathsQuery' }, { results });

  test('have heads of steps, people who left, and one way in a color', () => {
    const insight = read(edge('1_/', '2_/pricing', 70), edge('1_/', '2_/docs', 30), edge('2_/pricing', '3_/signup', 40));
    const texts = textsOf(insight, 800);
    expect(texts).toEqual(expect.arrayContaining(['Start', 'Step 2', 'Step 3', '/pricing', '70', '70.0% of all', 'Left', '60']));
    expect(svgOf(insight, 800).match(new RegExp(`<path[^>]*fill="${THEMES.light.palette[0]}"`, 'g'))).toHaveLength(2);
  });

  test('of which rare ones were left out do not say that people left', () => {
    const insight = readInsight(
      { kind: 'PathsQuery', pathsFilter: { edgeLimit: 1 } },
      { results: [edge('1_a', '2_b', 5), edge('2_b', '3_c', 2)] },
    );
    expect(textsOf(insight)).toContain('Left or rare');
  });

  test('that do not lead to a later step are counted', () => {
    expect(textsOf(read(edge('1_a', '2_b', 5), edge('2_b', '1_a', 2), edge('2_b', '2_b', 9)))).toEqual(
      expect.arrayContaining(['a', 'b', '+ 2 more paths']),
    );
  });

  test('have as many pages as have room for their names, the others in one box, without the site that all share', () => {
    const results = Array.from({ length: 80 }, (_, i) =>
      edge('1_https://example.org/', `2_https://example.org/page/${i}`, 100 - i),
    );
    const texts = textsOf(read(...results), 600, 300);
    const shown = texts.filter((text) => text.startsWith('/page/')).length;
    expect(shown).toBeGreaterThan(3);
    expect(texts).toContain(`${80 - shown} others`);
  });
});

describe('a shape names the part of the result that it shows', () => {
  const pointsOf = (insight: Insight, width = 800) =>
    [...svgOf(insight, width).matchAll(/data-point="([^"]*)"/g)].map(([, name]) => decoded(name));

  test('steps of a funnel and who was lost, in wide and narrow pictures, by value', () => {
    const group = (plan: string, paid: number) =>
      [step('opened', 10), step('paid', paid)].map((one) => ({ ...one, breakdown_value: plan }));
    const insight = funnel([group('pro', 4), group('free', 10)]);
    for (const width of [300, 800])
      expect(pointsOf(insight, width).sort()).toEqual(['lost.2.0', 'step.1.0', 'step.1.1', 'step.2.0', 'step.2.1']);
    expect(titlesOf(insight, 800)).toContain('pro, lost before paid: 6, 60.0% of step 1');
  });

  test('cells of retention, and no mean', () => {
    const cohort = (...counts: number[]) => ({ date: '2026-05-01T00:00:00Z', values: counts.map((count) => ({ count })) });
    const insight = readInsight({ kind: 'RetentionQuery' }, { results: [cohort(9, 3), cohort(4)] });
    expect(pointsOf(insight)).toEqual(['cohort.0.0', 'cohort.0.1', 'cohort.1.0']);
    const broken = { results: [cohort(9, 3), cohort(4)].map((one) => ({ ...one, breakdown_value: 'pro' })) };
    expect(pointsOf(readInsight({ kind: 'RetentionQuery' }, broken))).toEqual([]);
  });

  test('pages and flows of paths', () => {
    const results = [
      { source: '1_/', target: '2_/"a"', value: 5 },
      { source: '2_/"a"', target: '3_/b', value: 2 },
    ];
    expect(pointsOf(readInsight({ kind: 'PathsQuery' }, { results }))).toEqual([
      ...['edge.["1_/","2_/\\"a\\""]', 'edge.["2_/\\"a\\"","3_/b"]', 'end.2_/"a"'],
      ...['from.1_/', 'to.2_/"a"', 'to.3_/b'],
    ]);
    const cut = readInsight({ kind: 'PathsQuery', pathsFilter: { edgeLimit: 2 } }, { results });
    expect(pointsOf(cut).filter((name) => name?.startsWith('end'))).toEqual([]);
  });

  test('series of totals, and not those that have no row of their own', () => {
    const series = [9, 8, 7].map((count, i) => trend({ breakdown_value: `v${i}`, label: `v${i}`, count }));
    expect(pointsOf(trends(series, 'ActionsPie'))).toEqual(['total.0', 'total.1', 'total.2']);
    const many = Array.from({ length: 9 }, (_, i) => trend({ breakdown_value: `v${i}`, label: `v${i}`, count: 9 - i }));
    expect(pointsOf(trends(many, 'ActionsPie'))).toHaveLength(6);
    expect(pointsOf(trends(many, 'ActionsBarValue'))).toContain('total.8');
  });
});

describe('a world map', () => {
  const values = { US: 1284, DE: 475, SG: 33, ZZ: 4 };

  test('colors countries by the square root of their value, also those that are too small for an outline', () => {
    const insight = byValue(values, 'WorldMap');
    expect(titlesOf(insight)).toEqual([
      'opened · United States: 1,284 (71.5%)',
      'opened · Germany: 475 (26.4%)',
      'opened · Singapore: 33 (1.8%)',
    ]);
    const [, germany] = [...svgOf(insight).matchAll(/fill="([^"]*)"[^>]*><title>/g)].map(([, fill]) => fill);
    expect(germany).toBe(THEMES.light.scale[Math.ceil(Math.sqrt(475 / 1284) * 9)]);
    expect(svgOf(insight).length).toBeLessThan(25_000);
  });

  test('without a country is a table', () => {
    expect(textsOf(byValue({ here: 2 }, 'WorldMap'))).toEqual(expect.arrayContaining(['Country', 'Total', 'opened · here', '2']));
  });
});

test('a table marks the column that it is sorted by, with bars behind its numbers, and writes times as people do', () => {
  const results = [
    ['Chrome', 300, 4, '2026-11-21T22:30:41.320Z'],
    ['Safari', 200, 9, '2026-11-20T07:05:00Z'],
    [null, 100, 1, null],
  ];
  const table = readInsight({}, { columns: ['browser', 'views', 'people', 'seen'], results });
  expect(textsOf(table)).toEqual(expect.arrayContaining(['views ↓', 'people', '21 Nov, 22:30', '20 Nov, 07:05', '–']));
  expect(svgOf(table).match(/fill-opacity="0.17"/g)).toHaveLength(3);
});

test('a table cuts words, never a number', () => {
  const results = [
    ['a name that is much too long for the first column', 999_999_999_999_999, 'other words that are long as well'],
  ];
  const rows = readInsight({ kind: 'HogQLQuery' }, { results, columns: ['name', 'number', 'note'] });
  for (const width of [262, 300, 400, 560]) {
    const texts = [...renderSvg(rows, { width, height: 200 }).matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
    expect(texts.filter((text) => /^999/.test(text ?? ''))).toEqual(texts.includes('number') ? ['999,999,999,999,999'] : []);
  }
});

test('a table with many columns shows those that can be read whole', () => {
  const columns = ['day', ...Array.from({ length: 30 }, (_, i) => `Column ${i}`)];
  const wide = readInsight({}, { columns, results: [columns.map((_, i) => (i === 0 ? '2026-10-20' : i))] });
  const texts = textsOf(wide);
  expect(texts).toEqual(expect.arrayContaining(['day', '20 Oct', 'Column 0', 'Column 1']));
  const shown = texts.filter((text) => text.startsWith('Column')).length;
  expect(texts).toContain(`+ ${30 - shown} more columns`);
});

const widthOfText = ({ text, size = 12, isBold = false }: Extract<Mark, { kind: 'text' }>) =>
  roughly(text, isBold ? size * BOLD : size);

test.each(['ActionsBarValue', 'ActionsPie', 'BoldNumber', 'ActionsTable', 'WorldMap', 'funnel', 'retention', 'paths', 'rows'])(
  'texts of %s stay within the picture, whatever the names and numbers',
  (kind) => {
    const name = fc.string({ unit: 'grapheme', maxLength: 200 });
    const entry = fc.record({ name, value: fc.double({ noNaN: true, min: -1e7, max: 1e7 }) });
    const read = (entries: readonly { name: string; value: number }[]): Insight => {
      const count = (value: number) => Math.abs(Math.round(value));
      if (kind === 'funnel') return funnel(entries.map((one) => step(one.name, count(one.value), 1000)));
      if (kind === 'rows') return readInsight({}, { columns: ['a', 'b'], results: entries.map((one) => [one.name, one.value]) });
      if (kind === 'paths') {
        const results = entries.map((one, i) => ({
          source: `${1 + (i % 3)}_${i % 4}`,
          target: `${2 + (i % 3)}_${one.name}`,
          value: count(one.value),
        }));
        return readInsight({ kind: 'PathsQuery' }, { results });
      }
      if (kind === 'retention') {
        const results = entries.map((one) => ({
          breakdown_value: one.name,
          values: entries.map(() => ({ count: count(one.value) })),
        }));
        return readInsight({ kind: 'RetentionQuery' }, { results });
      }
      return trends(
        entries.map((one) => trend({ breakdown_value: one.name, label: one.name, count: one.value })),
        kind,
      );
    };
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 24 }),
        fc.integer({ min: 180, max: 900 }),
        fc.integer({ min: 120, max: 600 }),
        (entries, width, height) => {
          const insight = read(entries);
          const marks = insightMarks(insight, canvasOf({ width, height })) ?? [];
          for (const mark of marks) {
            if (mark.kind !== 'text') continue;
            const own = widthOfText(mark);
            const left = mark.anchor === 'end' ? mark.x - own : mark.anchor === 'middle' ? mark.x - own / 2 : mark.x;
            expect(left, mark.text).toBeGreaterThanOrEqual(-1);
            expect(left + own, mark.text).toBeLessThanOrEqual(width + 1);
            expect(mark.y, mark.text).toBeLessThanOrEqual(height + 6);
          }
          expect(() => renderSvg(insight, { width, height })).not.toThrow();
        },
      ),
      { numRuns: 40 },
    );
  },
);
