import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import type { EventOrder } from '../../data/definitions.js';
import { Button } from '../../ui/Button.js';
import { Menu, MenuRow } from '../../ui/Menu.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Segmented } from '../../ui/Segmented.js';
import { DataTabs } from './DataTabs.js';
import { EventPanel } from './EventPanel.js';
import { EventRows } from './EventRows.js';
import { PropertyPanel } from './PropertyPanel.js';
import { PropertyRows } from './PropertyRows.js';
import type { DefinitionsSearch } from './route.js';

const route = getRouteApi('/p/$project/definitions');

const ORDER_LABELS: Record<EventOrder, string> = {
  '-volume_30_day': 'Most frequent first',
  '-last_seen_at': 'Latest first',
  name: 'By name',
};

const STATES = [
  { value: 'all', label: 'All' },
  { value: 'verified', label: 'Verified' },
  { value: 'hidden', label: 'Hidden' },
] as const;

/** The events and properties that came in, and what people say about them. */
export function DefinitionsScreen() {
  const project = useProjectId();
  const search = route.useSearch();
  const set = useSearchChange<DefinitionsSearch>();
  const { of = null, order = '-volume_30_day', open } = search;
  const filter = {
    ...(search.search && { search: search.search }),
    ...(search.is && { is: search.is }),
    ...(search.tag && { tag: search.tag }),
  };
  const isFiltered = Object.keys(filter).length > 0;
  const rows = {
    filter,
    open: open ?? null,
    onOpen: (id: string) => set({ open: id }),
    onTag: (tag: string) => set({ tag }),
    onShowAll: isFiltered ? () => set({ search: undefined, is: undefined, tag: undefined }) : null,
  };
  return (
    <>
      <PageHead title="Definitions" />
      <PageBar>
        <DataTabs selected={of ?? 'events'} />
        <div className="w-60 max-sm:w-full">
          <SearchField
            label={of ? 'Search properties' : 'Search events'}
            value={search.search ?? ''}
            onChange={(text) => set({ search: text || undefined })}
          />
        </div>
        <Segmented
          label="State"
          options={STATES}
          value={search.is ?? 'all'}
          onChange={(is) => set({ is: is === 'all' ? undefined : is })}
        />
        {!of && (
          <Menu label="Order" trigger={<Button isSmall>{ORDER_LABELS[order]}</Button>}>
            {(Object.keys(ORDER_LABELS) as EventOrder[]).map((one) => (
              <MenuRow key={one} onAction={() => set({ order: one === '-volume_30_day' ? undefined : one })}>
                {ORDER_LABELS[one]}
              </MenuRow>
            ))}
          </Menu>
        )}
        {search.tag && (
          <Button
            isSmall
            icon={<X size={12} aria-hidden />}
            aria-label={`Remove the filter by tag ${search.tag}`}
            onPress={() => set({ tag: undefined })}
          >
            {`Tag: ${search.tag}`}
          </Button>
        )}
      </PageBar>
      {of ? <PropertyRows key={`${project}:${of}`} type={of} {...rows} /> : <EventRows key={project} order={order} {...rows} />}
      {open && !of && <EventPanel key={open} id={open} onClose={() => set({ open: undefined })} />}
      {open && of && <PropertyPanel key={open} id={open} type={of} onClose={() => set({ open: undefined })} />}
    </>
  );
}
