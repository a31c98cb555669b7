import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Layers } from 'lucide-react';
import { useMemo } from 'react';
import { ListCount, ObjectList } from '../../app/ObjectList.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useNewLink } from '../../app/use-new-link.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { type Cohort, type CohortFilter, cohortListQuery } from '../../data/cohorts.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Segmented } from '../../ui/Segmented.js';
import { Time } from '../../ui/Time.js';
import { VirtualRows } from '../../ui/VirtualRows.js';

const route = getRouteApi('/p/$project/cohorts');

const TYPES = [
  { value: 'all', label: 'All' },
  { value: 'dynamic', label: 'By conditions' },
  { value: 'static', label: 'Lists' },
] as const;

/** Of what a cohort is made, in words. */
const KINDS: Record<Cohort['cohort_type'], string> = {
  static: 'List of people',
  person_property: 'Properties',
  behavioral: 'What people did',
};

const COLUMNS =
  'grid grid-cols-[minmax(140px,5fr)_minmax(110px,2fr)_110px_130px_minmax(0,2fr)] items-center gap-x-4 px-6 max-lg:grid-cols-[minmax(0,1fr)_auto] max-sm:px-4';

/** The cohorts of the project, the newest first. */
export function CohortsScreen() {
  const project = useProjectId();
  const search = route.useSearch();
  const mayCreate = useMayCreate('cohort');
  const list = useInfiniteQuery({ ...cohortListQuery(project, search), placeholderData: (before) => before });
  const cohorts = useMemo(() => list.data?.pages.flatMap(({ results }) => results) ?? [], [list.data]);
  const count = list.data?.pages[0]?.count;
  const isFiltered = Boolean(search.search || search.type);
  const set = useSearchChange<CohortFilter>();
  const create = useNewLink('New cohort', mayCreate, `/p/${project}/cohorts/new`);
  return (
    <>
      <PageHead title="Cohorts" badges={<ListCount count={count} />} actions={create} />
      <PageBar>
        <div className="w-64 max-sm:w-full">
          <SearchField
            label="Search cohorts"
            value={search.search ?? ''}
            onChange={(text) => set({ search: text || undefined })}
          />
        </div>
        <Segmented
          label="Kind"
          options={TYPES}
          value={search.type ?? 'all'}
          onChange={(type) => set({ type: type === 'all' ? undefined : type })}
        />
      </PageBar>
      <ObjectList
        list={list}
        one="cohort"
        many="cohorts"
        isEmpty={cohorts.length === 0}
        icon={<Layers size={16} aria-hidden />}
        onShowAll={isFiltered ? () => set({ search: undefined, type: undefined }) : null}
        leftOut="Cohorts of another kind, or with other words, are left out."
        purpose="A cohort is people who have something in common: properties, or what they did. Insights and flags can be limited to it."
        create={create}
        rows={12}
      >
        <VirtualRows
          label="Cohorts"
          items={cohorts}
          keyOf={({ id }) => id}
          render={(cohort) => <Row cohort={cohort} />}
          height={52}
          columns={COLUMNS}
          head={
            <>
              <span>Name</span>
              <span>Made of</span>
              <span className="text-right">People</span>
              <span className="text-right">Counted</span>
              <span>Created by</span>
            </>
          }
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          loadMore={() => void list.fetchNextPage()}
        />
      </ObjectList>
    </>
  );
}

function Row({ cohort }: { cohort: Cohort }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const { id, name, description, cohort_type: kind, count, last_calculation: counted, created_by: by } = cohort;
  return (
    <>
      <span className="min-w-0">
        <Link
          to={`/p/${project}/cohorts/${id}` as string}
          className="block truncate text-13 font-medium text-text after:absolute after:inset-0"
        >
          {name || `Cohort ${id}`}
        </Link>
        {description && <span className="block truncate text-12 text-text-2">{description}</span>}
      </span>
      <span className="truncate text-text-2 max-lg:hidden">{KINDS[kind]}</span>
      <span className="tnum text-right">
        {count === null ? <span className="text-text-3">Not counted</span> : count.toLocaleString('en')}
        <span className="text-12 text-text-3 lg:hidden"> people</span>
      </span>
      <span className="truncate text-right text-text-2 max-lg:hidden">
        {counted ? <Time at={counted} zone={timezone} /> : 'Never'}
      </span>
      <span className="truncate text-text-2 max-lg:hidden">{by ? by.first_name || by.email : 'A deleted user'}</span>
    </>
  );
}
