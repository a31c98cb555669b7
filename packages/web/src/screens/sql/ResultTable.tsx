import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { type SqlAnswer, typeWord } from '../../data/sql.js';

/** Height of a row in pixels. */
const ROW = 32;

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
  const grid = { gridTemplateColumns: `repeat(${columns.length}, minmax(140px, 1fr))` };
  const firstNumber = isNumber.indexOf(true);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    <div ref={scroll} tabIndex={0} className="max-h-[60vh] min-h-24 overflow-auto rounded-l border border-border bg-surface">
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a virtual table are placed by transforms, which table rows ignore */}
      <div role="table" aria-label="Result" aria-rowcount={rows.length + 1} className="min-w-max">
        {/* biome-ignore lint/a11y/useSemanticElements: as the table */}
        <div role="row" style={grid} className="sticky top-0 z-1 grid border-b border-border bg-surface">
          {columns.map((column, index) => {
            const isSorted = sorted?.column === index;
            return (
              // biome-ignore lint/a11y/useSemanticElements: as the table
              // biome-ignore lint/suspicious/noArrayIndexKey: columns may have the same name
              <div
                key={index}
                role="columnheader"
                tabIndex={-1}
                aria-sort={isSorted ? (sorted.isDescending ? 'descending' : 'ascending') : 'none'}
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
              </div>
            );
          })}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: as the table */}
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => (
            // biome-ignore lint/a11y/useSemanticElements: as the table
            <div
              key={key}
              role="row"
              tabIndex={-1}
              aria-rowindex={index + 2}
              style={{ ...grid, height: ROW, transform: `translateY(${start}px)` }}
              className="absolute inset-x-0 grid border-b border-border hover:bg-hover"
            >
              {rows[index]?.map((value, column) => (
                // biome-ignore lint/a11y/useSemanticElements: as the table
                <div
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity but their column
                  key={column}
                  role="cell"
                  title={textOf(value)}
                  className={`relative flex min-w-0 items-center px-3 text-13 ${isNumber[column] ? 'tnum justify-end' : ''}`}
                >
                  {column === firstNumber && (most[column] ?? 0) > 0 && (
                    <span
                      aria-hidden
                      className="absolute inset-y-1 left-0 rounded-s bg-[var(--c1)] opacity-[0.17]"
                      style={{ width: `${(Math.abs(Number(value)) / (most[column] ?? 1)) * 100}%` }}
                    />
                  )}
                  <span className={`relative truncate ${value === null ? 'text-text-3' : ''}`}>{textOf(value)}</span>
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
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
