import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeInsight, type Insight, numberParts, readInsight, renderSvg, shownTable, THEMES, written } from './index.js';
import { inkOn } from './theme/series-color.js';
import { contrast } from './theme/theme.js';

const labels = ['1-May-2026', '2-May-2026'];
const trend = (name: string, data: number[], order = 0, fields: object = {}) => ({
  action: { name, custom_name: null, order },
  label: name,
  count: data.reduce((sum, one) => sum + one, 0),
  data,
  labels,
  days: ['2026-05-01', '2026-05-02'],
  ...fields,
});
const trends = (trendsFilter: object, results: object[]) =>
  readInsight({ kind: 'InsightVizNode', source: { kind: 'TrendsQuery', trendsFilter } }, { results });
const answer = {
  columns: ['day', 'plan', 'n', 'revenue'],
  results: [
    ['2026-05-01', 'free', 3, 1234.5],
    ['2026-05-02', 'paid', 1, '99999999999999999'],
    ['2026-05-03', null, 8, null],
  ],
};
const sql = (display: string, settings: object) =>
  readInsight({ kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery' }, display, ...settings }, answer);
const column = (name: string, formatting: object = {}, display: object = {}) => ({
  column: name,
  settings: { formatting, display },
});
const textsOf = (insight: Insight, width = 600, height = 400) =>
  [...renderSvg(insight, { width, height }).matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);

describe('numbers are written as a trend says', () => {
  test.each([
    [{ decimalPlaces: 1 }, 1234.567, '1,234.6'],
    [{ decimalPlaces: 0 }, 0.4, '0'],
    [{ minDecimalPlaces: 2 }, 1234, '1,234.00'],
    [{ minDecimalPlaces: 1, decimalPlaces: 3 }, 0.00049, '0.0'],
    [{ decimalPlaces: 99 }, 0.12345678912, '0.1234567891'],
    [{ aggregationAxisFormat: 'duration' }, 90, '1m 30s'],
    [{ aggregationAxisFormat: 'duration_ms' }, -1500, '−1.5s'],
    [{ aggregationAxisFormat: 'percentage', decimalPlaces: 1 }, 12.345, '12.3%'],
    [{ aggregationAxisFormat: 'percentage_scaled' }, 0.5, '50%'],
    [{ aggregationAxisFormat: 'currency', minDecimalPlaces: 2 }, -5, '−$5.00'],
    [{ aggregationAxisFormat: 'short' }, 12_345, '12.3K'],
    [{ aggregationAxisFormat: 'tea' }, 1.5, '1.5'],
    [{ aggregationAxisPrefix: '£', aggregationAxisPostfix: ' net' }, 1200, '£1,200 net'],
    [{ aggregationAxisPrefix: 3 }, 1, '1'],
  ])('%j: %d is %s', (filter, value, text) => {
    const insight = trends({ display: 'BoldNumber', ...filter }, [trend('x', [], 0, { aggregated_value: value })]);
    expect(textsOf(insight)[0]).toBe(text);
    expect(shownTable(insight, 9).rows[0]?.[1]?.text).toBe(text);
  });

  test('also on axes, at bars and in legends', () => {
    const style = { aggregationAxisPostfix: ' kg', minDecimalPlaces: 1 };
    const two = [trend('a', [100, 400]), trend('b', [1, 2])];
    expect(textsOf(trends(style, two))).toEqual(expect.arrayContaining(['0 kg', '400 kg']));
    expect(textsOf(trends({ ...style, display: 'ActionsBarValue' }, two))).toEqual(
      expect.arrayContaining(['500.0 kg', '3.0 kg']),
    );
    expect(textsOf(trends({ ...style, display: 'ActionsPie' }, two))).toEqual(expect.arrayContaining(['a', '500.0 kg', '99.4%']));
  });

  test('numbers lose digits only by rounding', () => {
    const style = fc.record({ unit: fc.constantFrom('percent', 'dollars', undefined), decimals: fc.constant([0, 10] as const) });
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), style, (value, { unit, decimals }) => {
        const text = written(value, unit ? { unit, decimals } : { decimals });
        expect(Number(text.replaceAll(/[,$%]/g, '').replace('−', '-'))).toBe(value);
      }),
    );
  });
});

describe('goals', () => {
  const goal = (value: unknown, fields: object = {}) => ({ label: `Goal ${value}`, value, ...fields });
  const drawn = (goalLines: unknown, display = 'ActionsLineGraph') => trends({ display, goalLines }, [trend('a', [1, 5])]);
  const colors = (insight: Insight) => renderSvg(insight, { width: 600, height: 400 }).match(/stroke="#[0-9a-f]{6}"/g) ?? [];

  test('are lines with their names, and the axis reaches them', () => {
    const texts = textsOf(drawn([goal(50)]));
    expect(texts).toEqual(expect.arrayContaining(['Goal 50', '60']));
    expect(textsOf(drawn([goal('12.5', { displayLabel: false })]))).not.toContain('Goal 12.5');
    expect(colors(drawn([goal(3, { borderColor: '#D11' })]))).toContain('stroke="#dd1111"');
    expect(textsOf(drawn([goal(900)], 'ActionsBarValue'))).toContain('Goal 900');
  });

  test('are hidden once they are reached, if configured', () => {
    const lines = [goal(5, { displayIfCrossed: false }), goal(6, { displayIfCrossed: false }), goal(2)];
    expect(textsOf(drawn(lines)).filter((text) => text.startsWith('Goal'))).toEqual(['Goal 6', 'Goal 2']);
  });

  test.each([null, 'x', [null], [{}], [{ value: 'much', label: 3 }], [{ value: Number.POSITIVE_INFINITY }]])(
    '%j is not a goal',
    (lines) => {
      expect(drawn(lines)).not.toHaveProperty('goals');
    },
  );

  test('of SQL stand in its chart settings', () => {
    const insight = sql('ActionsLineGraph', { chartSettings: { yAxis: [column('n')], goalLines: [goal(20)] } });
    expect(textsOf(insight)).toContain('Goal 20');
  });
});

describe('axes', () => {
  /** The numbers of the axes left and right of the plot, from the bottom. */
  const sidesOf = (insight: Insight) => {
    const texts = [...renderSvg(insight, { width: 600, height: 400 }).matchAll(/<text x="([\d.]+)"([^>]*)>([^<]*)</g)];
    const on = (isRight: boolean) =>
      texts.flatMap(([, x, more = '', text]) =>
        more.includes('font-size="11"') && !more.includes('"middle"') && Number(x) > 300 === isRight ? [text] : [],
      );
    return { left: on(false), right: on(true) };
  };
  const placesOf = (insight: Insight) => (insight.kind === 'series' ? insight.series.map(({ axis = 0 }) => axis) : []);

  test('are separate for each event, and its breakdown shares one', () => {
    const parts = ['x', 'y'].map((breakdown_value) => trend('a', [1000, 2000], 0, { breakdown_value }));
    const insight = trends({ showMultipleYAxes: true }, [...parts, trend('b', [1, 2], 1)]);
    expect(sidesOf(insight)).toEqual({ left: ['0', '500', '1,000', '1,500', '2,000'], right: ['0', '1', '2'] });
    expect(placesOf(insight)).toEqual([0, 0, 1]);
    expect(sidesOf(trends({ showMultipleYAxes: false }, [trend('a', [1]), trend('b', [2], 1)])).right).toEqual([]);
    const many = Array.from({ length: 9 }, (_, i) => trend(`e${i}`, [i], i));
    expect(placesOf(trends({ showMultipleYAxes: true }, many))).toEqual([0, 1, 2, 3, 3, 3, 3, 3, 3]);
  });

  test('of SQL are on the sides that its columns are on, with their formats and scales', () => {
    const both = sql('ActionsBar', {
      chartSettings: {
        xAxis: { column: 'day' },
        yAxis: [
          column('n', { suffix: ' people' }),
          column('revenue', { prefix: '€', decimalPlaces: 2 }, { yAxisPosition: 'right', displayType: 'line', color: '#123456' }),
        ],
        leftYAxisSettings: { startAtZero: false },
        rightYAxisSettings: { scale: 'logarithmic' },
      },
    });
    const { left, right: powers } = sidesOf(both);
    expect([left[0], left.at(-1)]).toEqual(['0 people', '8 people']);
    expect(powers).toEqual(['€1E3', '€1E7', '€1E11', '€1E15', '€1E19']);
    expect(placesOf(both)).toEqual([0, 1]);
    expect(both).toMatchObject({ series: [{ label: 'n' }, { shape: 'line', color: '#123456' }] });
    expect(textsOf(both)).toContain('8 people');
    const right = sql('ActionsBar', { chartSettings: { yAxis: [column('n', {}, { yAxisPosition: 'right' })] } });
    expect(sidesOf(right).right).toEqual([]);
  });

  test('with a logarithmic scale skip values without a logarithm, and are linear if there are none', () => {
    const log = (data: number[]) =>
      sidesOf(trends({ yAxisScaleType: 'log10' }, [trend('a', data, 0, { action: { name: 'a', math: 'sum' } })])).left;
    expect(log([0, 1, 100])).toEqual(['1', '10', '100']);
    expect(log([0, 0])).toEqual(['0', '1']);
  });
});

describe('shares of 100%', () => {
  /** Heights of the bars in the color of a series, as shares of the plot. */
  const heightsOf = (insight: Insight, color: string) => {
    const svg = renderSvg(insight, { width: 600, height: 400 });
    const plot = Number(/height="([\d.]+)"[^>]*data-plot/.exec(svg)?.[1]);
    const bars = [...svg.matchAll(new RegExp(`height="([\\d.]+)"[^>]*fill="${color}"`, 'g'))];
    // the legend has squares of ten pixels
    return bars.filter(([, height]) => height !== '10').map(([, height]) => Math.round((100 * Number(height)) / plot));
  };

  test.each(['ActionsBar', 'ActionsAreaGraph'])(
    'are the numbers of the axis of %s, and the table has the numbers themselves',
    (display) => {
      const insight = trends({ display, showPercentStackView: true }, [trend('a', [1, 0]), trend('b', [3, 0])]);
      expect(textsOf(insight)).toEqual(expect.arrayContaining(['0%', '100%']));
      expect(shownTable(insight, 9).rows.map((row) => row[1]?.text)).toEqual(['1', '3']);
    },
  );

  test('are the heights of bars', () => {
    const insight = trends({ display: 'ActionsBar', showPercentStackView: true }, [trend('a', [1, 0]), trend('b', [3, 0])]);
    expect(['#0675ab', '#ad6027'].map((color) => heightsOf(insight, color))).toEqual([[25], [75]]);
  });

  test('are those of the comparison period by itself', () => {
    const before = trend('a', [8, 8], 0, { compare_label: 'previous' });
    const insight = trends({ display: 'ActionsBar', showPercentStackView: true }, [trend('a', [1, 2]), before]);
    expect(heightsOf(insight, '#0675ab')).toEqual([100, 100, 100, 100]);
  });

  test('not of lines, nor of bars side by side', () => {
    for (const display of ['ActionsLineGraph', 'ActionsUnstackedBar']) {
      expect(trends({ display, showPercentStackView: true }, [trend('a', [1])])).not.toHaveProperty('isShare');
    }
    const settings = { chartSettings: { yAxis: [column('n')], stackBars100: true } };
    expect(sql('ActionsStackedBar', settings)).toHaveProperty('isShare', true);
    expect(sql('ActionsBar', settings)).not.toHaveProperty('isShare');
  });
});

test('values are drawn at points and bars if configured, and only where they fit', () => {
  const filter = { display: 'ActionsBar', showValuesOnSeries: true };
  expect(textsOf(trends(filter, [trend('a', [41, 0])]))).toContain('41');
  const narrow = Array.from({ length: 200 }, () => 12_345);
  expect(textsOf(trends(filter, [trend('a', narrow, 0, { labels: narrow.map(String) })])).join()).not.toContain('12,345,');
  expect(textsOf(trends({ display: 'ActionsLineGraph' }, [trend('a', [41, 0])]))).not.toContain('41');
});

describe('tables', () => {
  const table = (tableSettings: object) => {
    const { columns, rows, totals } = shownTable(sql('ActionsTable', { tableSettings }), 10);
    const text = (cells: (typeof rows)[number]) => cells.map((cell) => cell.text);
    return { heads: columns.map(({ label }) => label), rows: rows.map(text), totals: totals && text(totals) };
  };

  test('have the columns of their settings, in their order, with their names and formats', () => {
    const columns = [column('revenue', { prefix: '€', decimalPlaces: 2 }, { label: 'Money' }), column('gone'), column('plan')];
    expect(table({ columns })).toEqual({
      heads: ['Money', 'plan'],
      rows: [
        ['€1,234.50', 'free'],
        ['€1E17', 'paid'],
        ['', ''],
      ],
      totals: null,
    });
    expect(table({ pinnedColumns: ['n'] }).heads).toEqual(['n', 'day', 'plan', 'revenue']);
    const node = { kind: 'DataTableNode', hiddenColumns: ['plan', 'n'], source: { kind: 'HogQLQuery' } };
    expect(shownTable(readInsight(node, answer), 9).columns.map(({ label }) => label)).toEqual(['day', 'revenue']);
  });

  test('have the sums of all rows in a last row, and can be transposed', () => {
    const columns = [column('plan'), column('n')];
    expect(table({ columns, showTotalRow: true }).totals).toEqual(['Total', '12']);
    expect(table({ columns, showTotalRow: true, transpose: true })).toEqual({
      heads: ['plan', 'free', 'paid', '', 'Total'],
      rows: [['n', '3', '1', '8', '12']],
      totals: null,
    });
    const long = sql('ActionsTable', { tableSettings: { columns, showTotalRow: true } });
    expect(textsOf(long, 300, 100)).toEqual(['plan', 'n', 'free', '3', 'Total', '12', '+ 2 more rows']);
  });

  test.each([
    ['equals', '3', [true, false, false]],
    ['not_equals', '3', [false, true, true]],
    ['greater_than', '3', [false, false, true]],
    ['greater_than_equal', '3', [true, false, true]],
    ['less_than', '8', [true, true, false]],
    ['less_than_equal', '1', [false, true, false]],
    ['tea', '3', [false, false, false]],
  ])('color the cells that are %s %s', (templateId, input, expected) => {
    const rule = { id: '1', templateId, columnName: 'n', input, color: '#fca5a5' };
    const { rows } = shownTable(sql('ActionsTable', { tableSettings: { conditionalFormatting: [rule] } }), 9);
    expect(rows.map((row) => row[2]?.color === '#fca5a5')).toEqual(expected);
    expect(rows.every((row) => row[1]?.color === null)).toBe(true);
  });

  test('color texts and what is missing, by the first rule that holds, in colors alone', () => {
    const rule = (templateId: string, input: string, color: string) => ({ templateId, columnName: 'plan', input, color });
    const conditionalFormatting = [
      rule('contains', 're', 'red" onload="x'),
      rule('contains', 're', '#00ff00'),
      rule('is_not_null', '', '#111111'),
      rule('is_null', '', '#222222'),
    ];
    const insight = sql('ActionsTable', { tableSettings: { conditionalFormatting } });
    expect(shownTable(insight, 9).rows.map((row) => row[1]?.color)).toEqual(['#00ff00', '#111111', '#222222']);
    const svg = renderSvg(insight, { width: 600, height: 300 });
    expect(svg).toContain('fill="#00ff00"');
    expect(svg).not.toContain('onload');
  });
});

test.each(['linear', 'log10'])('numbers of any size are drawn on a %s axis', (yAxisScaleType) => {
  const goalLines = [{ value: 5e-324 }, { value: -1 }];
  for (const data of [[5e-324], [1e-15, 1e10], [4.6e266], [1e308, 5], [-1e296, 5e-324]]) {
    for (const filter of [
      { yAxisScaleType, goalLines },
      { yAxisScaleType, showMultipleYAxes: true },
    ]) {
      const svg = renderSvg(trends(filter, [trend('none', [], 0), trend('odd', data, 1)]), { width: 400, height: 300 });
      expect(svg).not.toMatch(/NaN|∞|Infinity/);
    }
  }
});

test('settings of any shape draw something', () => {
  const any = fc.anything({ maxDepth: 2 });
  const number = fc.oneof(
    fc.integer().map((value) => value / 100),
    fc.double(),
  );
  const filter = fc.record({
    display: fc.constantFrom('ActionsLineGraph', 'ActionsBar', 'ActionsAreaGraph', 'ActionsBarValue'),
    goalLines: fc.oneof(any, fc.array(fc.record({ value: any, label: any, borderColor: any }))),
    decimalPlaces: any,
    minDecimalPlaces: any,
    aggregationAxisFormat: any,
    showMultipleYAxes: fc.boolean(),
    showPercentStackView: fc.boolean(),
    showValuesOnSeries: fc.boolean(),
    yAxisScaleType: fc.constantFrom('log10', 'linear'),
  });
  const settings = fc.record({
    chartSettings: fc.record({ yAxis: fc.array(any), leftYAxisSettings: any, goalLines: any }),
    tableSettings: fc.record({ columns: fc.array(any), conditionalFormatting: fc.array(any) }),
  });
  fc.assert(
    fc.property(filter, fc.array(fc.array(number), { maxLength: 4 }), settings, (trendsFilter, lines, visual) => {
      const results = lines.map((data, i) => trend(`s${i}`, data, i));
      for (const insight of [trends(trendsFilter, results), sql('ActionsBar', visual), sql('ActionsTable', visual)]) {
        expect(renderSvg(insight, { width: 400, height: 300 })).not.toContain('NaN');
      }
    }),
    { numRuns: 60 },
  );
});

describe('a number', () => {
  const now = { now: Date.parse('2026-05-02T12:00:00Z'), timezone: 'UTC' };
  const total = (value: number, fields: object) => ({
    action: { name: 'a' },
    label: 'a',
    data: [],
    days: [],
    aggregated_value: value,
    ...fields,
  });
  const number = (filter: object = {}) =>
    describeInsight(
      { kind: 'TrendsQuery', trendsFilter: { display: 'BoldNumber', ...filter } },
      {
        results: [
          total(5, {
            compare_label: 'current',
            sparkline: { days: ['2026-04-30', '2026-05-01', '2026-05-02'], data: [3, 4, 1] },
          }),
          total(4, { compare_label: 'previous' }),
        ],
      },
      now,
    );

  test('has its total, not the sum of its points, and a sparkline whose last day is not over', () => {
    const insight = number();
    expect(textsOf(insight, 262, 200)).toEqual(['5', '+25.0%', 'vs 4']);
    expect(insight).toMatchObject({ series: [{ sparkline: { unfinished: 1 } }, {}] });
    expect(renderSvg(insight, { width: 262, height: 200 })).toMatch(/<path d="M[^"]*L[^"]*"[^>]*stroke-dasharray="3 2"/);
  });

  test.each([
    [{}, 'good'],
    [{ isIncreaseBad: true }, 'bad'],
    [{ isIncreaseBad: false, aggregationAxisFormat: 'duration_ms' }, 'good'],
    [{ aggregationAxisFormat: 'duration_ms' }, 'bad'],
  ] as const)('with %j rises to the %s', (filter, verdict) => {
    const insight = number(filter);
    const { change } = insight.kind === 'series' ? numberParts(insight) : {};
    expect(change).toMatchObject({ direction: 'up', verdict });
  });
});

test('a trend of zeros has its zero line at the bottom and the line on it', () => {
  const zeros = trend('a', [0, 0], 0, { action: { name: 'a', math: 'sum' } });
  const svg = renderSvg(trends({}, [zeros]), { width: 600, height: 300 });
  const bottom = Number(/y="([\d.]+)"[^>]*data-plot/.exec(svg)?.[1]) + Number(/height="([\d.]+)"[^>]*data-plot/.exec(svg)?.[1]);
  expect(svg).toContain(`${bottom}h`);
  expect(textsOf(trends({}, [zeros]))).toContain('0');
  expect(svg).toMatch(new RegExp(`d="M[\\d.]+ ${bottom}L[\\d.]+ ${bottom}"`));
});

test.each(['light', 'dark'] as const)('numbers on stacked bars are readable on each color of the %s theme', (theme) => {
  const { palette, other, lifecycle } = THEMES[theme];
  for (const color of [...palette, other, ...Object.values(lifecycle), '#ffdd00', '#102030'])
    expect(contrast(inkOn(color, THEMES[theme]), color)).toBeGreaterThanOrEqual(4.5);
});
