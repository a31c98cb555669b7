import type { Change } from './kinds/number-parts.js';
import { numberOf } from './read/read-fields.js';
import type { Cell } from './table.js';
import { type NumberStyle, written } from './text/number-style.js';

/** A table with its cells formatted, for a picture or a page. */
export interface ShownTable {
  columns: { label: string; isNumber: boolean; isTime: boolean }[];
  rows: ShownCell[][];
  /** How many rows the result has; `rows` may hold fewer. */
  count: number;
  /** The row of sums below the others; null: the table has none. */
  totals: ShownCell[] | null;
  /** The column whose numbers fall from row to row; null: none. */
  sortedBy: number | null;
  /** How many columns stand before those of points in time; absent: it has none of them. */
  leading?: number;
}

export interface ShownCell {
  text: string;
  /** Background color, `#rrggbb`; null: that of the table. */
  color: string | null;
  /** Its number; null: it has none. */
  value: number | null;
  /** The exact value of a shortened text. */
  title?: string;
  /** Whether the change that it shows is a good one. */
  verdict?: Change['verdict'];
}

/** Formats a cell. */
export function shownCell(value: Cell, style?: NumberStyle): ShownCell {
  const text = value === null ? '' : typeof value === 'number' ? written(value, style) : String(value);
  return { text, color: null, value: numberOf(value) };
}

/** Whether numbers fall from row to row; two rows may be in order by chance. */
export function isSorted(numbers: readonly (number | null)[]): boolean {
  const known = numbers.filter((value) => value !== null);
  const isFalling = known.every((value, i) => value >= 0 && (i === 0 || value <= (known[i - 1] ?? 0)));
  return known.length > 2 && isFalling && known[0] !== known.at(-1);
}
