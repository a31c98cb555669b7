import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { readableName, sparklineSvg } from '@tidemark/charts';
import { useMemo } from 'react';
import { LoadFault } from '../../app/LoadFault.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { type EventOrder, eventListQuery, volumesQuery } from '../../data/definitions.js';
import { Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { VirtualRows } from '../../ui/VirtualRows.js';
import { EmptyList, NameCell, type RowsProps, TagCell } from './parts.js';

const COLUMNS =
  'grid grid-cols-[minmax(160px,5fr)_132px_100px_110px_minmax(0,3fr)] items-center gap-x-4 px-6 max-lg:grid-cols-[minmax(0,1fr)_auto] max-sm:px-4';

/** The events of the project with their volume. */
export function EventRows({ filter, order, open, onOpen, onTag, onShowAll }: RowsProps & { order: EventOrder }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const list = useInfiniteQuery({ ...eventListQuery(project, filter, order), placeholderData: keepPreviousData });
  const events = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data]);
  const names = useMemo(() => events.slice(0, 1_000).map(({ name }) => name), [events]);
  const { data: volumes } = useQuery({ ...volumesQuery(project, names), placeholderData: keepPreviousData });
  if (list.isPending) return <Skeleton rows={12} />;
  if (list.error) return <LoadFault what="events" error={list.error} onRetry={() => void list.refetch()} />;
  if (events.length === 0)
    return (
      <EmptyList what="events" onShowAll={onShowAll}>
        Each name of an event appears here when the first one comes in.
      </EmptyList>
    );
  return (
    <VirtualRows
      label="Events"
      items={events}
      keyOf={({ id }) => id}
      height={52}
      columns={COLUMNS}
      hasMore={list.hasNextPage && !list.isFetchingNextPage}
      loadMore={() => void list.fetchNextPage()}
      head={
        <>
          <span>Event</span>
          <span>Last 30 days</span>
          <span className="text-right">Events</span>
          <span className="text-right">Last seen</span>
          <span>Tags</span>
        </>
      }
      render={(event) => {
        const { id, name, tags, last_seen_at: seen, volume_30_day: volume } = event;
        const label = readableName(name);
        return (
          <>
            <NameCell name={label} sent={label === name ? null : name} definition={event} isOpen={open === id} onOpen={onOpen} />
            <Sparkline points={volumes?.get(name) ?? null} />
            <span className="tnum text-right">
              {volume === null ? <span className="text-text-3">Not known</span> : volume.toLocaleString('en')}
              <span className="text-12 text-text-3 lg:hidden"> events</span>
            </span>
            <span className="truncate text-right text-text-2 max-lg:hidden">
              {seen ? <Time at={seen} zone={timezone} /> : 'Never'}
            </span>
            <TagCell tags={tags} what="events" onTag={onTag} />
          </>
        );
      }}
    />
  );
}

function Sparkline({ points }: { points: number[] | null }) {
  const svg = useMemo(() => (points ? sparklineSvg({ points, unfinished: 1 }, { width: 120, height: 28 }) : ''), [points]);
  return (
    <span
      aria-hidden
      className="h-7 w-[120px] max-lg:hidden [&_svg]:block"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: drawn by our renderer out of numbers
      dangerouslySetInnerHTML={{ __html: svg }}
    />
  );
}
