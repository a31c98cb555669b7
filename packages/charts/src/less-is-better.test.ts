import { expect, test } from 'vitest';
import type { Insight } from './insight.js';
import { numberParts } from './kinds/number-parts.js';
import { describeInsight } from './read/describe-insight.js';
import { renderSvg } from './render-svg.js';
import { shownTable } from './shown-table.js';
import { THEMES } from './theme/theme.js';

const NOW = { now: Date.parse('2026-05-02T12:00:00Z'), timezone: 'UTC' };
const POINTS = { days: ['2026-04-30', '2026-05-01', '2026-05-02', '2026-05-03'], data: [30, 1200, 5, 0] };

/** A line of a trend whose value rose from 10, by its place among the series or, without an action, among the formulas. */
const rose = (name: string, order: number, fields: object = {}) =>
  [20, 10].map((aggregated_value, i) => ({
    action: { name, order },
    label: name,
    order,
    data: [],
    days: [],
    aggregated_value,
    compare_label: i === 0 ? 'current' : 'previous',
    ...fields,
  }));

const described = (query: object, results: object[]) => describeInsight({ kind: 'TrendsQuery', ...query }, { results }, NOW);

const verdictsOf = (insight: Insight) => shownTable(insight, 10).rows.map((row) => row[3]?.verdict);

const numberOf = (insight: Insight) => {
  if (insight.kind !== 'series') throw new Error('no number');
  return numberParts(insight);
};

test('each series says whether its rise is bad; one that says nothing follows the settings of the chart', () => {
  const series = [{ isIncreaseBad: true }, { isIncreaseBad: false }, {}];
  const results = ['errors', 'visits', 'churn'].flatMap((name, i) => rose(name, i));
  const table = (isIncreaseBad: boolean) =>
    described({ series, trendsFilter: { display: 'ActionsTable', isIncreaseBad } }, results);
  expect(verdictsOf(table(false))).toEqual(['bad', 'good', 'good']);
  expect(verdictsOf(table(true))).toEqual(['bad', 'good', 'bad']);
});

test('each formula says it, too', () => {
  const formulaNodes = [{ formula: 'A / B', isIncreaseBad: true }, { formula: ' ' }, { formula: 'A' }];
  const results = ['one', 'other'].flatMap((name, i) => rose(name, i, { action: null }));
  expect(verdictsOf(described({ trendsFilter: { display: 'ActionsTable', formulaNodes } }, results))).toEqual(['bad', 'good']);
});

test('a table has the period before and the change, in a color, with an arrow and a sign', () => {
  const insight = described({ series: [{ isIncreaseBad: true }], trendsFilter: { display: 'ActionsTable' } }, rose('errors', 0));
  const { columns, rows } = shownTable(insight, 10);
  expect(columns.map(({ label }) => label)).toEqual(['Series', 'Total', 'Before', 'Change']);
  expect(rows.map((row) => row.map(({ text }) => text))).toEqual([['errors', '20', '10', '+100%']]);
  const svg = renderSvg(insight, { width: 600, height: 200 });
  expect(svg).toMatch(new RegExp(`fill="${THEMES.light.bad}"[^>]*>▲ \\+100%<`));
});

test('what is in one period alone has a row without a change', () => {
  const [free] = rose('a', 0, { breakdown_value: 'free' });
  const [, paid] = rose('a', 0, { breakdown_value: 'paid' });
  const insight = described({ trendsFilter: { display: 'ActionsTable' } }, [free ?? {}, paid ?? {}]);
  const rows = shownTable(insight, 10).rows.map((row) => row.map(({ text }) => text));
  expect(rows).toEqual([
    ['free', '20', '', ''],
    ['paid', '', '10', ''],
  ]);
});

test('a single number with a breakdown is the number of all, with its change and its points', () => {
  const lines = ['free', 'paid'].flatMap((breakdown_value) => rose('a', 0, { breakdown_value }));
  const results = lines.map((one, i) => (i < 2 ? { ...one, whole: { aggregated_value: 33 - 3 * i, sparkline: POINTS } } : one));
  const insight = described({ trendsFilter: { display: 'BoldNumber' } }, results);
  const { value, before, change, points } = numberOf(insight);
  expect([value, before, change?.text, points]).toEqual(['33', 'vs 30', '+10.0%', [30, 1200, 5]]);
  // the values themselves stay in its table
  expect(shownTable(insight, 10).rows.map(([name, total]) => [name?.text, total?.text])).toEqual([
    ['free', '20'],
    ['paid', '20'],
  ]);
});

test('a sparkline says what it shows, and leaves out days that have not begun', () => {
  const filter = { display: 'BoldNumber', aggregationAxisPrefix: '$' };
  const insight = described({ trendsFilter: filter }, rose('a', 0, { sparkline: POINTS }));
  const { about, points, unfinished } = numberOf(insight);
  const words = 'By day from 30 Apr to 2 May 2026: lowest $30, highest $1,200, the dashed part is not over yet';
  expect([about, points, unfinished]).toEqual([words, [30, 1200, 5], 1]);
  expect(renderSvg(insight, { width: 262, height: 200 })).toContain(`fill-opacity="0"><title>${words}</title></rect>`);
});
