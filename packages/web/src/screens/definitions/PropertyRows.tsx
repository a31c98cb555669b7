import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { LoadFault } from '../../app/LoadFault.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { propertyListQuery } from '../../data/definitions.js';
import { propertyName } from '../../query/property-name.js';
import { Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { VirtualRows } from '../../ui/VirtualRows.js';
import { EmptyList, NameCell, type RowsProps, TagCell } from './parts.js';
import { typeName } from './property-types.js';
import type { PropertyKind } from './route.js';

const COLUMNS =
  'grid grid-cols-[minmax(160px,5fr)_100px_110px_minmax(0,3fr)] items-center gap-x-4 px-6 max-lg:grid-cols-[minmax(0,1fr)_auto] max-sm:px-4';

/** The properties of events, people or groups. */
export function PropertyRows({ type, filter, open, onOpen, onTag, onShowAll }: RowsProps & { type: PropertyKind }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const list = useInfiniteQuery({ ...propertyListQuery(project, type, filter), placeholderData: keepPreviousData });
  const properties = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data]);
  if (list.isPending) return <Skeleton rows={12} />;
  if (list.error) return <LoadFault what="properties" error={list.error} onRetry={() => void list.refetch()} />;
  if (properties.length === 0)
    return (
      <EmptyList what="properties" onShowAll={onShowAll}>
        Properties appear here when the first value comes in.
      </EmptyList>
    );
  return (
    <VirtualRows
      label="Properties"
      items={properties}
      keyOf={({ id }) => id}
      height={52}
      columns={COLUMNS}
      hasMore={list.hasNextPage && !list.isFetchingNextPage}
      loadMore={() => void list.fetchNextPage()}
      head={
        <>
          <span>Property</span>
          <span>Type</span>
          <span className="text-right">Last seen</span>
          <span>Tags</span>
        </>
      }
      render={(property) => {
        const { id, name, tags, last_seen_at: seen, property_type: values } = property;
        const label = propertyName(name);
        return (
          <>
            <NameCell
              name={label}
              sent={label === name ? null : name}
              definition={property}
              isOpen={open === id}
              onOpen={onOpen}
            />
            <span className="truncate text-text-2">{typeName(values)}</span>
            <span className="truncate text-right text-text-2 max-lg:hidden">
              {seen ? <Time at={seen} zone={timezone} /> : 'Never'}
            </span>
            <TagCell tags={tags} what="properties" onTag={onTag} />
          </>
        );
      }}
    />
  );
}
