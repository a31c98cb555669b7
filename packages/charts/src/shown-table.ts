import type { ColorRule, Insight, ShownColumn } from './insight.js';
import { type NumberStyle, written } from './number-style.js';
import { numberOf } from './read-fields.js';
import { type Cell, cellOf, insightTable } from './table.js';

/** A table with its cells formatted, for a picture or a page. */
export interface ShownTable {
  columns: { label: string; isNumber: boolean }[];
  rows: ShownCell[][];
  /** How many rows the result has; `rows` may hold fewer. */
  count: number;
  /** The row of sums below the others; null: the table has none. */
  totals: ShownCell[] | null;
}

export interface ShownCell {
  text: string;
  /** Background color, `#rrggbb`; null: that of the table. */
  color: string | null;
}

/** Formats an insight as a table of at most `most` rows. Series show their totals, rows follow their display options (`tableOptions`). */
export function shownTable(insight: Insight, most: number): ShownTable {
  if (insight.kind === 'series') {
    const rows = insight.series.slice(0, most).map(({ label, total, style }) => [shownCell(label), shownCell(total, style)]);
    const columns = [
      { label: 'Series', isNumber: false },
      { label: 'Total', isNumber: true },
    ];
    return { columns, rows, count: insight.series.length, totals: null };
  }
  if (insight.kind === 'rows' && insight.tableOptions) return formatted(insight, insight.tableOptions, most);
  const { columns, rows } = insightTable(insight);
  return {
    columns: columns.map((label, i) => ({ label, isNumber: isNumeric(rows.map((row) => row[i] ?? null)) })),
    rows: rows.slice(0, most).map((row) => columns.map((_, i) => shownCell(row[i] ?? null))),
    count: rows.length,
    totals: null,
  };
}

type Rows = Extract<Insight, { kind: 'rows' }>;

function formatted(
  { rows }: Rows,
  { columns, hasTotals, isTransposed }: NonNullable<Rows['tableOptions']>,
  most: number,
): ShownTable {
  const cells = rows.map((row) => columns.map(({ index }) => cellOf(row[index])));
  const heads = columns.map(({ label }, i) => ({ label, isNumber: isNumeric(cells.map((row) => row[i] ?? null)) }));
  const shown = cells.slice(0, most).map((row) => row.map((cell, i) => styledCell(cell, columns[i])));
  const sums = hasTotals ? totalsOf(cells, columns, heads) : null;
  if (isTransposed) return transposed(heads, sums ? [...shown, sums] : shown);
  return { columns: heads, rows: shown, count: cells.length, totals: sums };
}

function styledCell(cell: Cell, column: ShownColumn | undefined): ShownCell {
  const value = column?.style ? (numberOf(cell) ?? cell) : cell;
  const rule = column?.rules.find((one) => holds(one, cell));
  return { ...shownCell(value, column?.style), color: rule?.color ?? null };
}

function totalsOf(cells: readonly Cell[][], columns: readonly ShownColumn[], heads: ShownTable['columns']): ShownCell[] {
  return columns.map(({ style }, i) => {
    if (!heads[i]?.isNumber) return shownCell(i === 0 ? 'Total' : null);
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
    { label: heads[0]?.label ?? '', isNumber: false },
    ...rows.map((row) => ({ label: row[0]?.text ?? '', isNumber })),
  ];
  const cells = heads.slice(1).map(({ label }, i) => [shownCell(label), ...rows.map((row) => row[i + 1] ?? shownCell(null))]);
  return { columns, rows: cells, count: cells.length, totals: null };
}

/** The API writes numbers that JSON cannot hold as text. */
const isNumeric = (cells: readonly Cell[]): boolean =>
  cells.some((cell) => typeof cell === 'number') && cells.every((cell) => cell === null || numberOf(cell) !== null);

function shownCell(value: Cell, style?: NumberStyle): ShownCell {
  const text = value === null ? '' : typeof value === 'number' ? written(value, style) : String(value);
  return { text, color: null };
}

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
