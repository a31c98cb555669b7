import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Layers, Users } from 'lucide-react';
import { useMemo } from 'react';
import { LoadFault } from '../../app/LoadFault.js';
import { ListCount } from '../../app/ObjectList.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { cohortCountQuery } from '../../data/cohorts.js';
import { type ListedPerson, personListQuery } from '../../data/persons.js';
import { ColumnChooser, MOST_COLUMNS } from '../../filter/ColumnChooser.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { filterToText, isCompleteFilter } from '../../query/filter-text.js';
import { propertyName, valueText } from '../../query/property-name.js';
import { Badge } from '../../ui/Badge.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { PageBar, PageHead } from '../../ui/PageHead.js';
import { SearchField } from '../../ui/SearchField.js';
import { Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { VirtualRows } from '../../ui/VirtualRows.js';
import { filtersOfSearch, type PersonsSearch } from './filters-of-search.js';

const route = getRouteApi('/p/$project/persons');

/** Columns that are shown unless the address has others. */
const USUAL = ['$geoip_country_name', '$browser'];
/** Stands in the address where every column is hidden: an address has no empty lists. */
const NO_COLUMNS = '-';

/** Grids by the number of columns of properties: Tailwind needs each class in full. */
const GRIDS = [
  'lg:grid-cols-[minmax(0,3fr)_110px]',
  'lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_110px]',
  'lg:grid-cols-[minmax(0,3fr)_repeat(2,minmax(0,2fr))_110px]',
  'lg:grid-cols-[minmax(0,3fr)_repeat(3,minmax(0,2fr))_110px]',
  'lg:grid-cols-[minmax(0,3fr)_repeat(4,minmax(0,2fr))_110px]',
];

/** The people whose events came in. */
export function PersonsScreen() {
  const project = useProjectId();
  const search = route.useSearch();
  const mayCreateCohort = useMayCreate('cohort');
  const filters = useMemo(() => filtersOfSearch(search), [search]);
  const properties = useMemo(() => filters.filter(isCompleteFilter), [filters]);
  const text = search.search ?? '';
  const list = useInfiniteQuery({
    ...personListQuery(project, { search: text, properties }),
    placeholderData: keepPreviousData,
  });
  const conditions = { properties: { type: 'AND', values: properties } };
  const count = useQuery({ ...cohortCountQuery(project, text ? null : conditions), placeholderData: keepPreviousData });
  const people = useMemo(() => list.data?.pages.flatMap((page) => page.people) ?? [], [list.data]);
  const columns = (search.col ?? USUAL).filter((key) => key !== NO_COLUMNS).slice(0, MOST_COLUMNS);
  const isFiltered = text !== '' || properties.length > 0;
  const set = useSearchChange<PersonsSearch>();
  return (
    <>
      <PageHead
        title="Persons"
        badges={text === '' && <ListCount count={count.data?.matching} />}
        actions={
          mayCreateCohort &&
          properties.length > 0 && (
            <Link
              to={`/p/${project}/cohorts/new` as string}
              search={{ f: properties.map(filterToText) } as never}
              className={buttonClass()}
            >
              <Layers size={14} aria-hidden />
              Save as cohort
            </Link>
          )
        }
      />
      <PageBar>
        <div className="w-64 max-sm:w-full">
          <SearchField
            label="Search by e-mail, name or id"
            value={text}
            onChange={(next) => set({ search: next || undefined })}
          />
        </div>
        <FilterChips
          filters={filters}
          sources={['person', 'cohort']}
          onChange={(next) => set({ f: next.length > 0 ? next.map(filterToText) : undefined })}
        />
        <ColumnChooser
          columns={columns}
          source="person"
          onChange={(next) => set({ col: next.length > 0 ? next : [NO_COLUMNS] })}
        />
      </PageBar>
      {list.isPending && <Skeleton rows={12} />}
      {list.error && <LoadFault what="people" error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && people.length === 0 && (
        <Message
          icon={<Users size={16} aria-hidden />}
          title={isFiltered ? (properties.length > 0 ? 'Nobody matches' : `Nobody matches "${text}"`) : 'Nobody yet'}
          action={
            isFiltered ? (
              <Button onPress={() => set({ search: undefined, f: undefined })}>Show everybody</Button>
            ) : (
              <Link to={`/p/${project}/install` as string} className={buttonClass('primary')}>
                Install Tidemark
              </Link>
            )
          }
        >
          People appear with their first event, and get a name when your code identifies them.
        </Message>
      )}
      {people.length > 0 && (
        <VirtualRows
          label="Persons"
          items={people}
          keyOf={({ uuid }) => uuid}
          height={44}
          columns={`grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-6 max-sm:px-4 ${GRIDS[columns.length] ?? ''}`}
          hasMore={list.hasNextPage && !list.isFetchingNextPage}
          loadMore={() => void list.fetchNextPage()}
          head={
            <>
              <span>Person</span>
              {columns.map((key) => (
                <span key={key} className="truncate">
                  {propertyName(key)}
                </span>
              ))}
              <span className="text-right">First seen</span>
            </>
          }
          render={(person) => <Row person={person} columns={columns} />}
        />
      )}
    </>
  );
}

function Row({ person, columns }: { person: ListedPerson; columns: readonly string[] }) {
  const project = useProjectId();
  const { timezone } = useProject();
  return (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <Link
          to={`/p/${project}/persons/${person.uuid}` as string}
          className="truncate text-13 font-medium text-text after:absolute after:inset-0"
        >
          {person.name}
        </Link>
        {!person.is_identified && <Badge>Not identified</Badge>}
      </span>
      {columns.map((key) => (
        <span key={key} className="truncate text-13 text-text-2 max-lg:hidden">
          {valueText(person.properties[key])}
        </span>
      ))}
      <span className="text-right text-12 text-text-3">
        <Time at={person.created_at} zone={timezone} />
      </span>
    </>
  );
}
