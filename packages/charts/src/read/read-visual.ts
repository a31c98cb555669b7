import { isoPattern } from '@tidemark/flags/iso-date';
import { bucketText, momentOf } from '../axes/calendar-ticks.js';
import type { Axis, Display, Insight, Series } from '../insight.js';
import type { NumberStyle } from '../text/number-style.js';
import { DISPLAYS, type Fields, fields, numberOf, text } from './read-fields.js';
import { colorFrom, goalsOf, styleOfColumn } from './read-settings.js';

type Rows = Extract<Insight, { kind: 'rows' }>;

/** Maximal number of series that a breakdown column may produce; more would hide each other. */
const MOST_LINES = 50;

/**
 * Reads the rows of a query as the chart that a `DataVisualizationNode` describes: `display` and `chartSettings` (`xAxis`, `yAxis` with
 * its names, formats, sides, shapes and colors, `leftYAxisSettings`, `rightYAxisSettings`, `seriesBreakdownColumn`, `stackBars100`,
 * `goalLines`). Without settings it draws the numeric columns over the first other one. Null: a table.
 */
export function readVisual(node: Fields, rows: Rows): Insight | null {
  const display = displayOf(node['display']);
  if (display === null || rows.rows.length === 0) return null;
  const settings = fields(node['chartSettings']);
  const columns = columnsOf(settings, rows);
  const [first] = columns.y;
  if (!first) return null;
  const labels = columns.x === null ? rows.rows.map((_, i) => String(i + 1)) : labelsOf(rows, columns.x);
  const times = columns.x === null ? null : timesOf(rows, columns.x, labels);
  const over = rows.columns[columns.x ?? -1] ?? 'Row';
  const drawn = (labels: string[], series: Series[]): Insight => {
    const goals = goalsOf(settings['goalLines'], () => series.flatMap(({ data, total }) => (data.length > 0 ? data : [total])));
    return {
      kind: 'series',
      display,
      labels,
      days: times ? labels.map((label) => times.get(label) ?? '') : [],
      over,
      // a total of each row has no places on an axis
      ...(labels.length > 0 && columns.x !== null && isNames(rows, columns.x) ? { isCategorical: true } : {}),
      ...(settings['stackBars100'] === true && display === 'stacked' ? { isShare: true } : {}),
      ...axesOf(settings, series),
      ...(goals.length > 0 ? { goals } : {}),
      series,
    };
  };
  if (display === 'number') {
    const data = [numberOf(rows.rows[0]?.[first.index]) ?? 0];
    return drawn([], [line(first, data, data[0])]);
  }
  if (display === 'pie' || display === 'total-bar') {
    const { style } = first;
    const series = rows.rows.map((row, i) => line({ label: labels[i] ?? '', style }, [], numberOf(row[first.index]) ?? 0));
    return drawn([], series);
  }
  if (columns.breakdown !== null) {
    const { places, lines } = brokenDown(rows, labels, first, columns.breakdown);
    return drawn(places, lines);
  }
  const series = columns.y.map((column) =>
    line(
      column,
      rows.rows.map((row) => numberOf(row[column.index]) ?? 0),
    ),
  );
  return drawn(labels, series);
}

/** Null: a table. */
function displayOf(name: unknown): Exclude<Display, 'table'> | null {
  // in SQL charts `ActionsBar` means grouped bars, not stacked ones
  if (name === 'ActionsBar') return 'bar';
  const display = typeof name === 'string' ? DISPLAYS[name] : undefined;
  return display === undefined || display === 'table' ? null : display;
}

/** Display options of a column. */
interface Drawn {
  label: string;
  style?: NumberStyle | undefined;
  isRight?: boolean;
  shape?: Series['shape'] | undefined;
  color?: string | null;
}

interface Columns {
  x: number | null;
  y: (Drawn & { index: number })[];
  breakdown: number | null;
}

function columnsOf(settings: Fields, { columns, rows }: Rows): Columns {
  const placeOf = (axis: unknown) => columns.indexOf(text(fields(axis)['column']) ?? '');
  const isNumber = columns.map((_, i) => {
    const there = rows.map((row) => row[i]).filter((value) => value !== null);
    return there.length > 0 && there.every((value) => numberOf(value) !== null);
  });
  const named = (Array.isArray(settings['yAxis']) ? settings['yAxis'] : [])
    .map((axis) => ({ index: placeOf(axis), settings: fields(axis)['settings'] }))
    .filter(({ index }) => index >= 0);
  const chosen = placeOf(settings['xAxis']);
  const free = columns.map((_, i) => i).filter((i) => !named.some(({ index }) => index === i));
  const guessed = free.find((i) => !isNumber[i]) ?? (columns.length > 1 ? free[0] : undefined) ?? null;
  const x = chosen >= 0 ? chosen : guessed;
  const numbers = columns.map((_, index) => ({ index, settings: null })).filter(({ index }) => isNumber[index] && index !== x);
  const y = (named.length > 0 ? named : numbers).map(({ index, settings: own }) => ({
    index,
    ...drawnAs(own, columns[index] ?? ''),
  }));
  const breakdown = columns.indexOf(text(settings['seriesBreakdownColumn']) ?? '');
  return { x, y, breakdown: breakdown < 0 ? null : breakdown };
}

const SHAPES: ReadonlySet<unknown> = new Set(['line', 'area', 'bar']);
const isShape = (name: unknown): name is Series['shape'] => SHAPES.has(name);

/** Reads the settings of a column. */
function drawnAs(settings: unknown, column: string): Drawn {
  const { label, yAxisPosition, displayType, color } = fields(fields(settings)['display']);
  return {
    label: text(label) ?? column,
    style: styleOfColumn(settings),
    isRight: yAxisPosition === 'right',
    shape: isShape(displayType) ? displayType : undefined,
    color: colorFrom(color),
  };
}

/** Two axes when series use both sides, else one or the default. */
function axesOf(settings: Fields, series: Series[]): { axes?: Axis[] } {
  const axis = (own: unknown, atZero: unknown): Axis => {
    const { scale, startAtZero = atZero } = fields(own);
    return {
      ...(scale === 'logarithmic' ? { isLogarithmic: true as const } : {}),
      ...(startAtZero === false ? { isTight: true as const } : {}),
    };
  };
  const left = axis(settings['leftYAxisSettings'], settings['yAxisAtZero']);
  const right = axis(settings['rightYAxisSettings'], undefined);
  const onRight = series.filter(({ axis: place }) => place === 1);
  if (onRight.length > 0 && onRight.length < series.length) return { axes: [left, right] };
  // all on one side need no second axis
  for (const one of onRight) delete one.axis;
  const only = onRight.length > 0 ? right : left;
  return Object.keys(only).length > 0 ? { axes: [only] } : {};
}

/** One series per value of the breakdown column, over the union of their labels. */
function brokenDown({ rows }: Rows, labels: readonly string[], { index: y, style }: Columns['y'][number], breakdown: number) {
  const places = [...new Set(labels)];
  const placeOf = new Map(places.map((label, i) => [label, i]));
  const lines = new Map<string, number[]>();
  for (const [i, row] of rows.entries()) {
    const name = String(row[breakdown] ?? '(none)');
    const data = lines.get(name) ?? places.map(() => 0);
    const place = placeOf.get(labels[i] ?? '') ?? 0;
    data[place] = (data[place] ?? 0) + (numberOf(row[y]) ?? 0);
    lines.set(name, data);
  }
  return { places, lines: [...lines].slice(0, MOST_LINES).map(([label, data]) => line({ label, style }, data)) };
}

function line({ label, style, isRight = false, shape, color }: Drawn, data: number[], total?: number): Series {
  return {
    label,
    name: label,
    customName: null,
    breakdown: null,
    status: null,
    isPrevious: false,
    data,
    total: total ?? data.reduce((sum, one) => sum + one, 0),
    ...(style ? { style } : {}),
    ...(isRight ? { axis: 1 } : {}),
    ...(shape ? { shape } : {}),
    ...(color ? { color } : {}),
  };
}

const TIME = isoPattern({ longFraction: true });

/** Whether a column has names: no times and no numbers, which have an order of their own. */
function isNames({ rows }: Rows, column: number): boolean {
  const values = rows.map((row) => row[column]).filter((value) => value !== null && value !== undefined);
  return !values.every((value) => numberOf(value) !== null || TIME.test(String(value)));
}

/** The time of each label of a column of ascending times; null: other values, or another order, which an axis of time would not show. */
function timesOf({ rows }: Rows, column: number, labels: readonly string[]): ReadonlyMap<string, string> | null {
  const values = rows.map((row) => String(row[column] ?? ''));
  const isAscending = values.every((value, i) => i === 0 || value >= (values[i - 1] ?? ''));
  if (!isAscending || !values.every((value) => TIME.test(value))) return null;
  return new Map(labels.map((label, i) => [label, values[i] ?? '']));
}

/** Formats the values of a column as labels; times as in trends, in the zone of the query: `1 May 2026`, `1 May 2026, 14:30`. */
function labelsOf({ rows }: Rows, column: number): string[] {
  const values = rows
    .map((row) => row[column])
    .map((value) => (value === null || value === undefined ? '(none)' : String(value)));
  const times = values.map((value) => (TIME.test(value) ? momentOf(value) : null));
  if (!times.every((time) => time !== null)) return values;
  const isDays = times.every(({ hour, minute }) => hour === 0 && minute === 0);
  return times.map((time) => bucketText(time, isDays ? 'day' : 'minute'));
}
