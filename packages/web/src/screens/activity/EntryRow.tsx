import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useProject, useProjectId } from '../../app/project-context.js';
import type { LogEntry } from '../../data/activity.js';
import { classNames } from '../../ui/class-names.js';
import { Time } from '../../ui/Time.js';
import { deedText, placeOf, summaryText, valueDifferences } from './entry-text.js';

/** One change: who did what to which object; opened, with the values before and after. */
export function EntryRow({ entry, isOpen, onToggle }: { entry: LogEntry; isOpen: boolean; onToggle: () => void }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const { user, detail, created_at: at } = entry;
  const place = placeOf(entry);
  // what was created has nothing before
  const hasValues = detail.changes.length > 0;
  return (
    <li>
      <div className="relative flex min-h-11 flex-wrap items-center gap-x-3 px-6 py-1.5 text-13 hover:bg-hover max-sm:px-4">
        {hasValues ? (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} what changed: ${deedText(entry)} ${detail.name ?? ''}`}
            onClick={onToggle}
            className="grid size-6 place-items-center text-text-3 after:absolute after:inset-0"
          >
            <ChevronRight size={14} aria-hidden className={`transition-transform ${isOpen ? 'rotate-90' : ''}`} />
          </button>
        ) : (
          <span className="size-6" />
        )}
        <p className="min-w-0 flex-1 wrap-anywhere">
          <b className="font-medium">{user ? user.first_name || user.email : 'The service'}</b>{' '}
          <span className="text-text-2">{deedText(entry)}</span>{' '}
          {place ? (
            <Link
              to={`/p/${project}${place.path}` as string}
              search={(place.search ?? {}) as never}
              className="relative z-1 font-medium"
            >
              {detail.name || 'Untitled'}
            </Link>
          ) : (
            <span className="font-medium">{detail.name}</span>
          )}
        </p>
        <span className={classNames('max-w-72 truncate text-12 text-text-3', entry.scope !== 'AccessControl' && 'max-lg:hidden')}>
          {summaryText(entry)}
        </span>
        <span className="w-24 text-right text-12 text-text-3">
          <Time at={at} zone={timezone} />
        </span>
      </div>
      {isOpen && hasValues && <Changes entry={entry} />}
    </li>
  );
}

function Changes({ entry: { detail } }: { entry: LogEntry }) {
  const differences = detail.changes.flatMap(({ field, before, after }) =>
    before === null && after === null
      ? [{ path: field, before: 'not shown', after: 'not shown' }]
      : valueDifferences(field, before, after),
  );
  if (differences.length === 0)
    return <p className="px-6 pb-3 pl-15 text-13 text-text-2 max-sm:px-4">The log has no values for this change.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    <div tabIndex={0} className="mr-6 mb-3 ml-15 overflow-x-auto rounded-l border border-border max-sm:mx-4">
      <table className="w-full text-left text-13">
        <thead>
          <tr className="border-b border-border text-12 text-text-3">
            {['What', 'Before', 'After'].map((head) => (
              <th key={head} scope="col" className="px-3 py-2 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-border">
          {differences.map(({ path, before, after }) => (
            <tr key={path} className="align-top">
              <th scope="row" className="px-3 py-2 font-medium wrap-anywhere">
                {path.replaceAll('_', ' ')}
              </th>
              <td className="min-w-32 px-3 py-2 text-bad wrap-anywhere">{before || <None />}</td>
              <td className="min-w-32 px-3 py-2 text-good wrap-anywhere">{after || <None />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const None = () => <span className="text-text-3">none</span>;
