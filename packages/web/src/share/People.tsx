import { useQuery } from '@tanstack/react-query';
import { useProjectId } from '../app/project-context.js';
import { audienceQuery, type Shared } from '../data/sharing.js';
import { Fault, Skeleton } from '../ui/states.js';
import { reasonText, whoEdits, whoSees } from './audience-text.js';
import { Collaborators } from './Collaborators.js';

/** Who sees it and why, and for dashboards who may edit. */
export function People({ shared }: { shared: Shared }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {shared.kind === 'dashboard' && <Collaborators dashboard={shared.id} />}
      <Viewers shared={shared} />
    </div>
  );
}

function Viewers({ shared }: { shared: Shared }) {
  const project = useProjectId();
  const audience = useQuery(audienceQuery(project, shared));
  if (audience.isPending) return <Skeleton rows={4} />;
  if (audience.error)
    return <Fault title="It is not known who sees it" detail={audience.error.message} onRetry={() => void audience.refetch()} />;
  const { now, organization_members: all, members } = audience.data;
  return (
    <section aria-label="Who sees it" className="grid gap-2">
      <h3 className="text-13 font-strong">Who sees it</h3>
      <p className="text-12 text-text-2">{`Now: ${whoSees(now, all)}. ${whoEdits(now)} may edit it.`}</p>
      <ul className="max-h-72 divide-y divide-border overflow-y-auto rounded-l border border-border">
        {members.map((member) => (
          <li key={member.user.uuid} className="flex min-h-[46px] flex-wrap items-center gap-x-3 px-3 py-1.5 text-13">
            <span className="min-w-0 flex-1">
              <b className="block truncate font-medium">{member.user.first_name || member.user.email}</b>
              <span className="block text-12 text-text-3">{reasonText(member)}</span>
            </span>
            <span className="text-12 text-text-2">{member.can_edit ? 'may edit' : 'may view'}</span>
          </li>
        ))}
        {now.visible_to > members.length && (
          <li className="px-3 py-2 text-12 text-text-3">{`and ${now.visible_to - members.length} more`}</li>
        )}
      </ul>
    </section>
  );
}
