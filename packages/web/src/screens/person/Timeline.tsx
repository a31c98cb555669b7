import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { readableName } from '@tidemark/charts';
import { ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { personTimelineQuery } from '../../data/persons.js';
import { EventPicker } from '../../filter/EventPicker.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { filterFromText, filterToText, isCompleteFilter } from '../../query/filter-text.js';
import { propertyName } from '../../query/property-name.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import type { PersonSearch } from './route.js';

const route = getRouteApi('/p/$project/persons/$id');

/** What a person did, the latest first. A row opens in place. */
export function Timeline({ person }: { person: string }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const { event = null, f, open } = route.useSearch();
  const filters = useMemo(() => (f ?? []).flatMap((text) => filterFromText(text) ?? []), [f]);
  const properties = useMemo(() => filters.filter(isCompleteFilter), [filters]);
  const list = useInfiniteQuery(personTimelineQuery(project, person, { event, properties }));
  const events = list.data?.pages.flatMap(({ results }) => results) ?? [];
  const set = useSearchChange<PersonSearch>();
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-2 px-4 py-3">
        <div className="w-52 max-sm:w-full">
          <EventPicker event={event} onChange={(next) => set({ event: next ?? undefined, open: undefined })} />
        </div>
        <FilterChips
          filters={filters}
          sources={['event']}
          eventNames={event === null ? [] : [event]}
          onChange={(next) => set({ f: next.length > 0 ? next.map(filterToText) : undefined })}
        />
      </div>
      {list.isPending && <Skeleton rows={6} />}
      {list.error && <Fault title="Events could not be loaded" detail={list.error.message} onRetry={() => void list.refetch()} />}
      {list.data && events.length === 0 && (
        <Message
          title={event !== null || properties.length > 0 ? 'No event matches' : 'No events'}
          action={
            (event !== null || properties.length > 0) && (
              <Button onPress={() => set({ event: undefined, f: undefined })}>Show all their events</Button>
            )
          }
        />
      )}
      <ol aria-label="What they did" className="divide-y divide-border border-t border-border">
        {events.map((one) => {
          const { id, event: name, timestamp, properties: sent } = one;
          const address = sent['$pathname'] ?? sent['$current_url'] ?? sent['$screen_name'];
          const isOpen = open === id;
          return (
            <li key={id}>
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => set({ open: isOpen ? undefined : id })}
                className="flex min-h-9 w-full items-center gap-3 px-4 text-left text-13 hover:bg-hover pointer-coarse:min-h-11"
              >
                <ChevronRight
                  size={14}
                  aria-hidden
                  className={`shrink-0 text-text-3 transition-transform ${isOpen ? 'rotate-90' : ''}`}
                />
                <span className="w-40 shrink-0 truncate font-medium max-sm:w-28">{readableName(name)}</span>
                <span className="min-w-0 flex-1 truncate text-text-2">{typeof address === 'string' ? address : ''}</span>
                <span className="text-12 text-text-3">
                  <Time at={timestamp} zone={timezone} />
                </span>
              </button>
              {isOpen && (
                <dl className="grid grid-cols-[minmax(110px,1fr)_3fr] gap-x-3 border-t border-border bg-sunken px-4 py-2 text-12">
                  {Object.entries(sent).map(([key, value]) => (
                    <div key={key} className="col-span-2 grid grid-cols-subgrid py-0.5">
                      <dt className="truncate text-text-2" title={key}>
                        {propertyName(key)}
                      </dt>
                      <dd className="wrap-anywhere">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
                    </div>
                  ))}
                </dl>
              )}
            </li>
          );
        })}
      </ol>
      {list.hasNextPage && (
        <div className="border-t border-border px-4 py-2">
          <Button isSmall busyLabel={list.isFetchingNextPage ? 'Loading…' : null} onPress={() => void list.fetchNextPage()}>
            Load older events
          </Button>
        </div>
      )}
    </Card>
  );
}
