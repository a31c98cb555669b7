import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { LoadFault } from '../../app/LoadFault.js';
import { useProjectId } from '../../app/project-context.js';
import { groupLabel, groupPath, groupTypesQuery, oneOf, relatedQuery } from '../../data/groups.js';
import { Card } from '../../ui/Card.js';
import { Message, Skeleton } from '../../ui/states.js';

/** The groups in whose events a person occurs. */
export function PersonGroups({ person }: { person: string }) {
  const project = useProjectId();
  const types = useQuery(groupTypesQuery(project));
  const related = useQuery(relatedQuery(project, { id: person }));
  const groups = (related.data ?? []).flatMap((one) => (one.type === 'group' ? [one] : []));
  if (related.isPending || types.isPending)
    return (
      <Card>
        <Skeleton rows={4} />
      </Card>
    );
  const error = related.error ?? types.error;
  if (error)
    return (
      <Card>
        <LoadFault what="groups" error={error} onRetry={() => void related.refetch()} />
      </Card>
    );
  return (
    <Card>
      {groups.length === 0 && (
        <Message icon={<Building2 size={16} aria-hidden />} title="No groups">
          No event of this person names a group, such as a company.
        </Message>
      )}
      <ul aria-label="Groups" className="divide-y divide-border">
        {groups.map((group) => {
          const type = types.data?.find(({ group_type_index: index }) => index === group.group_type_index);
          return (
            <li
              key={`${group.group_type_index}:${group.group_key}`}
              className="relative flex min-h-11 items-center gap-3 px-4 text-13 hover:bg-hover"
            >
              <Link
                to={`/p/${project}${groupPath(group)}` as string}
                className="min-w-0 flex-1 truncate font-medium text-text after:absolute after:inset-0"
              >
                {groupLabel(group.group_key, group.properties)}
              </Link>
              <span className="text-12 text-text-3">{type ? oneOf(type) : `Type ${group.group_type_index}`}</span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
