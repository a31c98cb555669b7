import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { deletePerson, personEventCountQuery, refreshPersons } from '../../data/persons.js';
import { recordingsOfPersonQuery } from '../../data/recordings.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { ConfirmByName } from '../../ui/ConfirmByName.js';
import { toast } from '../../ui/toast.js';

/** Asks before a person is deleted: that cannot be undone. */
export function DeletePerson({
  person: { uuid, name },
  onClose,
}: {
  person: { uuid: string; name: string };
  onClose: () => void;
}) {
  const project = useProjectId();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const mayDeleteRecordings = useMayCreate('session_recording');
  const [withEvents, setWithEvents] = useState(false);
  const [withRecordings, setWithRecordings] = useState(false);
  const events = useQuery(personEventCountQuery(project, uuid)).data;
  const recordings = useQuery({ ...recordingsOfPersonQuery(project, uuid), enabled: mayDeleteRecordings }).data;
  const remove = async () => {
    await deletePerson(project, uuid, { withEvents, withRecordings });
    const rest = [withEvents && 'events', withRecordings && 'recordings'].filter((one) => one !== false).join(' and ');
    toast(rest ? `${name} is deleted; their ${rest} will be, within some minutes.` : `${name} is deleted.`);
    await navigate({ to: `/p/${project}/persons` as string });
    queries.removeQueries({ queryKey: ['project', project, 'person', uuid] });
    await refreshPersons(queries, project);
  };
  return (
    <ConfirmByName
      title="Delete person"
      consequence={`What is known of ${name}, and their ids, are deleted for good. Their events and recordings stay, as those of somebody unknown, unless you delete them, too.`}
      name={name}
      confirm="Delete person"
      confirming="Deleting…"
      onConfirm={remove}
      onClose={onClose}
    >
      <div className="grid justify-items-start gap-2">
        <Checkbox isSelected={withEvents} onChange={setWithEvents}>
          {`Delete their ${counted(events, 'event')}, too`}
        </Checkbox>
        {mayDeleteRecordings && recordings?.results.length !== 0 && (
          <Checkbox isSelected={withRecordings} onChange={setWithRecordings}>
            {`Delete their ${recordings?.has_next ? 'more than ' : ''}${counted(recordings?.results.length, 'recording')}, too`}
          </Checkbox>
        )}
      </div>
    </ConfirmByName>
  );
}

/** "12 events", "1 event"; "events" as long as nobody has counted. */
const counted = (count: number | undefined, what: string): string =>
  count === undefined ? `${what}s` : `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
