import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration } from './format-number.js';
import { chartOption, type Insight, insightTable, isEmpty, readInsight, shareColors } from './index.js';
import { roughly } from './measure.js';
import { renderSvg } from './render-svg.js';
import { colorOf } from './series-color.js';
import { THEMES } from './theme.js';

const days = ['2026-05-01', '2026-05-02', '2026-05-03'];
const labels = ['1-May-2026', '2-May-2026', '3-May-2026'];
const trend = (fields: object = {}) => ({
  action: { name: 'opened', custom_name: null },
  label: 'opened',
  count: 6,
  data: [1, 2, 3],
  labels,
  days,
  ...fields,
});
const trends = (results: object[], display?: string) =>
  readInsight({ kind: 'InsightVizNode', source: { kind: 'TrendsQuery', trendsFilter: { display } } }, { results });
const funnel = readInsight(
  { kind: 'FunnelsQuery' },
  {
    results: [
      { name: 'opened', count: 10, order: 0, average_conversion_time: null, median_conversion_time: null },
      { name: 'paid', custom_name: 'Paid', count: 4, order: 1, average_conversion_time: 30.5, median_conversion_time: 20 },
    ],
  },
);
const retention = readInsight(
  { kind: 'RetentionQuery' },
  {
    results: [
      { date: '2026-05-01T00:00:00Z', label: 'Day 0', values: [{ count: 8 }, { count: 4 }] },
      { date: '2026-05-02T00:00:00Z', label: 'Day 1', values: [{ count: 5 }] },
    ],
  },
);
const retentionByPlan = readInsight(
  { kind: 'RetentionQuery' },
  {
    results: [
      { date: '2026-05-01T00:00:00Z', label: 'Day 0', values: [{ count: 8 }, { count: 4 }], breakdown_value: 'pro' },
      { date: '2026-05-02T00:00:00Z', label: 'Day 1', values: [{ count: 5 }], breakdown_value: 'pro' },
      { date: '2026-05-01T00:00:00Z', label: 'Day 0', values: [{ count: 3 }, { count: 0 }], breakdown_value: '' },
      { date: '2026-05-02T00:00:00Z', label: 'Day 1', values: [{ count: 0 }], breakdown_value: '' },
    ],
  },
);
const paths = readInsight(
  { kind: 'PathsQuery' },
  { results: [{ source: '1_/', target: '2_/pricing', value: 7, average_conversion_time: 1500 }] },
);
const rows = readInsight(
  { kind: 'EventsQuery' },
  {
    columns: ['event', 'properties'],
    results: [
      ['opened', { a: 1 }],
      ['=1', null],
    ],
  },
);

/** All texts of a picture, in the order of drawing. */
const textsOf = (insight: Insight, width = 600, height = 400) =>
  [...renderSvg(insight, { width, height }).matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
  );

describe('tables', () => {
  test('of trends have a row for each series, with the columns that distinguish them', () => {
    expect(insightTable(trends([trend()]))).toEqual({ columns: ['series', ...days, 'total'], rows: [['opened', 1, 2, 3, 6]] });
    const broken = trends([
      trend({ breakdown_value: ['Chrome', ''], action: { name: 'opened', custom_name: 'Opened it' } }),
      trend({ breakdown_value: '$$_posthog_breakdown_other_$$', data: [1, 1], count: 2 }),
    ]);
    expect(insightTable(broken)).toEqual({
      columns: ['series', 'custom name', 'breakdown', ...days, 'total'],
      rows: [
        ['opened', 'Opened it', 'Chrome · (none)', 1, 2, 3, 6],
        ['opened', null, '(other)', 1, 1, null, 2],
      ],
    });
    const compared = trends([trend({ compare_label: 'current' }), trend({ compare_label: 'previous' })]);
    expect(insightTable(compared).rows.map(([name]) => name)).toEqual(['opened - current', 'opened - previous']);
  });

  test('of totals have the total that was computed', () => {
    const total = trends([trend({ aggregated_value: 5, data: [], days: [], labels: [], count: 0 })], 'BoldNumber');
    expect(insightTable(total)).toEqual({ columns: ['series', 'total'], rows: [['opened', 5]] });
  });

  test('of life cycles, funnels, retention, paths and lists', () => {
    const life = readInsight(
      { kind: 'LifecycleQuery' },
      { results: [trend({ status: 'dormant', data: [-1, 0, -2], count: -3 })] },
    );
    expect(insightTable(life).rows).toEqual([['opened', 'dormant', -1, 0, -2, -3]]);
    expect(insightTable(funnel).rows).toEqual([
      ['opened', null, 10, null, null],
      ['Paid', null, 4, 20, 30.5],
    ]);
    expect(insightTable(retention)).toEqual({
      columns: ['cohort', 'cohort size', 'period 0', 'period 1'],
      rows: [
        ['2026-05-01T00:00:00Z', 8, 8, 4],
        ['2026-05-02T00:00:00Z', 5, 5, null],
      ],
    });
    expect(insightTable(retentionByPlan)).toEqual({
      columns: ['breakdown_value', 'cohort', 'cohort size', 'period 0', 'period 1'],
      rows: [
        ['pro', '2026-05-01T00:00:00Z', 8, 8, 4],
        ['pro', '2026-05-02T00:00:00Z', 5, 5, null],
        ['(none)', '2026-05-01T00:00:00Z', 3, 3, 0],
        ['(none)', '2026-05-02T00:00:00Z', 0, 0, null],
      ],
    });
    expect(insightTable(paths).rows).toEqual([['1_/', '2_/pricing', 7, 1500]]);
    expect(insightTable(rows)).toEqual({
      columns: ['event', 'properties'],
      rows: [
        ['opened', '{"a":1}'],
        ['=1', null],
      ],
    });
  });

  test.each([null, undefined, 3, 'x', {}, { results: null }, { results: [] }, { results: [null, 3] }])(
    '%j is nothing worse than empty',
    (answer) => {
      for (const kind of ['TrendsQuery', 'FunnelsQuery', 'RetentionQuery', 'PathsQuery', 'TeaQuery']) {
        const insight = readInsight({ kind }, answer);
        expect(insightTable(insight).rows.length).toBeLessThanOrEqual(2);
        expect(() => renderSvg(insight, { width: 300, height: 200 })).not.toThrow();
      }
    },
  );
});

describe('pictures', () => {
  test('say when there is nothing', () => {
    expect(isEmpty(trends([]))).toBe(true);
    expect(textsOf(trends([]))).toEqual(['No data']);
  });

  test('of one series have no legend, of several one with all names', () => {
    expect(textsOf(trends([trend()]))).not.toContain('opened');
    const two = trends([trend(), trend({ label: 'closed & gone', action: { name: 'closed & gone' } })]);
    expect(textsOf(two)).toEqual(expect.arrayContaining(['opened', 'closed & gone', ...labels]));
  });

  test('of 30 series say how many names have no room', () => {
    const many = trends(
      Array.from({ length: 30 }, (_, i) => trend({ label: `a series with the number ${i}`, action: { name: `${i}` } })),
    );
    const texts = textsOf(many);
    const named = texts.filter((text) => text.startsWith('a series')).length;
    expect(named).toBeGreaterThan(3);
    expect(texts).toContain(`+ ${30 - named} more`);
  });

  test('of funnels, retention, paths, numbers and lists tell their numbers', () => {
    expect(textsOf(funnel)).toEqual(expect.arrayContaining(['1. opened', '2. Paid', '10 (100%)', '4 (40.0%)']));
    expect(textsOf(retention)).toEqual(expect.arrayContaining(['2026-05-01', '8', '100%', '50.0%']));
    // half of the eight people who began a day before the end; the cohort of the last day is incomplete and does not count
    expect(textsOf(retentionByPlan)).toEqual(expect.arrayContaining(['Value', 'pro', '13', '50.0%', '(none)', '3', '0%']));
    expect(textsOf(paths)).toEqual(expect.arrayContaining(['/  7', '/pricing  7']));
    expect(textsOf(trends([trend({ count: 1234.5 })], 'BoldNumber'))).toEqual(['1,234.5', 'opened']);
    expect(textsOf(trends([trend()], 'ActionsPie'))).toEqual(['opened: 6 (100%)']);
    expect(textsOf(trends([trend({ count: -6 })], 'ActionsBarValue'))).toEqual(expect.arrayContaining(['opened', '-6']));
    expect(textsOf(rows)).toEqual(expect.arrayContaining(['event', 'properties', '{"a":1}']));
  });

  test('of funnels say which steps may be skipped, and convert with the last that may not', () => {
    const count = (name: string, value: number, breakdown_value: string) => ({ name, count: value, breakdown_value });
    const group = (plan: string, tried: number) => [
      count('opened', 10, plan),
      count('tried', tried, plan),
      count('paid', 5, plan),
      count('rated', 1, plan),
    ];
    const skipping = readInsight(
      { kind: 'FunnelsQuery', series: [{}, { optionalInFunnel: true }, {}, { optionalInFunnel: true }] },
      { results: [group('pro', 2), group('free', 0)] },
    );
    expect(textsOf(skipping)).toEqual(expect.arrayContaining(['2. tried', '(optional)', '3. paid', 'pro: 50.0%', 'free: 50.0%']));
  });

  test('of tables say how many rows have no room', () => {
    const long = readInsight({}, { columns: ['n'], results: Array.from({ length: 100 }, (_, i) => [i]) });
    const shown = textsOf(long, 400, 200);
    expect(shown).toContain('+ 96 more rows');
    expect(shown).toContain('3');
    expect(shown).not.toContain('4');
  });

  test.each([
    'ActionsLineGraph',
    'ActionsAreaGraph',
    'ActionsBar',
    'ActionsUnstackedBar',
    'ActionsBarValue',
    'ActionsPie',
    'BoldNumber',
    'ActionsTable',
  ])('drawn as %s stay within their size, whatever the names and numbers', (display) => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            label: fc.string({ unit: 'grapheme', maxLength: 300 }),
            data: fc.array(fc.double({ noNaN: true }), { maxLength: 40 }),
          }),
          {
            maxLength: 40,
          },
        ),
        fc.integer({ min: 120, max: 900 }),
        fc.integer({ min: 80, max: 700 }),
        (lines, width, height) => {
          const insight = trends(
            lines.map(({ label, data }) => trend({ label, action: { name: label }, data, count: data[0] ?? 0 })),
            display,
          );
          const option = chartOption(insight, { width, height });
          const graphic = Array.isArray(option['graphic']) ? option['graphic'] : [];
          for (const { x, y, style, type } of graphic) {
            if (type !== 'text' || style.align === 'center' || style.align === 'right') continue;
            expect(x + roughly(style.text, style.fontSize)).toBeLessThanOrEqual(Math.max(width, 160) + 1);
            expect(y).toBeLessThanOrEqual(height + 20);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a breakdown of retention', () => {
  const cohort = (breakdown_value: unknown, ...counts: number[]) => ({
    date: '2026-05-01T00:00:00Z',
    values: counts.map((count) => ({ count })),
    breakdown_value,
  });
  const read = (...results: object[]) => readInsight({ kind: 'RetentionQuery' }, { results });

  test('shows no share for an empty cohort', () => {
    const old = [cohort('old', 4, 2, 1), cohort('old', 0, 0, 0), cohort('old', 0, 0, 0)];
    const texts = textsOf(read(...old, cohort('new', 0, 0, 0), cohort('new', 0, 0, 0), cohort('new', 3, 0, 0)));
    expect(texts).toEqual(['Value', 'Size', '0', '1', '2', 'old', '4', '100%', '50.0%', '25.0%', 'new', '3', '100%']);
    expect(textsOf(read(cohort(null, 0, 0)))).not.toContain('0%');
  });

  test('names cohorts as people do, those without a name by their number', () => {
    const cohorts = read(cohort(12, 4, 1), { ...cohort(13, 2, 1), breakdown_name: 'Paying' }, cohort('all', 9, 3));
    expect(insightTable(cohorts).rows.map(([value]) => value)).toEqual(['Cohort 12', 'Paying', 'all']);
    expect(textsOf(cohorts)).toEqual(expect.arrayContaining(['Cohort 12', 'Paying']));
  });

  test('ends with the last period: the zeros behind it are no share, with brackets those of a bracket that has not begun', () => {
    const rows = (retentionFilter: object) => {
      const results = [cohort('pro', 4, 3, 2), cohort('pro', 5, 1, 0), cohort('pro', 6, 0, 0)];
      return insightTable(readInsight({ kind: 'RetentionQuery', retentionFilter }, { results })).rows.map((row) => row.slice(3));
    };
    expect(rows({})).toEqual([
      [4, 3, 2],
      [5, 1, null],
      [6, null, null],
    ]);
    expect(rows({ retentionCustomBrackets: [2, 3] })).toEqual([
      [4, 3],
      [5, 1],
      [6, null],
    ]);
  });

  test('leaves long names the room that columns do not need', () => {
    const name = 'one of the many long names of plans that there are';
    expect(textsOf(read(cohort(name, 4, 1)), 800)).toContain(name);
    const later = Array.from({ length: 11 }, () => cohort(name, ...Array(12).fill(0)));
    const narrow = textsOf(read(cohort(name, ...Array(12).fill(1)), ...later), 800);
    expect(narrow).not.toContain(name);
    expect(narrow).toEqual(expect.arrayContaining([expect.stringMatching(/^one of the.*…$/), '8']));
  });
});

test('conversion over time is drawn in percent, with the share of the whole time as its total', () => {
  const query = { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'trends' } };
  const result = {
    count: 3,
    data: [50, 0, 100],
    reached_from_step_count: [4, 0, 4],
    reached_to_step_count: [2, 0, 4],
    labels,
    days,
  };
  const whole = readInsight(query, { results: [result] });
  expect(textsOf(whole)).toEqual(expect.arrayContaining(['100%', '0%', ...labels]));
  expect(insightTable(whole)).toEqual({ columns: ['series', ...days, 'total'], rows: [['Conversion (%)', 50, 0, 100, 75]] });
  const broken = readInsight(query, {
    results: ['a', 'b'].map((breakdown_value) => ({ ...result, breakdown_value: [breakdown_value] })),
  });
  expect(textsOf(broken)).toEqual(expect.arrayContaining(['a', 'b']));
});

test('the time that people take is drawn as a histogram, with the average above', () => {
  const query = { kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'time_to_convert' } };
  const results = {
    bins: [
      [30, 4],
      [3690, 1],
      [90000, 2],
    ],
    average_conversion_time: 75.4,
  };
  const times = readInsight(query, { results });
  expect(textsOf(times)).toEqual(expect.arrayContaining(['30s', '1h 1m', '1d 1h', 'On average: 1m 15s']));
  expect(insightTable(times)).toEqual({ columns: ['series', '30s', '1h 1m', '1d 1h', 'total'], rows: [['People', 4, 1, 2, 7]] });
  expect(isEmpty(readInsight(query, { results: { bins: [], average_conversion_time: null } }))).toBe(true);
  expect([0, 0.5, 59.6, 3600, 86_461].map(formatDuration)).toEqual(['0s', '0.5s', '1m', '1h', '1d']);
});

test('a pie of negative numbers is drawn as bars', () => {
  const below = trends([trend({ count: -6 }), trend({ label: 'closed', count: -2 })], 'ActionsPie');
  expect(textsOf(below)).toEqual(expect.arrayContaining(['-6', '-2']));
});

test('paths that lead in a circle are drawn without their narrowest part', () => {
  const edge = (source: string, target: string, value: number) => ({ source, target, value });
  const circle = readInsight({ kind: 'PathsQuery' }, { results: [edge('a', 'b', 5), edge('b', 'a', 2), edge('b', 'b', 9)] });
  expect(textsOf(circle)).toEqual(expect.arrayContaining(['a  5', 'b  5', '+ 2 more paths']));
});

test.each([
  [0, '0'],
  [-0, '0'],
  [1234.567, '1,234.57'],
  [0.5, '0.5'],
  [0.0012345, '0.00123'],
  [-0.0000049, '-0.0000049'],
  [0.00000012, '1.2E-7'],
  [1.5e18, '1.5E18'],
])('%d reads %s', (value, shown) => {
  expect(textsOf(trends([trend({ count: value })], 'BoldNumber'))[0]).toBe(shown);
});

test('shares that are nearly nothing or nearly all are not rounded to it', () => {
  const pie = trends([trend({ count: 1e6 }), trend({ label: 'b', count: 1 })], 'ActionsPie');
  expect(textsOf(pie)).toEqual(['opened: 1,000,000 (>99.9%)', 'b: 1 (<0.1%)']);
});

test('a number in bold stays within its picture', () => {
  const insight = trends([trend({ count: 213_580_244.97 })], 'BoldNumber');
  const size = Number(/font-size:([\d.]+)px[^>]*>213/.exec(renderSvg(insight, { width: 580, height: 290 }))?.[1]);
  expect(roughly('213,580,244.97', size) * 1.12).toBeLessThan(580);
  expect(size).toBeGreaterThan(40);
});

test('of tables with many columns those are shown that can be read whole', () => {
  const columns = ['day', ...Array.from({ length: 30 }, (_, i) => `Column ${i}`)];
  const wide = readInsight({}, { columns, results: [columns.map((_, i) => (i === 0 ? '2026-10-20' : i))] });
  const texts = textsOf(wide);
  expect(texts).toEqual(expect.arrayContaining(['day', '2026-10-20', 'Column 0', 'Column 1']));
  const shown = texts.filter((text) => text.startsWith('Column')).length;
  expect(texts).toContain(`+ ${30 - shown} more columns`);
});

test('paths have as many nodes as have room for their names, without the site that all of them share', () => {
  const results = Array.from({ length: 80 }, (_, i) => ({
    source: '1_https://example.org/',
    target: `2_https://example.org/page/${i}`,
    value: 100 - i,
  }));
  const texts = textsOf(readInsight({ kind: 'PathsQuery' }, { results }), 600, 300);
  const shown = texts.filter((text) => text.startsWith('/page/')).length;
  expect(shown).toBeGreaterThan(5);
  expect(shown * 20).toBeLessThan(300);
  expect(texts).toContain(`+ ${80 - shown} more paths`);
});

test('a chart is drawn without its legend when it is not wanted', () => {
  const two = trends([trend(), trend({ label: 'closed' })]);
  const svg = (hasLegend: boolean) => renderSvg(two, { width: 600, height: 300, hasLegend });
  expect([svg(true).includes('closed'), svg(false).includes('closed')]).toEqual([true, false]);
});

test('no line but the first eight has a color of its own, and none is dashed', () => {
  const many = trends(Array.from({ length: 12 }, (_, i) => trend({ label: `s${i}` })));
  const svg = renderSvg(many, { width: 900, height: 500 });
  const lines = [...svg.matchAll(/<path[^>]* stroke="(#\w+)" stroke-width="2"[^>]*>/g)].map(([, color]) => color);
  expect(lines).toEqual([...THEMES.light.palette, ...Array(4).fill(THEMES.light.other)]);
  expect(svg).not.toContain('stroke-dasharray');
});

describe('the color of a series', () => {
  const colorsOf = (insight: Insight) => {
    if (insight.kind !== 'series') return [];
    return insight.series.map((_, i) => THEMES.light.palette.indexOf(colorOf(insight, i, THEMES.light)));
  };
  const plan = (breakdown_value: string, fields: object = {}) => trend({ breakdown_value, ...fields });

  test('is that of its place, also when several are of one event', () => {
    expect(colorsOf(trends([trend(), trend(), trend()]))).toEqual([0, 1, 2]);
  });

  test('is in the period before that of what it is compared to', () => {
    const previous = { compare_label: 'previous' };
    expect(colorsOf(trends([trend(), trend(), trend(previous), trend(previous)]))).toEqual([0, 1, 0, 1]);
    expect(colorsOf(trends([plan('a'), plan('b'), plan('b', previous), plan('a', previous)]))).toEqual([0, 1, 1, 0]);
  });

  test('is gray for the rest of a breakdown', () => {
    const rest = plan('$$_posthog_breakdown_other_$$');
    expect(colorsOf(trends([plan('a'), rest, plan('b')]))).toEqual([0, -1, 1]);
    expect(colorsOf(trends([plan('a'), plan(''), plan('b')]))).toEqual([0, -1, 1]);
    expect(colorsOf(trends([plan('a'), rest, plan('')]))).toEqual([0, -1, 1]);
  });

  test('is the same for a value of a breakdown in all insights of a dashboard', () => {
    const of = (...values: string[]) => trends(values.map((value) => plan(value)));
    const shared = shareColors([of('free', 'pro', 'team'), trends([]), of('team', 'free'), of('new', 'pro', 'other')]);
    expect(shared.map(colorsOf)).toEqual([[0, 1, 2], [], [2, 0], [0, 1, 2]]);
    expect(shareColors([of('a', 'b'), of('c', 'd'), of('a', 'c')]).map(colorsOf)).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  test('is in a lifecycle that of its meaning', () => {
    const statuses = ['dormant', 'new', 'returning', 'resurrecting'];
    const life = readInsight({ kind: 'LifecycleQuery' }, { results: statuses.map((status) => trend({ status })) });
    expect(colorsOf(life)).toEqual([4, 2, 0, 3]);
  });
});
