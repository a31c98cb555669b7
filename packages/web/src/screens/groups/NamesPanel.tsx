import { useQueryClient } from '@tanstack/react-query';
import { useProjectId } from '../../app/project-context.js';
import { type GroupType, renameGroupType } from '../../data/groups.js';
import { Form } from '../../ui/Form.js';
import { Panel } from '../../ui/Panel.js';
import { TextField } from '../../ui/TextField.js';

/** Says what one group of a type, and several, are called. */
export function NamesPanel({ type, onClose }: { type: GroupType; onClose: () => void }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const save = async ({ one = '', many = '' }: Record<string, string>) => {
    const names = { name_singular: one.trim() || null, name_plural: many.trim() || null };
    await renameGroupType(queries, project, type.group_type_index, names);
    onClose();
  };
  return (
    <Panel title={`Names of ${type.group_type}`} onClose={onClose}>
      <Form fields={['one', 'many']} submit="Save names" submitting="Saving…" onSubmit={save}>
        <p className="text-13 text-text-2">
          Your code calls this type <code className="font-mono text-12">{type.group_type}</code>. The app shows these words.
        </p>
        <TextField label="One of them" name="one" placeholder="Company" defaultValue={type.name_singular ?? ''} autoFocus />
        <TextField label="Several" name="many" placeholder="Companies" defaultValue={type.name_plural ?? ''} />
      </Form>
    </Panel>
  );
}
