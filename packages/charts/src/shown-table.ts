import type { ColorRule, Comparison, Insight, ShownColumn } from './insight.js';
import { numberOf } from './read/read-fields.js';
import { isSorted, type ShownCell, type ShownTable, shownCell } from './shown-cells.js';
import { type Cell, cellOf, insightTable, type Table } from './table.js';
import { signedPercent } from './text/format-number.js';
import type { NumberStyle } from './text/number-style.js';
import { timeFormatOf } from './text/time-cells.js';
import { totalsTable } from './totals-table.js';

/** Formats an insight as a table of at most `most` rows. Series show their totals, rows follow their display options (`tableOptions`). */
export function shownTable(insight: Insight, most: number): ShownTable {
  if (insight.kind === 'series') return totalsTable(insight, most);
  if (insight.kind === 'rows' && insight.tableOptions) return formatted(insight, insight.tableOptions, most);
  const { columns, rows, styles = [] } = tableForPeople(insight);
  const heads = columns.map((label, index) => {
    const style = styles[index];
    return columnOf(label, columnCells(rows, index), style && { index, label, style, rules: [] });
  });
  const written = rows.slice(0, most).map((row) => heads.map(({ write }, i) => write(row[i] ?? null)));
  return {
    // the texts of a comparison are numbers with their units
    columns: heads.map(({ head }, i) =>
      insight.kind === 'comparison' && i >= columns.indexOf('Variant') + 1 ? { ...head, isNumber: true } : head,
    ),
    rows: insight.kind === 'retention' ? withStars(written, insight) : written,
    count: rows.length,
    totals: null,
    // what a query did not order is in order by chance
    sortedBy: insight.kind === 'rows' ? sortedBy(heads, rows) : null,
  };
}

/** A table with words as heads, and a number format of its own for some columns. */
interface WordedTable extends Table {
  /** By column. */
  styles?: (NumberStyle | undefined)[];
}

/** The table of an insight with words for people, where that for spreadsheets has names for programs. */
function tableForPeople(insight: Exclude<Insight, { kind: 'series' }>): WordedTable {
  switch (insight.kind) {
    case 'comparison':
      return comparisonTable(insight);
    case 'funnel':
      return funnelTable(insight);
    case 'retention': {
      const { columns, rows } = insightTable(insight);
      const unit = (insight.period ?? 'period').replace(/^./, (letter) => letter.toUpperCase());
      const words: Record<string, string> = { breakdown_value: 'Value', cohort: 'Cohort', 'cohort size': 'People' };
      return { columns: columns.map((name) => words[name] ?? name.replace(/^period/, unit)), rows };
    }
    case 'paths':
      return {
        columns: ['Step', 'From', 'To', 'Paths', 'Average time'],
        rows: insight.edges.map(({ source, target, value, averageTime }) => [
          Number.parseInt(source, 10) || null,
          ...[source, target].map((name) => name.replace(/^\d+_/, '')),
          value,
          averageTime,
        ]),
        styles: [undefined, undefined, undefined, undefined, { unit: 'milliseconds' }],
      };
    default:
      return insightTable(insight);
  }
}

/** Marks the last known period of each cohort, when it is not over, and how many people began, while more may: `4*`. */
function withStars(
  rows: ShownCell[][],
  { cohorts, isLastUnfinished = false }: Extract<Insight, { kind: 'retention' }>,
): ShownCell[][] {
  if (!isLastUnfinished) return rows;
  const star = (cell: ShownCell): ShownCell => ({ ...cell, text: `${cell.text}*`, title: `${cell.text} so far` });
  return rows.map((row, i) => {
    const known = cohorts[i]?.isOver ? 0 : (cohorts[i]?.values.length ?? 0);
    const periods = Math.max(...cohorts.map(({ values }) => values.length));
    const first = row.length - periods;
    // the number of people stands before the first period
    const isOpen = (at: number) => known > 0 && (at === first + known - 1 || (known === 1 && at === first - 1));
    return row.map((cell, at) => (isOpen(at) ? star(cell) : cell));
  });
}

/** The steps of a funnel: how many, their share of the first step and of the one before, and how long it took. */
function funnelTable({ groups, unit = 'people' }: Extract<Insight, { kind: 'funnel' }>): WordedTable {
  const hasValues = groups.some(({ breakdown }) => breakdown !== null);
  const counted = unit ? unit.replace(/^./, (letter) => letter.toUpperCase()) : 'Count';
  const [share, seconds] = [{ unit: 'share' as const }, { unit: 'seconds' as const }];
  return {
    columns: [
      'Step',
      ...(hasValues ? ['Value'] : []),
      counted,
      'Of the first',
      'Of the step before',
      'Median time',
      'Average time',
    ],
    rows: groups.flatMap(({ breakdown, steps }) =>
      steps.map((step, i) => {
        const before = steps.findLast(({ isOptional }, at) => at < i && !isOptional) ?? steps[0];
        const of = (whole: number | undefined) => (whole ? step.count / whole : null);
        return [
          `${i + 1} ${step.customName ?? (step.name || 'All events')}`,
          ...(hasValues ? [breakdown] : []),
          step.count,
          of(steps[0]?.count),
          i === 0 ? null : of(before?.count),
          step.medianTime,
          step.averageTime,
        ];
      }),
    ),
    styles: [undefined, ...(hasValues ? [undefined] : []), undefined, share, share, seconds, seconds],
  };
}

/** Changes as people read them: `+23.8%`. */
function comparisonTable({ variants, level }: Comparison): WordedTable {
  const percent = Math.round(level * 100);
  const details = variants[0]?.details.map(({ label }) => label) ?? [];
  const isOfMetrics = variants.some(({ metric }) => metric);
  return {
    columns: [...(isOfMetrics ? ['Metric'] : []), 'Variant', ...details, 'Change', `${percent}% interval`],
    rows: variants.map(({ name, metric, details: own, change, unknown }) => [
      ...(isOfMetrics ? [metric?.name ?? null] : []),
      name,
      ...own.map(({ text }) => text),
      change ? signedPercent(change.value) : (unknown ?? null),
      change ? `${signedPercent(change.low)} to ${signedPercent(change.high)}` : null,
    ]),
  };
}

type Rows = Extract<Insight, { kind: 'rows' }>;

/** A column and how it writes its cells. */
interface Column {
  head: ShownTable['columns'][number];
  write: (cell: Cell) => ShownCell;
}

const columnCells = (rows: readonly (readonly Cell[])[], index: number): Cell[] => rows.map((row) => row[index] ?? null);

function columnOf(label: string, cells: readonly Cell[], shown?: ShownColumn): Column {
  const isNumber = isNumeric(cells);
  const time = isNumber ? null : timeFormatOf(cells);
  const write = (cell: Cell): ShownCell => {
    const own = shown ? styledCell(cell, shown) : shownCell(cell);
    return time && cell !== null ? { ...own, text: time(cell), title: String(cell) } : own;
  };
  return { head: { label, isNumber, isTime: time !== null }, write };
}

/** The first column whose numbers are in descending order, as an `order by` leaves them. */
function sortedBy(columns: readonly Column[], rows: readonly (readonly Cell[])[]): number | null {
  const index = columns.findIndex(({ head }, i) => head.isNumber && isSorted(columnCells(rows, i).map(numberOf)));
  return index < 0 ? null : index;
}

function formatted(
  { rows }: Rows,
  { columns, hasTotals, isTransposed }: NonNullable<Rows['tableOptions']>,
  most: number,
): ShownTable {
  const cells = rows.map((row) => columns.map(({ index }) => cellOf(row[index])));
  const heads = columns.map((column, i) => columnOf(column.label, columnCells(cells, i), column));
  const shown = cells.slice(0, most).map((row) => heads.map(({ write }, i) => write(row[i] ?? null)));
  const sums = hasTotals ? totalsOf(cells, columns, heads) : null;
  const columnHeads = heads.map(({ head }) => head);
  if (isTransposed) return transposed(columnHeads, sums ? [...shown, sums] : shown);
  return { columns: columnHeads, rows: shown, count: cells.length, totals: sums, sortedBy: sortedBy(heads, cells) };
}

function styledCell(cell: Cell, column: ShownColumn): ShownCell {
  const value = column.style ? (numberOf(cell) ?? cell) : cell;
  const rule = column.rules.find((one) => holds(one, cell));
  return { ...shownCell(value, column.style), color: rule?.color ?? null };
}

function totalsOf(cells: readonly Cell[][], columns: readonly ShownColumn[], heads: readonly Column[]): ShownCell[] {
  return columns.map(({ style }, i) => {
    if (!heads[i]?.head.isNumber) return shownCell(i === 0 ? 'Total' : null);
    return shownCell(
      cells.reduce((sum, row) => sum + (numberOf(row[i]) ?? 0), 0),
      style,
    );
  });
}

/** Transposes a table: its first column becomes the head. */
function transposed(heads: ShownTable['columns'], rows: readonly ShownCell[][]): ShownTable {
  const isNumber = heads.slice(1).every((head) => head.isNumber);
  const columns = [
    { label: heads[0]?.label ?? '', isNumber: false, isTime: false },
    ...rows.map((row) => ({ label: row[0]?.text ?? '', isNumber, isTime: false })),
  ];
  const cells = heads.slice(1).map(({ label }, i) => [shownCell(label), ...rows.map((row) => row[i + 1] ?? shownCell(null))]);
  return { columns, rows: cells, count: cells.length, totals: null, sortedBy: null };
}

/** The API writes numbers that JSON cannot hold as text. */
const isNumeric = (cells: readonly Cell[]): boolean =>
  cells.some((cell) => typeof cell === 'number') && cells.every((cell) => cell === null || numberOf(cell) !== null);

/** The operators of `conditionalFormatting`. `order` compares two numbers as numbers, anything else as text. */
const TESTS: Record<string, (order: number, cell: string, input: string) => boolean> = {
  equals: (order) => order === 0,
  not_equals: (order) => order !== 0,
  greater_than: (order) => order > 0,
  greater_than_equal: (order) => order >= 0,
  less_than: (order) => order < 0,
  less_than_equal: (order) => order <= 0,
  contains: (_, cell, input) => cell.includes(input),
  not_contains: (_, cell, input) => !cell.includes(input),
};

function holds({ test, input }: ColorRule, cell: Cell): boolean {
  if (test === 'is_null') return cell === null;
  if (test === 'is_not_null') return cell !== null;
  if (cell === null) return false;
  const [left, right] = [numberOf(cell), numberOf(input)];
  const text = String(cell);
  const order = left !== null && right !== null ? left - right : text === input ? 0 : text < input ? -1 : 1;
  return TESTS[test]?.(order, text, input) ?? false;
}
