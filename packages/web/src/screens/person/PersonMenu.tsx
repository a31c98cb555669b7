import { Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMayCreate, useObjectLevel } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { exportPerson } from '../../data/persons.js';
import { MenuRow, MoreMenu } from '../../ui/Menu.js';
import { saveFile } from '../../ui/save-file.js';
import { toast } from '../../ui/toast.js';
import { DeletePerson } from './DeletePerson.js';

/** What can be done with a person, as far as somebody may. */
export function PersonMenu({ person }: { person: { uuid: string; name: string } }) {
  const project = useProjectId();
  const mayDelete = useMayCreate('person');
  // the file names their recordings, so the service asks for this level, too
  const recordings = useObjectLevel('session_recording');
  const mayExport = recordings !== null && recordings.level !== 'none';
  const [isDeleting, setDeleting] = useState(false);
  const save = async () => {
    toast(`Everything about ${person.name} is being collected.`);
    try {
      saveFile(await exportPerson(project, person.uuid), `person-${person.uuid}.json`);
    } catch (error) {
      toast(`The file could not be made: ${error instanceof Error ? error.message : error}`);
    }
  };
  if (!mayDelete && !mayExport) return null;
  return (
    <>
      <MoreMenu label="Person">
        {mayExport && (
          <MenuRow icon={<Download size={14} aria-hidden />} onAction={() => void save()}>
            Export everything about them
          </MenuRow>
        )}
        {mayDelete && (
          <MenuRow icon={<Trash2 size={14} aria-hidden />} isDanger onAction={() => setDeleting(true)}>
            Delete person
          </MenuRow>
        )}
      </MoreMenu>
      {isDeleting && <DeletePerson person={person} onClose={() => setDeleting(false)} />}
    </>
  );
}
