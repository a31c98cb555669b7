import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { deletePerson, refreshPersons } from '../../data/persons.js';
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
  const [withEvents, setWithEvents] = useState(false);
  const remove = async () => {
    await deletePerson(project, uuid, withEvents);
    toast(withEvents ? `${name} is deleted; their events will be, within some minutes.` : `${name} is deleted.`);
    await navigate({ to: `/p/${project}/persons` as string });
    queries.removeQueries({ queryKey: ['project', project, 'person', uuid] });
    await refreshPersons(queries, project);
  };
  return (
    <ConfirmByName
      title="Delete person"
      consequence={`What is known of ${name}, and their ids, are deleted for good. Their events stay, as those of somebody unknown, unless you delete them, too.`}
      name={name}
      confirm="Delete person"
      confirming="Deleting…"
      onConfirm={remove}
      onClose={onClose}
    >
      <Checkbox isSelected={withEvents} onChange={setWithEvents}>
        Delete their events, too
      </Checkbox>
    </ConfirmByName>
  );
}
