import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useMemo } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { addToCohort, type Cohort, cohortPeopleQuery, refreshCohort, removeFromCohort } from '../../data/cohorts.js';
import { Badge } from '../../ui/Badge.js';
import { IconButton } from '../../ui/IconButton.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';
import { VirtualRows } from '../../ui/VirtualRows.js';

const COLUMNS =
  'grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)_110px_32px] items-center gap-x-4 px-6 max-lg:grid-cols-[minmax(0,1fr)_auto_32px] max-sm:px-4';

interface PersonRow {
  uuid: string;
  name: string;
  properties: Record<string, unknown>;
  is_identified: boolean;
  created_at: string;
}

/** The people in a cohort. Those of a list can be taken out. */
export function CohortPeople({ cohort, mayEdit }: { cohort: Cohort; mayEdit: boolean }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const queries = useQueryClient();
  const { id, version, is_static: isStatic } = cohort;
  const list = useInfiniteQuery(cohortPeopleQuery(project, id, version));
  const people = useMemo(() => list.data?.pages.flatMap(({ results }) => results as PersonRow[]) ?? [], [list.data]);
  const remove = async ({ uuid, name }: PersonRow) => {
    const refresh = () => refreshCohort(queries, project, id);
    try {
      await removeFromCohort(project, id, uuid);
      await refresh();
      const restore = () =>
        addToCohort(project, id, [uuid]).then(refresh, ({ message }: Error) => toast(`${name} is not back: ${message}`));
      toast(`${name} is taken out.`, { label: 'Undo', onPress: () => void restore() });
    } catch (error) {
      toast(`${name} stays in: ${(error as Error).message}`);
    }
  };
  if (list.isPending) return <Skeleton rows={10} />;
  if (list.error)
    return <Fault title="The people could not be loaded" detail={list.error.message} onRetry={() => void list.refetch()} />;
  if (people.length === 0)
    return (
      <Message title="Nobody is in it">
        {isStatic ? 'Add people by a CSV file or by their ids, beside the conditions.' : 'The conditions hold for nobody now.'}
      </Message>
    );
  return (
    <VirtualRows
      label="People in the cohort"
      items={people}
      keyOf={({ uuid }) => uuid}
      height={44}
      columns={COLUMNS}
      hasMore={list.hasNextPage && !list.isFetchingNextPage}
      loadMore={() => void list.fetchNextPage()}
      head={
        <>
          <span>Person</span>
          <span>Where</span>
          <span className="text-right">First seen</span>
        </>
      }
      render={(person) => (
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
          <span className="truncate text-text-2 max-lg:hidden">
            {[person.properties['$geoip_city_name'], person.properties['$geoip_country_name']]
              .filter((one) => typeof one === 'string')
              .join(', ')}
          </span>
          <span className="text-right text-12 text-text-3">
            <Time at={person.created_at} zone={timezone} />
          </span>
          <span className="relative z-1">
            {isStatic && mayEdit && (
              <IconButton label={`Take ${person.name} out`} isSmall onPress={() => void remove(person)}>
                <X size={14} aria-hidden />
              </IconButton>
            )}
          </span>
        </>
      )}
    />
  );
}
