import { getRouteApi, Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { readableName } from '@tidemark/charts';
import { ChartLine, ChevronRight, Pause, Play } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useActions } from '../../actions/actions.js';
import { AnswerFault } from '../../app/LoadFault.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import type { ListedEvent } from '../../data/events.js';
import { ColumnChooser, MOST_COLUMNS } from '../../filter/ColumnChooser.js';
import { EventPicker } from '../../filter/EventPicker.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { SaveAsCohort } from '../../filter/SaveAsCohort.js';
import { filterFromText, filterToText } from '../../query/filter-text.js';
import { propertyName, valueText } from '../../query/property-name.js';
import { newQuestion } from '../../query/question.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { EventDetails } from './EventDetails.js';
import { RefusedButton, RefusedPanel } from './RefusedEvents.js';
import type { EventsSearch } from './route.js';
import { useEventList } from './use-event-list.js';

const route = getRouteApi('/p/$project/events');

/** What arrives and what arrived: one list, live ones in front. */
export function EventsScreen() {
  const project = useProjectId();
  const search = route.useSearch();
  const [isPaused, setPaused] = useState(false);
  const properties = useMemo(() => (search.f ?? []).flatMap((text) => filterFromText(text) ?? []), [search.f]);
  const event = search.event ?? null;
  const columns = (search.col ?? []).slice(0, MOST_COLUMNS);
  const list = useEventList(project, { event, properties }, isPaused || search.open !== undefined);
  const set = useSearchChange<EventsSearch>();
  useActions(
    useMemo(
      () => [
        {
          id: 'pause',
          label: 'Pause or go on',
          group: 'This screen',
          shortcut: 'space',
          perform: () => setPaused((before) => !before),
        },
      ],
      [],
    ),
  );
  const insight = newQuestion('TrendsQuery', {
    kind: 'EventsNode',
    event,
    name: event ?? 'All events',
    math: 'total',
    properties,
  });
  return (
    <>
      <PageHead
        title="Events"
        badges={<LiveMark isConnected={list.isConnected} isPaused={isPaused} />}
        actions={
          <>
            <Link
              to={`/p/${project}/insights/new` as string}
              search={{ q: JSON.stringify(insight) } as never}
              className={buttonClass()}
              data-icon=""
            >
              <ChartLine size={14} aria-hidden />
              <span>Make an insight of these</span>
            </Link>
            <Button
              icon={isPaused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
              onPress={() => setPaused(!isPaused)}
            >
              {isPaused ? 'Go on' : 'Pause'}
            </Button>
          </>
        }
      />
      <PageBar>
        <div className="w-56">
          <EventPicker event={event} onChange={(name) => set({ event: name ?? undefined })} />
        </div>
        <FilterChips
          filters={properties}
          onChange={(next) => set({ f: next.map(filterToText) })}
          eventNames={event ? [event] : []}
        />
        <SaveAsCohort filters={properties} />
        <ColumnChooser columns={columns} source="event" onChange={(next) => set({ col: next.length > 0 ? next : undefined })} />
        <span className="flex-1 lg:hidden" />
        <RefusedButton onPress={() => set({ refused: true })} />
        {list.waiting > 0 && (
          <Button isSmall onPress={() => (search.open ? set({ open: undefined }) : setPaused(false))}>
            {`Show ${list.waiting} new`}
          </Button>
        )}
        {list.leftOut > 0 && (
          <span className="text-12 text-text-3">{list.leftOut.toLocaleString('en')} more arrived than can be shown live</span>
        )}
      </PageBar>
      {search.refused && <RefusedPanel onClose={() => set({ refused: undefined })} />}
      {list.fault && <AnswerFault title="Events could not be loaded" error={list.fault} onRetry={list.retry} />}
      {list.events.length === 0 && list.isLoading && <Skeleton rows={12} />}
      {list.events.length === 0 && !list.isLoading && !list.fault && (
        <Message
          title={event || properties.length > 0 ? 'No event matches' : 'No event has come in yet'}
          action={
            <Link to={`/p/${project}/install` as string} className={buttonClass('primary')}>
              Install Tidemark
            </Link>
          }
        >
          {event || properties.length > 0
            ? 'New ones appear here by themselves.'
            : 'Put the snippet in a page, or send one event from anywhere. It appears here by itself.'}
        </Message>
      )}
      {list.events.length > 0 && (
        <Rows list={list} columns={columns} open={search.open ?? null} onOpen={(uuid) => set({ open: uuid ?? undefined })} />
      )}
    </>
  );
}

const LiveMark = ({ isConnected, isPaused }: { isConnected: boolean; isPaused: boolean }) => (
  <span role="status" className="flex items-center gap-1.5 text-12 text-text-2">
    <span aria-hidden className={`size-2 rounded-full ${isConnected && !isPaused ? 'bg-live' : 'bg-border-strong'}`} />
    {isPaused ? 'Paused' : isConnected ? 'Live' : 'Connecting…'}
  </span>
);

function Rows({
  list,
  columns,
  open,
  onOpen,
}: {
  list: ReturnType<typeof useEventList>;
  columns: readonly string[];
  open: string | null;
  onOpen: (uuid: string | null) => void;
}) {
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: list.events.length + 1,
    getScrollElement: () => scroll.current,
    estimateSize: () => 36,
    overscan: 10,
    getItemKey: (index) => list.events[index]?.uuid ?? 'end',
  });
  const items = rows.getVirtualItems();
  return (
    <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto bg-surface">
      {columns.length > 0 && (
        <div
          aria-hidden
          className="sticky top-0 z-2 flex h-9 items-center gap-3 border-b border-border bg-surface px-6 text-12 font-medium text-text-3 max-lg:hidden"
        >
          <span className="ml-[26px] w-44 shrink-0">Event</span>
          <span className="min-w-0 flex-1">Page or screen</span>
          {columns.map((key) => (
            <span key={key} className="min-w-0 flex-1 truncate">
              {propertyName(key)}
            </span>
          ))}
          <span className="w-56">Person</span>
          <span className="w-24 text-right">When</span>
        </div>
      )}
      <ul aria-label="Events" className="relative" style={{ height: rows.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const event = list.events[index];
          return (
            <li
              key={key}
              data-index={index}
              ref={rows.measureElement}
              className="absolute inset-x-0 border-b border-border"
              style={{ transform: `translateY(${start}px)` }}
            >
              {event ? (
                <Row
                  event={event}
                  columns={columns}
                  isOpen={open === event.uuid}
                  onToggle={() => onOpen(open === event.uuid ? null : event.uuid)}
                />
              ) : (
                <div className="flex h-11 items-center px-6">
                  {list.hasMore ? (
                    <Button isSmall busyLabel={list.isLoading ? 'Loading…' : null} onPress={list.loadMore}>
                      Load older events
                    </Button>
                  ) : (
                    <span className="text-12 text-text-3">These are all events of the last 24 hours or of the filter.</span>
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface RowProps {
  event: ListedEvent;
  /** Properties that are shown beside the event. */
  columns: readonly string[];
  isOpen: boolean;
  onToggle: () => void;
}

function Row({ event, columns, isOpen, onToggle }: RowProps) {
  const { timezone } = useProject();
  const address = event.properties['$pathname'] ?? event.properties['$current_url'] ?? event.properties['$screen_name'];
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-[36px] w-full items-center gap-3 px-6 text-left text-13 hover:bg-hover max-sm:px-4 pointer-coarse:min-h-11"
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={`shrink-0 text-text-3 transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
        <span className="w-44 shrink-0 truncate font-medium max-sm:w-auto max-sm:flex-1">{readableName(event.event)}</span>
        <span className="min-w-0 flex-1 truncate text-text-2 max-sm:hidden">{typeof address === 'string' ? address : ''}</span>
        {columns.map((key) => (
          <span key={key} className="min-w-0 flex-1 truncate text-text-2 max-lg:hidden">
            {valueText(event.properties[key])}
          </span>
        ))}
        <span className="w-56 truncate text-text-3 max-lg:hidden">{personLabel(event)}</span>
        <span className="w-24 text-right text-12 text-text-3">
          <Time at={event.timestamp} zone={timezone} />
        </span>
      </button>
      {isOpen && <EventDetails event={event} />}
    </>
  );
}

function personLabel({ personProperties, distinctId }: ListedEvent): string {
  const name = personProperties?.['email'] ?? personProperties?.['name'];
  return typeof name === 'string' ? name : distinctId;
}
