import { describe, expect, test } from 'vitest';
import {
  annotate,
  createSharedColors,
  describeInsight,
  type Insight,
  insightTable,
  isEmpty,
  readInsight,
  shownTable,
} from './index.js';
import { renderSvg } from './render-svg.js';
import { formatDuration } from './text/format-number.js';
import { colorOf } from './theme/series-color.js';
import { THEMES } from './theme/theme.js';

const days = ['2026-05-01', '2026-05-02', '2026-05-03'];
const labels = ['1-May-2026', '2-May-2026', '3-May-2026'];
const ticks = ['1 May', '2 May', '3 May'];
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

test('what happened stands at its bucket by the clocks of the project, and outside the time of the chart nowhere', () => {
  const at = (iso: string) => ({ at: Date.parse(iso), text: iso });
  const notes = ['2026-04-30T12:00:00Z', '2026-04-30T23:30:00Z', '2026-05-02T10:00:00Z', '2026-05-04T00:00:00Z'].map(at);
  const inBerlin = (utc: number) => utc + 2 * 3_600_000;
  expect(annotate(trends([trend()]), notes, inBerlin)).toMatchObject({
    annotations: [
      { place: 0, text: '2026-04-30T23:30:00Z' },
      { place: 1, text: '2026-05-02T10:00:00Z' },
    ],
  });
  expect(annotate(paths, notes, inBerlin)).toBe(paths);
});

describe('tables', () => {
  test('of trends have a row for each series, and the columns that distinguish them', () => {
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

  test('for people have words as heads, shares and times with their units', () => {
    const textsIn = (insight: Insight) => {
      const { columns, rows: cells } = shownTable(insight, 9);
      return [columns.map(({ label }) => label), ...cells.map((row) => row.map(({ text }) => text))];
    };
    const step = (name: string, count: number, seconds: number | null) => ({
      name,
      count,
      median_conversion_time: seconds,
      average_conversion_time: seconds,
    });
    expect(textsIn(readInsight({ kind: 'FunnelsQuery' }, { results: [step('a', 8, null), step('b', 2, 90)] }))).toEqual([
      ['Step', 'People', 'Of the first', 'Of the step before', 'Median time', 'Average time'],
      ['1 a', '8', '100%', '', '', ''],
      ['2 b', '2', '25%', '25%', '1m 30s', '1m 30s'],
    ]);
    expect(textsIn(paths)).toEqual([
      ['Step', 'From', 'To', 'Paths', 'Average time'],
      ['1', '/', '/pricing', '7', '1.5s'],
    ]);
    expect(textsIn(retentionByPlan)[0]).toEqual(['Value', 'Cohort', 'People', 'Day 0', 'Day 1']);
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
    '%j is drawn as an empty chart at worst',
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
  test('without data have a message', () => {
    expect(isEmpty(trends([]))).toBe(true);
    expect(textsOf(trends([]))).toEqual(['No events in this period', 'Nothing matched its events and filters.']);
    const nobody = readInsight({ kind: 'FunnelsQuery' }, { results: [] });
    expect(textsOf(nobody)).toEqual(['Nobody entered this funnel', 'Its first step did not happen in this period.']);
    const none = { name: 'opened', count: 0, order: 0, average_conversion_time: null, median_conversion_time: null };
    const noOne = readInsight({ kind: 'FunnelsQuery' }, { results: [none, { ...none, name: 'paid', order: 1 }] });
    expect(textsOf(noOne)[0]).toBe('Nobody entered this funnel');
  });

  test('of one series have no legend, of several one with all names', () => {
    expect(textsOf(trends([trend()]))).not.toContain('opened');
    const two = trends([trend(), trend({ label: 'closed & gone', action: { name: 'closed & gone' } })]);
    expect(textsOf(two)).toEqual(expect.arrayContaining(['opened', 'closed & gone', ...ticks]));
  });

  test('of 30 series show how many names are hidden', () => {
    const many = trends(
      Array.from({ length: 30 }, (_, i) => trend({ label: `a series with the number ${i}`, action: { name: `${i}` } })),
    );
    const texts = textsOf(many);
    const named = texts.filter((text) => text.startsWith('a series')).length;
    expect(named).toBe(8);
    expect(texts).toContain('22 others');
  });

  test('of tables show how many rows are hidden', () => {
    const long = readInsight({}, { columns: ['n'], results: Array.from({ length: 100 }, (_, i) => [i]) });
    const shown = textsOf(long, 400, 200);
    expect(shown).toContain('+ 96 more rows');
    expect(shown).toContain('3');
    expect(shown).not.toContain('4');
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
  expect(textsOf(whole)).toEqual(expect.arrayContaining(['100%', '0%', ...ticks]));
  expect(insightTable(whole)).toEqual({ columns: ['series', ...days, 'total'], rows: [['Conversion (%)', 50, 0, 100, 75]] });
  const broken = readInsight(query, {
    results: ['a', 'b'].map((breakdown_value) => ({ ...result, breakdown_value: [breakdown_value] })),
  });
  expect(textsOf(broken)).toEqual(expect.arrayContaining(['a', 'b']));
});

test('conversion times are drawn as a histogram, with the average above it', () => {
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
  expect(textsOf(times)).toEqual(expect.arrayContaining(['30s', '1h 2m', '1d 1h', 'On average: 1m 15s']));
  expect(insightTable(times)).toEqual({ columns: ['series', '30s', '1h 2m', '1d 1h', 'total'], rows: [['People', 4, 1, 2, 7]] });
  expect(isEmpty(readInsight(query, { results: { bins: [], average_conversion_time: null } }))).toBe(true);
  expect([0, 0.32, 0.5, 0.9996, 1.8149, 59.6, 59.97, 101, 3600, 86_461, 194_400].map(formatDuration)).toEqual(
    '0s 320ms 500ms 1s 1.81s 59.6s 1m 1m_41s 1h 1d 2d_6h'.split(' ').map((text) => text.replace('_', ' ')),
  );
});

test.each([
  [0, '0'],
  [-0, '0'],
  [1234.567, '1,234.57'],
  [0.5, '0.5'],
  [0.0012345, '0.00123'],
  [-0.0000049, '−0.0000049'],
  [0.00000012, '1.2E-7'],
  [1.5e18, '1.5E18'],
])('%d is written %s', (value, shown) => {
  expect(textsOf(trends([trend({ count: value })], 'BoldNumber'))[0]).toBe(shown);
});

test('the legend of a chart can be hidden', () => {
  const two = trends([trend(), trend({ label: 'closed' })]);
  const svg = (hasLegend: boolean) => renderSvg(two, { width: 600, height: 300, hasLegend });
  expect([svg(true).includes('>closed<'), svg(false).includes('>closed<')]).toEqual([true, false]);
});

test('no line but the first eight has a color of its own, and none is dashed', () => {
  const many = trends(Array.from({ length: 12 }, (_, i) => trend({ label: `s${i}` })));
  const svg = renderSvg(many, { width: 900, height: 500 });
  const lines = [...svg.matchAll(/<path[^>]* stroke="(#\w+)" stroke-width="2"[^>]*>/g)].map(([, color]) => color);
  // the first is drawn last, above the others
  expect(lines.toReversed()).toEqual([...THEMES.light.palette, ...Array(4).fill(THEMES.light.other)]);
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

  test('is gray for the rest of a breakdown, and another gray for events without a value', () => {
    const rest = plan('$$_posthog_breakdown_other_$$');
    const { palette, other, none } = THEMES.light;
    expect(colorsOf(trends([plan('a'), rest, plan('b')]))).toEqual([0, -1, 1]);
    expect(colorsOf(trends([plan('a'), plan(''), plan('b')]))).toEqual([0, -1, 1]);
    const insight = trends([plan('a'), rest, plan(''), plan('b')]);
    expect([0, 1, 2, 3].map((i) => insight.kind === 'series' && colorOf(insight, i, THEMES.light))).toEqual([
      palette[0],
      other,
      none,
      palette[1],
    ]);
    // a dashboard that shares colors gives it no place of the palette either
    expect(colorsOf(createSharedColors()(insight))).toEqual([0, -1, -1, 1]);
  });

  test('is gray for the rest of a funnel with a breakdown, too', () => {
    const group = (breakdown_value: string) =>
      ['opened', 'paid'].map((name, i) => ({ name, breakdown_value, count: 9 - 3 * i, order: i }));
    const values = ['', 'free', '$$_posthog_breakdown_other_$$', 'pro'];
    const insight = describeInsight({ kind: 'FunnelsQuery' }, { results: values.map(group) }, { now: 0, timezone: 'UTC' });
    const svg = renderSvg(insight, { width: 900, height: 300 });
    const { palette, other, none } = THEMES.light;
    const legend = [...svg.matchAll(/<rect[^>]*width="10"[^>]*fill="(#[^"]*)"/g)].map(([, fill]) => fill);
    expect(legend).toEqual([none, palette[0], other, palette[1]]);
  });

  test('is the same for a value of a breakdown in all insights of a dashboard', () => {
    const of = (...values: string[]) => trends(values.map((value) => plan(value)));
    const shared = [of('free', 'pro', 'team'), trends([]), of('team', 'free'), of('new', 'pro', 'other')].map(
      createSharedColors(),
    );
    expect(shared.map(colorsOf)).toEqual([[0, 1, 2], [], [2, 0], [0, 1, 2]]);
    expect([of('a', 'b'), of('c', 'd'), of('a', 'c')].map(createSharedColors()).map(colorsOf)).toEqual([
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

describe('nothing in a period', () => {
  const none = { data: [0, 0, 0], count: 0 };

  test('is said instead of a line along zero, with the name of what did not happen', () => {
    for (const display of [undefined, 'ActionsBar', 'ActionsPie', 'ActionsBarValue']) {
      expect(textsOf(trends([trend(none)], display))[0]).toBe('No “opened” in this period');
    }
    const two = trends([trend(none), trend({ ...none, label: 'paid', action: { name: 'paid' } })]);
    expect(textsOf(two)[0]).toBe('No events in this period');
    const life = readInsight({ kind: 'LifecycleQuery' }, { results: [trend({ ...none, status: 'new' })] });
    expect(isEmpty(life)).toBe(true);
  });

  test('is a result where the period before had some, below a goal, as a number, and for sums, means and formulas', () => {
    expect(isEmpty(trends([trend({ ...none, compare_label: 'current' }), trend({ compare_label: 'previous' })]))).toBe(false);
    expect(isEmpty(trends([trend(none)], 'BoldNumber'))).toBe(false);
    const goal = { kind: 'TrendsQuery', trendsFilter: { goalLines: [{ label: 'Goal', value: 4 }] } };
    expect(isEmpty(readInsight(goal, { results: [trend(none)] }))).toBe(false);
    for (const action of [{ name: 'opened', math: 'sum' }, { name: 'opened', math: 'avg' }, null]) {
      expect(isEmpty(trends([trend({ ...none, action })]))).toBe(false);
    }
  });

  test('of retention is no table of zeros', () => {
    const cohorts = [0, 1].map((row) => ({ date: '2026-05-01T00:00:00Z', values: [{ count: 0 }, { count: 0 }].slice(row) }));
    expect(textsOf(readInsight({ kind: 'RetentionQuery' }, { results: cohorts }))[0]).toBe('Nobody began in this period');
  });
});
