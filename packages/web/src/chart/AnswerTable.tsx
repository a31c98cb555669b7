// biome-ignore-all lint/suspicious/noArrayIndexKey: columns and rows of a table have no identity but their place
import { courseTable, describeInsight, type ShownCell, shownTable } from '@tidemark/charts';
import { useMemo, useRef, useState } from 'react';
import type { Answer } from '../data/answer.js';
import { CopyButton } from '../ui/CodeBlock.js';
import { classNames } from '../ui/class-names.js';
import { useStickyColumns } from './use-sticky-columns.js';

/** Rows at most; an export has all. */
const MAX_ROWS = 200;

/** What the rows are sorted by; null: the order of the answer. */
type Sorting = { column: number; isDescending: boolean } | null;

/**
 * The numbers of an answer as a table: the text alternative of its chart. A press on a head sorts it, and a button copies it for spreadsheets.
 * Columns of points in time begin with the oldest, and the newest is in sight; the names and, where there is space, the totals stay beside them.
 * @param props.label names the table
 */
export function AnswerTable({
  query,
  answer,
  label,
}: {
  query: unknown;
  answer: Pick<Answer, 'results' | 'columns' | 'timezone'>;
  label: string;
}) {
  const table = useMemo(() => {
    const insight = describeInsight(query, answer, { now: Date.now(), timezone: answer.timezone });
    return insight.kind === 'series' ? courseTable(insight, MAX_ROWS) : shownTable(insight, MAX_ROWS);
  }, [query, answer]);
  const [chosen, setChosen] = useState<Sorting>(null);
  const sorting: Sorting = chosen ?? (table.sortedBy === null ? null : { column: table.sortedBy, isDescending: true });
  const rows = useMemo(() => sorted(table.rows, chosen), [table, chosen]);
  const isNumber = (column: number) => table.columns[column]?.isNumber ?? false;
  const largest = Math.max(0, ...table.rows.map((row) => row[table.sortedBy ?? -1]?.value ?? 0));
  const hasStar = table.columns.some(({ label }) => isOpen(label));
  const region = useRef<HTMLDivElement>(null);
  const heads = table.columns.map(({ label }) => label).join('\n');
  const { lefts, end, isScrolled } = useStickyColumns(region, {
    leading: table.leading ?? 1,
    isAtEnd: table.leading !== undefined,
    heads,
  });
  const cellOf = (column: number) => ({
    style: column < lefts.length ? { left: lefts[column] } : undefined,
    sticky: column < lefts.length && (column < lefts.length - 1 || !isScrolled ? STICKY : `${STICKY} ${EDGE}`),
  });
  return (
    <>
      {table.rows.length > 0 && (
        <div className="flex items-center justify-end gap-3 px-3 pb-1 text-12 text-text-3">
          {hasStar && <span>* not over yet</span>}
          <CopyButton what={`the table “${label}”`} text={forSpreadsheet(table.columns, rows, table.totals)} />
        </div>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would need a heading of its own */}
      <div
        ref={region}
        role="region"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        className="@container overflow-x-auto"
      >
        <table className="w-full border-separate border-spacing-0 text-13">
          <thead>
            <tr>
              {table.columns.map((column, index) => {
                const isSorted = sorting?.column === index;
                const { style, sticky } = cellOf(index);
                return (
                  <th
                    key={index}
                    scope="col"
                    {...(isSorted && { 'aria-sort': sorting.isDescending ? ('descending' as const) : ('ascending' as const) })}
                    style={style}
                    className={classNames('h-row border-b border-border bg-surface p-0', sticky)}
                  >
                    <button
                      type="button"
                      // the focus is not covered by the columns that stay
                      style={sticky ? undefined : { scrollMarginLeft: end }}
                      onClick={() =>
                        setChosen({ column: index, isDescending: isSorted ? !sorting.isDescending : isNumber(index) })
                      }
                      className={classNames(
                        'h-row w-full px-3 text-12 font-medium whitespace-nowrap text-text-3 hover:text-text',
                        isNumber(index) && index > 0 ? 'text-right' : 'text-left',
                      )}
                    >
                      {column.label}
                      {isSorted && <span aria-hidden>{sorting.isDescending ? ' ↓' : ' ↑'}</span>}
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index} className="group hover:bg-hover">
                {row.map((cell, column) => (
                  <td
                    key={column}
                    title={cell.title ?? (column === 0 ? cell.text : undefined)}
                    style={cellOf(column).style}
                    className={classNames(
                      'border-border group-not-last:border-b',
                      cellClass(cell, isNumber(column), cellOf(column).sticky),
                      isOpen(table.columns[column]?.label) && 'text-text-3',
                    )}
                  >
                    {column === table.sortedBy && largest > 0 && (
                      <span
                        aria-hidden
                        className="absolute inset-y-1 left-0 rounded-s bg-[var(--c1)] opacity-[0.17]"
                        style={{ width: `${(100 * (cell.value ?? 0)) / largest}%` }}
                      />
                    )}
                    {cell.text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {table.totals && (
            <tfoot>
              <tr className="font-medium">
                {table.totals.map((cell, column) => (
                  <td
                    key={column}
                    style={cellOf(column).style}
                    className={classNames('border-t border-border', cellClass(cell, isNumber(column), cellOf(column).sticky))}
                  >
                    {cell.text}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
        {table.count > table.rows.length && (
          <p className="p-3 text-12 text-text-3">
            The first {table.rows.length} of {table.count.toLocaleString('en')} rows. An export has all.
          </p>
        )}
      </div>
    </>
  );
}

const STICKY = 'sticky z-[1] bg-surface group-hover:bg-hover';
/** What scrolls below the last column that stays is in its shadow. */
const EDGE =
  "after:pointer-events-none after:absolute after:inset-y-0 after:-bottom-px after:left-full after:w-1.5 after:bg-linear-to-r after:from-border after:to-transparent after:content-['']";

/** Whether a column is of a time that is not over. */
const isOpen = (label = ''): boolean => label.endsWith('*');

/** @param sticky classes of a cell that stays in sight; false: it does not */
const cellClass = (cell: ShownCell, isNumber: boolean, sticky: string | false): string =>
  classNames(
    'tnum h-row px-3 whitespace-nowrap first:max-w-[40cqi] first:truncate first:text-left first:font-medium',
    sticky || (isNumber && 'relative'),
    isNumber ? 'text-right' : 'text-left',
    cell.verdict === 'good' && 'text-good',
    cell.verdict === 'bad' && 'text-bad',
    arrowOf(cell),
  );

/** A change has an arrow for its direction, beside its sign and its color. */
function arrowOf({ verdict = 'none', value }: ShownCell): string | false {
  if (verdict === 'none') return false;
  return (value ?? 0) > 0 ? "before:content-['▲_']" : "before:content-['▼_']";
}

/** Numbers by size and texts by their letters; cells without a value come last. */
function sorted(rows: readonly ShownCell[][], sorting: Sorting): readonly ShownCell[][] {
  if (!sorting) return rows;
  const sign = sorting.isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [one[sorting.column], other[sorting.column]];
    if (!a?.text || !b?.text) return Number(!a?.text) - Number(!b?.text);
    const order =
      a.value !== null && b.value !== null ? a.value - b.value : a.text.localeCompare(b.text, 'en', { numeric: true });
    return sign * order;
  });
}

function forSpreadsheet(
  columns: readonly { label: string }[],
  rows: readonly ShownCell[][],
  totals: readonly ShownCell[] | null,
): string {
  const cells = [columns.map(({ label }) => label), ...[...rows, ...(totals ? [totals] : [])].map((row) => row.map(unstarred))];
  return cells.map((row) => row.map((text) => text.replaceAll(/[\t\r\n]+/g, ' ')).join('\t')).join('\n');
}

/** Without the star of what is not over, so that spreadsheets read a number. */
const unstarred = ({ text, value }: ShownCell): string => (value === null ? text : text.replace(/\*$/, ''));
