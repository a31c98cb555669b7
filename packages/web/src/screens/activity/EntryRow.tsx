import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useProject, useProjectId } from '../../app/project-context.js';
import type { LogEntry } from '../../data/activity.js';
import { classNames } from '../../ui/class-names.js';
import { DifferenceTable } from '../../ui/DifferenceTable.js';
import { Time } from '../../ui/Time.js';
import { actionText, importText, placeOf, summaryText, valueDifferences, whoText } from './entry-text.js';

/** One change: who did what to which object; opened, with the values before and after. */
export function EntryRow({ entry, isOpen, onToggle }: { entry: LogEntry; isOpen: boolean; onToggle: () => void }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const { detail, created_at: at } = entry;
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
            aria-label={`${isOpen ? 'Hide' : 'Show'} what changed: ${actionText(entry)} ${detail.name ?? ''}`}
            onClick={onToggle}
            className="grid size-6 place-items-center text-text-3 after:absolute after:inset-0"
          >
            <ChevronRight size={14} aria-hidden className={`transition-transform ${isOpen ? 'rotate-90' : ''}`} />
          </button>
        ) : (
          <span className="size-6" />
        )}
        <p className="min-w-0 flex-1 wrap-anywhere">
          <b className="font-medium">{whoText(entry)}</b> <span className="text-text-2">{actionText(entry)}</span>{' '}
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
          {entry.imported && <span className="block text-12 text-text-3">{importText(entry.imported)}</span>}
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
      ? [{ what: field, before: 'not shown', after: 'not shown' }]
      : valueDifferences(field, before, after),
  );
  return (
    <div className="mr-6 mb-3 ml-15 max-sm:mx-4">
      <DifferenceTable
        differences={differences.map((one) => ({ ...one, what: one.what.replaceAll('_', ' ') }))}
        none="The log has no values for this change."
      />
    </div>
  );
}
