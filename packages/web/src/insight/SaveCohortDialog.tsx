import { useQueryClient } from '@tanstack/react-query';
import { useProjectId } from '../app/project-context.js';
import { saveAsCohort } from '../data/actors.js';
import { Dialog } from '../ui/Dialog.js';
import { Form } from '../ui/Form.js';
import { TextField } from '../ui/TextField.js';
import { toast } from '../ui/toast.js';

export interface SaveCohortDialogProps {
  /** The `source` of the actors query that lists the people. */
  source: Record<string, unknown>;
  /** Only those whose name, e-mail or id has this text. */
  search: string;
  /** Name that is proposed. */
  name: string;
  onClose: () => void;
}

/** Names and creates a cohort of the people behind a number, as they are now. */
export function SaveCohortDialog({ source, search, name, onClose }: SaveCohortDialogProps) {
  const project = useProjectId();
  const queries = useQueryClient();
  async function save(text: string): Promise<void> {
    const { count, isCut } = await saveAsCohort(queries, project, { name: text, source, search });
    onClose();
    const people = `${count.toLocaleString('en')} ${count === 1 ? 'person' : 'people'}`;
    toast(`Cohort "${text}" has ${isCut ? 'the first ' : ''}${people}.`);
  }
  return (
    <Dialog title="Save as cohort" isOpen onClose={onClose}>
      <Form fields={['name']} submit="Save cohort" submitting="Saving…" onSubmit={({ name: text = '' }) => save(text)}>
        <p className="text-13 text-text-2">
          A list of {search ? `the people who match "${search}"` : 'these people'} as they are now: it does not change by itself.
        </p>
        <TextField name="name" label="Name" isRequired autoFocus defaultValue={name.slice(0, 400)} />
      </Form>
    </Dialog>
  );
}
