import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Building2, Pencil } from 'lucide-react';
import { useMemo } from 'react';
import { LoadFault } from '../../app/LoadFault.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { type GroupType, groupLabel, groupListQuery, groupPath, groupTypesQuery, manyOf } from '../../data/groups.js';
import { Button } from '../../ui/Button.js';
import { CodeBlock } from '../../ui/CodeBlock.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Segmented } from '../../ui/Segmented.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { VirtualRows } from '../../ui/VirtualRows.js';
import { NamesPanel } from './NamesPanel.js';
import type { GroupsSearch } from './route.js';

const route = getRouteApi('/p/$project/groups');

const COLUMNS =
  'grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)_110px] items-center gap-x-4 px-6 max-lg:grid-cols-[minmax(0,1fr)_auto] max-sm:px-4';

/** The groups that events name beside people, such as companies. */
export function GroupsScreen() {
  const project = useProjectId();
  const search = route.useSearch();
  const mayEdit = useMayCreate('group');
  const types = useQuery(groupTypesQuery(project));
  const type = types.data?.find((one) => one.group_type_index === search.type) ?? types.data?.[0];
  const set = useSearchChange<GroupsSearch>();
  return (
    <>
      <PageHead
        title="Groups"
        actions={
          type &&
          mayEdit && (
            <Button icon={<Pencil size={14} aria-hidden />} onPress={() => set({ names: true })}>
              Change names
            </Button>
          )
        }
      />
      {types.isPending && <Skeleton rows={8} />}
      {types.error && (
        <Fault title="Groups could not be loaded" detail={types.error.message} onRetry={() => void types.refetch()} />
      )}
      {types.data?.length === 0 && (
        <Message icon={<Building2 size={16} aria-hidden />} title="No groups yet">
          <p className="mb-3">
            Groups are what people belong to: companies, teams, shops. They appear here when your code names one:
          </p>
          <CodeBlock code={"tidemark.group('company', 'acme', { name: 'Acme' })"} what="the call" />
        </Message>
      )}
      {types.data && type && (
        <>
          <PageBar>
            {types.data.length > 1 && (
              <Segmented
                label="Type of groups"
                options={types.data.map((one) => ({ value: String(one.group_type_index), label: manyOf(one) }))}
                value={String(type.group_type_index)}
                onChange={(index) => set({ type: Number(index), search: undefined, names: undefined })}
              />
            )}
            <div className="w-64 max-sm:w-full">
              <SearchField
                label={`Search ${manyOf(type)}`}
                value={search.search ?? ''}
                onChange={(text) => set({ search: text || undefined })}
              />
            </div>
          </PageBar>
          <GroupRows type={type} search={search.search ?? ''} onShowAll={() => set({ search: undefined })} />
          {search.names && mayEdit && (
            <NamesPanel key={type.group_type_index} type={type} onClose={() => set({ names: undefined })} />
          )}
        </>
      )}
    </>
  );
}

function GroupRows({ type, search, onShowAll }: { type: GroupType; search: string; onShowAll: () => void }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const list = useInfiniteQuery({
    ...groupListQuery(project, type.group_type_index, search),
    placeholderData: keepPreviousData,
  });
  const groups = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data]);
  if (list.isPending) return <Skeleton rows={12} />;
  if (list.error) return <LoadFault what="groups" error={list.error} onRetry={() => void list.refetch()} />;
  if (groups.length === 0)
    return (
      <Message
        icon={<Building2 size={16} aria-hidden />}
        title={search ? `Nothing matches "${search}"` : `No ${manyOf(type)} yet`}
        action={search && <Button onPress={onShowAll}>Show all</Button>}
      >
        {search ? 'Keys and properties are searched.' : 'They appear when your code names one with its properties.'}
      </Message>
    );
  return (
    <VirtualRows
      label={manyOf(type)}
      items={groups}
      keyOf={({ group_key: key }) => key}
      height={44}
      columns={COLUMNS}
      hasMore={list.hasNextPage && !list.isFetchingNextPage}
      loadMore={() => void list.fetchNextPage()}
      head={
        <>
          <span>Name</span>
          <span>Key</span>
          <span className="text-right">First seen</span>
        </>
      }
      render={(group) => (
        <>
          <Link
            to={`/p/${project}${groupPath(group)}` as string}
            className="truncate text-13 font-medium text-text after:absolute after:inset-0"
          >
            {groupLabel(group.group_key, group.group_properties)}
          </Link>
          <code className="truncate font-mono text-12 text-text-2 max-lg:hidden">{group.group_key}</code>
          <span className="text-right text-12 text-text-3">
            <Time at={group.created_at} zone={timezone} />
          </span>
        </>
      )}
    />
  );
}
