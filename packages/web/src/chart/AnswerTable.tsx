// biome-ignore-all lint/suspicious/noArrayIndexKey: columns and rows of a table have no identity but their place
import { describeInsight, type ShownCell, shownTable } from '@tidemark/charts';
import { useMemo } from 'react';
import type { Answer } from '../data/answer.js';
import { classNames } from '../ui/class-names.js';

/** Rows at most; an export has all. */
const MAX_ROWS = 200;

/** A change has an arrow for its direction, beside its sign and its color. */
function arrowOf({ verdict = 'none', value }: ShownCell): string | false {
  if (verdict === 'none') return false;
  return (value ?? 0) > 0 ? "before:content-['▲_']" : "before:content-['▼_']";
}

/** The numbers of an answer as a table: the text alternative of its chart. @param props.label names the table */
export function AnswerTable({
  query,
  answer,
  label,
}: {
  query: unknown;
  answer: Pick<Answer, 'results' | 'columns' | 'timezone'>;
  label: string;
}) {
  const table = useMemo(
    () => shownTable(describeInsight(query, answer, { now: Date.now(), timezone: answer.timezone }), MAX_ROWS),
    [query, answer],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a section would need a heading of its own
    <div role="region" aria-label={label} tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse text-13">
        <thead>
          <tr>
            {table.columns.map((column, index) => (
              <th
                key={index}
                scope="col"
                className={classNames(
                  'h-row border-b border-border px-3 text-12 font-medium whitespace-nowrap text-text-3 first:text-left',
                  column.isNumber ? 'text-right' : 'text-left',
                )}
              >
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index} className="border-b border-border last:border-0 hover:bg-hover">
              {row.map((cell, column) => (
                <td
                  key={column}
                  className={classNames(
                    'tnum h-row px-3 whitespace-nowrap first:text-left first:font-medium',
                    table.columns[column]?.isNumber ? 'text-right' : 'text-left',
                    cell.verdict === 'good' && 'text-good',
                    cell.verdict === 'bad' && 'text-bad',
                    arrowOf(cell),
                  )}
                >
                  {cell.text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.count > table.rows.length && (
        <p className="p-3 text-12 text-text-3">
          The first {table.rows.length} of {table.count.toLocaleString('en')} rows. An export has all.
        </p>
      )}
    </div>
  );
}
