import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { FlaskConical, Sparkles, TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { type Flag, useFlagSwitch } from '../../data/flags.js';
import { kindOf, rolloutOf, staleReason } from '../../data/flags-rollout.js';
import { Badge } from '../../ui/Badge.js';
import { Switch } from '../../ui/Switch.js';
import { Time } from '../../ui/Time.js';

export interface FlagRowsProps {
  flags: readonly Flag[];
  onTag: (tag: string) => void;
  hasMore: boolean;
  loadMore: () => void;
}

/** Height of a row in pixels, also on phones. */
const ROW = 52;
const COLUMNS =
  'grid grid-cols-[36px_minmax(140px,5fr)_150px_96px_104px_minmax(0,5fr)] items-center gap-x-4 px-6 max-lg:grid-cols-[36px_minmax(0,1fr)_112px] max-sm:px-4';

/** The rows of the list. Only those in sight are drawn: a project may have thousands of flags. */
export function FlagRows({ flags, onTag, hasMore, loadMore }: FlagRowsProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: flags.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW,
    overscan: 12,
    getItemKey: (index) => flags[index]?.id ?? index,
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last > flags.length - 100) loadMore();
  }, [hasMore, loadMore, last, flags.length]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    <div ref={scroll} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto bg-surface -outline-offset-2">
      <div
        aria-hidden
        className={`${COLUMNS} sticky top-0 z-2 h-9 border-b border-border bg-surface text-12 font-medium text-text-3 max-lg:hidden`}
      >
        <span>On</span>
        <span>Key</span>
        <span>Gets it</span>
        <span>Kind</span>
        <span className="text-right">Last evaluated</span>
      </div>
      <ul aria-label="Flags" className="relative" style={{ height: rows.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const flag = flags[index];
          return (
            flag && (
              <li
                key={key}
                aria-setsize={flags.length}
                aria-posinset={index + 1}
                className={`${COLUMNS} absolute inset-x-0 border-b border-border hover:bg-hover`}
                style={{ height: ROW, transform: `translateY(${start}px)` }}
              >
                <Row flag={flag} onTag={onTag} />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function Row({ flag, onTag }: { flag: Flag; onTag: (tag: string) => void }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const setActive = useFlagSwitch(project);
  const rollout = flag.active ? rolloutOf(flag.filters) : { percentage: 0, text: 'Nobody' };
  return (
    <>
      <span className="relative z-1 flex">
        <Switch
          aria-label={`${flag.key} is on`}
          isSelected={flag.active}
          isDisabled={!flag.can_edit}
          onChange={(active) => setActive(flag, active)}
        />
      </span>
      <span className="min-w-0">
        <Link
          to={`/p/${project}/flags/${flag.id}` as string}
          className="block truncate font-mono text-12 font-strong text-text after:absolute after:inset-0"
        >
          {flag.key}
        </Link>
        {flag.name && <span className="block truncate text-12 text-text-2">{flag.name}</span>}
      </span>
      <span className="flex items-center gap-2 max-lg:hidden">
        <span aria-hidden className="h-1 w-16 shrink-0 overflow-hidden rounded-full bg-border">
          <span
            className={`block h-full ${rollout.percentage === null ? 'bg-accent-line' : 'bg-accent'}`}
            style={{ width: `${rollout.percentage ?? 100}%` }}
          />
        </span>
        <span className={`tnum text-13 whitespace-nowrap ${rollout.percentage === 0 ? 'text-text-3' : ''}`}>{rollout.text}</span>
      </span>
      <span className="truncate text-text-2 max-lg:hidden">{kindOf(flag)}</span>
      <span className="truncate text-right text-text-2 max-lg:hidden">
        {flag.last_called_at ? <Time at={flag.last_called_at} zone={timezone} /> : 'Never'}
      </span>
      <span className="flex min-w-0 items-center gap-1.5 overflow-hidden max-lg:hidden">
        <Marks flag={flag} />
        {flag.tags.map((tag) => (
          <button
            key={tag}
            type="button"
            aria-label={`Show flags with the tag ${tag}`}
            onClick={() => onTag(tag)}
            className="relative z-1 h-5 shrink-0 rounded-s bg-sunken px-1.5 text-11 font-medium text-text-2 hover:text-text"
          >
            {tag}
          </button>
        ))}
      </span>
      <span className="flex min-w-0 flex-col items-end gap-0.5 text-12 text-text-2 lg:hidden">
        <span className="tnum">{rollout.text}</span>
        {flag.status === 'STALE' ? <Badge kind="warn">Stale</Badge> : <span>{kindOf(flag)}</span>}
      </span>
    </>
  );
}

const Marks = ({ flag }: { flag: Flag }) => (
  <>
    {flag.status === 'STALE' && flag.active && (
      <Badge kind="warn" icon={<TriangleAlert size={12} aria-hidden />}>
        {`Stale: ${staleReason(flag, Date.now())}`}
      </Badge>
    )}
    {flag.experiment_set.length > 0 && (
      <Badge kind="accent" icon={<FlaskConical size={12} aria-hidden />}>
        Experiment
      </Badge>
    )}
    {flag.features.length > 0 && (
      <Badge kind="accent" icon={<Sparkles size={12} aria-hidden />}>
        Early access
      </Badge>
    )}
  </>
);
