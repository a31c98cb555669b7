import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProjectId } from '../app/project-context.js';
import { dashboardQuery, updateDashboard } from '../data/dashboards.js';
import { addCollaborator, collaboratorsQuery, memberNamesQuery, removeCollaborator } from '../data/sharing.js';
import { Button } from '../ui/Button.js';
import { Segmented } from '../ui/Segmented.js';
import { Select } from '../ui/Select.js';
import { Fault, Skeleton } from '../ui/states.js';
import { whoEdits } from './audience-text.js';
import { Effect } from './Effect.js';

/** Who may edit a dashboard, and who may do so by name. */
export function Collaborators({ dashboard }: { dashboard: number }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const shown = useQuery(dashboardQuery(project, dashboard));
  const collaborators = useQuery(collaboratorsQuery(project, dashboard));
  const members = useQuery(memberNamesQuery());
  const [chosen, setChosen] = useState('');
  const refresh = () => queries.invalidateQueries({ queryKey: ['project', project] });
  const change = useMutation({ mutationFn: (run: () => Promise<unknown>) => run(), onSettled: refresh });
  if (shown.isPending || collaborators.isPending) return <Skeleton rows={4} />;
  const fault = change.error ?? collaborators.error;
  const isRestricted = (shown.data?.restriction_level ?? 21) > 21;
  const known = new Set(collaborators.data?.map(({ user }) => user.uuid));
  const others = members.data?.results.filter(({ user }) => !known.has(user.uuid)) ?? [];
  const shared = { kind: 'dashboard', id: dashboard } as const;
  const add = () => change.mutate(() => addCollaborator(project, dashboard, chosen, 37).then(() => setChosen('')));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {fault && <Fault title="Access could not be changed" detail={fault.message} />}
      <div className="grid gap-1.5">
        <Segmented
          label="Who may edit"
          options={[
            { value: '21', label: 'Everyone in the project edits' },
            { value: '37', label: 'Only people named below edit' },
          ]}
          value={isRestricted ? '37' : '21'}
          onChange={(level) => change.mutate(() => updateDashboard(project, dashboard, { restriction_level: Number(level) }))}
        />
        <p className="text-12 text-text-3">
          {isRestricted
            ? 'Everyone in the project sees it. Its creator, administrators and the people below edit it.'
            : 'Everyone in the project sees and edits it. The people below keep their right when you restrict it.'}
        </p>
        <Effect shared={shared} change={{ restriction_level: isRestricted ? 21 : 37 }}>
          {({ now, after }) =>
            `Now: ${whoEdits(now)} may edit it. ${isRestricted ? 'Open to everyone' : 'Restricted'}: ${whoEdits(after)}.`
          }
        </Effect>
      </div>
      <ul className="divide-y divide-border rounded-l border border-border">
        {collaborators.data?.map(({ user, level }) => (
          <li key={user.uuid} className="flex min-h-[50px] items-center gap-3 px-3 text-13">
            <span className="min-w-0 flex-1">
              <b className="block truncate font-medium">{user.first_name || user.email}</b>
              <span className="block truncate text-12 text-text-3">{user.email}</span>
            </span>
            <span className="text-12 text-text-2">
              {level >= 37 ? 'may edit, as a collaborator' : 'may view, as a collaborator'}
            </span>
            <Button isSmall kind="quiet" onPress={() => change.mutate(() => removeCollaborator(project, dashboard, user.uuid))}>
              Remove
            </Button>
          </li>
        ))}
        {collaborators.data?.length === 0 && <li className="px-3 py-2 text-13 text-text-3">Nobody is named yet.</li>}
      </ul>
      {others.length > 0 && (
        <div className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <Select
              label="Add a person"
              options={[
                { value: '', label: 'Choose…' },
                ...others.map(({ user }) => ({ value: user.uuid, label: `${user.first_name} (${user.email})` })),
              ]}
              value={chosen}
              onChange={setChosen}
            />
          </div>
          <Button isDisabled={chosen === ''} onPress={add}>
            Add person
          </Button>
        </div>
      )}
      {chosen !== '' && (
        <Effect shared={shared} change={{ collaborator: chosen }}>
          {({ now, after }) =>
            after.editable_by > now.editable_by
              ? `Now: ${whoEdits(now)} may edit it. With this person: ${whoEdits(after)}.`
              : 'This person may edit it already, and would still when it is restricted.'
          }
        </Effect>
      )}
    </div>
  );
}
