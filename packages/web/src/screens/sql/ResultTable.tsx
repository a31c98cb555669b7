// biome-ignore-all lint/suspicious/noArrayIndexKey: columns and cells have no identity but their place
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { type SqlAnswer, typeWord } from '../../data/sql.js';

/** Height of a row and least width of a column, in pixels. */
const ROW = 32;
const COLUMN = 140;

/** The rows of an answer. Only those in sight are drawn; a press on a head sorts them. */
export function ResultTable({ answer: { columns, types, results } }: { answer: SqlAnswer }) {
  const scroll = useRef<HTMLDivElement>(null);
  const [sorted, setSorted] = useState<{ column: number; isDescending: boolean } | null>(null);
  const isNumber = columns.map((_, index) => typeWord(types[index]?.[1] ?? '') === 'number');
  const most = useMemo(
    () => columns.map((_, column) => Math.max(0, ...results.map((row) => Math.abs(Number(row[column])) || 0))),
    [columns, results],
  );
  const rows = useMemo(() => {
    if (!sorted) return results;
    const sign = sorted.isDescending ? -1 : 1;
    return results.toSorted((a, b) => sign * compare(a[sorted.column], b[sorted.column]));
  }, [results, sorted]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const firstNumber = isNumber.indexOf(true);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    <div ref={scroll} tabIndex={0} className="max-h-[60vh] min-h-24 overflow-auto rounded-l border border-border bg-surface">
      <table
        aria-label="Result"
        aria-rowcount={rows.length + 1}
        className="w-full table-fixed border-separate border-spacing-0"
        style={{ minWidth: columns.length * COLUMN }}
      >
        <thead>
          <tr>
            {columns.map((column, index) => {
              const isSorted = sorted?.column === index;
              return (
                <th
                  key={index}
                  scope="col"
                  aria-sort={isSorted ? (sorted.isDescending ? 'descending' : 'ascending') : 'none'}
                  className="sticky top-0 z-1 border-b border-border bg-surface p-0"
                >
                  <button
                    type="button"
                    onClick={() =>
                      setSorted({ column: index, isDescending: isSorted ? !sorted.isDescending : (isNumber[index] ?? false) })
                    }
                    className={`flex h-9 w-full items-center gap-1 px-3 text-12 font-medium text-text-3 hover:text-text ${isNumber[index] ? 'justify-end' : ''}`}
                  >
                    <span className="truncate">{column}</span>
                    {isSorted && (sorted.isDescending ? <ArrowDown size={12} aria-hidden /> : <ArrowUp size={12} aria-hidden />)}
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map(({ key, index }) => (
            <tr key={key} aria-rowindex={index + 2} className="hover:bg-hover" style={{ height: ROW }}>
              {rows[index]?.map((value, column) => (
                <td
                  key={column}
                  title={textOf(value)}
                  className={`relative truncate border-b border-border px-3 text-13 ${isNumber[column] ? 'tnum text-right' : ''} ${value === null ? 'text-text-3' : ''}`}
                >
                  {column === firstNumber && (most[column] ?? 0) > 0 && (
                    <span
                      aria-hidden
                      className="absolute inset-y-1 left-0 rounded-s bg-[var(--c1)] opacity-[0.17]"
                      style={{ width: `${(Math.abs(Number(value)) / (most[column] ?? 1)) * 100}%` }}
                    />
                  )}
                  {textOf(value)}
                </td>
              ))}
            </tr>
          ))}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return NUMBER.format(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Numbers by size, texts by their letters, nothing last. */
function compare(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return textOf(a).localeCompare(textOf(b), 'en', { numeric: true });
}
