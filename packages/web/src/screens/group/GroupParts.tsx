import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readableName } from '@tidemark/charts';
import { useProject, useProjectId } from '../../app/project-context.js';
import { ApiFailure } from '../../data/api.js';
import { groupEventsQuery, groupFilter, groupLabel, groupPath, groupTypesQuery, oneOf, relatedQuery } from '../../data/groups.js';
import { filterToText } from '../../query/filter-text.js';
import { Fault, Message, NoPermission, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';

interface OfGroupProps {
  /** Index of the type of the group. */
  type: number;
  groupKey: string;
}

/** Events that name a group, the latest first. */
export function GroupEvents({ type: index, groupKey }: OfGroupProps) {
  const project = useProjectId();
  const { timezone } = useProject();
  const events = useQuery(groupEventsQuery(project, index, groupKey));
  if (events.isPending) return <Skeleton rows={6} />;
  if (events.error)
    return <Fault title="Events could not be loaded" detail={events.error.message} onRetry={() => void events.refetch()} />;
  if (events.data.results.length === 0)
    return <Message title="No events">No event of the last 90 days names this group.</Message>;
  return (
    <>
      <ol aria-label="Events" className="divide-y divide-border">
        {events.data.results.map(({ id, event, timestamp, person, distinct_id: distinctId }) => (
          <li key={id} className="flex min-h-9 items-center gap-3 px-4 text-13">
            <span className="w-40 shrink-0 truncate font-medium max-sm:w-28">{readableName(event)}</span>
            <span className="min-w-0 flex-1 truncate text-text-2">
              {person.uuid ? (
                <Link to={`/p/${project}/persons/${person.uuid}` as string}>{nameOf(person.properties, distinctId)}</Link>
              ) : (
                distinctId
              )}
            </span>
            <span className="text-12 text-text-3">
              <Time at={timestamp} zone={timezone} />
            </span>
          </li>
        ))}
      </ol>
      <p className="border-t border-border px-4 py-2 text-13">
        <Link to={`/p/${project}/events` as string} search={{ f: [filterToText(groupFilter(index, groupKey))] } as never}>
          Watch its events live
        </Link>
      </p>
    </>
  );
}

/** The people, or the groups of other types, in whose events a group occurs. */
export function Related({ type: index, groupKey, of }: OfGroupProps & { of: 'people' | 'groups' }) {
  const project = useProjectId();
  const types = useQuery(groupTypesQuery(project));
  const related = useQuery(relatedQuery(project, { id: groupKey, type: index }));
  if (related.isPending) return <Skeleton rows={6} />;
  if (related.error) {
    if (related.error instanceof ApiFailure && related.error.status === 403)
      return <NoPermission what="who belongs to it" needs="It takes access to persons and groups." />;
    return <Fault title="They could not be loaded" detail={related.error.message} onRetry={() => void related.refetch()} />;
  }
  const rows = related.data.flatMap((one) => {
    if (one.type === 'person')
      return of === 'people' ? [{ id: one.uuid, label: one.name, note: '', path: `/persons/${one.uuid}` }] : [];
    if (of === 'people') return [];
    const found = types.data?.find((each) => each.group_type_index === one.group_type_index);
    return [
      {
        id: `${one.group_type_index}:${one.group_key}`,
        label: groupLabel(one.group_key, one.properties),
        note: found ? oneOf(found) : '',
        path: groupPath(one),
      },
    ];
  });
  if (rows.length === 0)
    return (
      <Message title={of === 'people' ? 'Nobody' : 'No other groups'}>
        {of === 'people' ? 'No event of a person names this group.' : 'Its events name no group of another type.'}
      </Message>
    );
  return (
    <ul aria-label={of === 'people' ? 'Its people' : 'Other groups'} className="divide-y divide-border">
      {rows.map(({ id, label, note, path }) => (
        <li key={id} className="relative flex min-h-11 items-center gap-3 px-4 text-13 hover:bg-hover">
          <Link
            to={`/p/${project}${path}` as string}
            className="min-w-0 flex-1 truncate font-medium text-text after:absolute after:inset-0"
          >
            {label}
          </Link>
          <span className="text-12 text-text-3">{note}</span>
        </li>
      ))}
    </ul>
  );
}

function nameOf(properties: Record<string, unknown> | undefined, otherwise: string): string {
  const name = properties?.['email'] ?? properties?.['name'];
  return typeof name === 'string' && name !== '' ? name : otherwise;
}
