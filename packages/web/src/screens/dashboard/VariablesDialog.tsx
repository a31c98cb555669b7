import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import {
  createVariable,
  deleteVariable,
  refreshVariables,
  restoreVariable,
  updateVariable,
  type Variable,
  variablesQuery,
} from '../../data/variables.js';
import { Button } from '../../ui/Button.js';
import { CopyButton } from '../../ui/CodeBlock.js';
import { Dialog } from '../../ui/Dialog.js';
import { Form } from '../../ui/Form.js';
import { IconButton } from '../../ui/IconButton.js';
import { Segmented } from '../../ui/Segmented.js';
import { Fault, Skeleton } from '../../ui/states.js';
import { TextField } from '../../ui/TextField.js';
import { toast } from '../../ui/toast.js';
import { readValue } from './variables.js';

const TYPES: readonly { value: Variable['type']; label: string }[] = [
  { value: 'String', label: 'Text' },
  { value: 'Number', label: 'Number' },
  { value: 'Boolean', label: 'Yes or no' },
  { value: 'List', label: 'List' },
  { value: 'Date', label: 'Date' },
];

/** The variables of the project: what SQL questions call them, their types and defaults. */
export function VariablesDialog({ onClose }: { onClose: () => void }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const variables = useQuery(variablesQuery(project));
  const [edited, setEdited] = useState<Variable | 'new' | null>(null);
  const remove = useMutation({
    mutationFn: ({ id }: Variable) => deleteVariable(project, id),
    onSuccess: (_, variable) =>
      toast(`The variable "${variable.name}" was deleted`, {
        label: 'Undo',
        onPress: () => void restoreVariable(project, variable).then(() => refreshVariables(queries, project)),
      }),
    onSettled: () => refreshVariables(queries, project),
  });
  if (edited)
    return (
      <Dialog title={edited === 'new' ? 'New variable' : `Variable "${edited.name}"`} isOpen onClose={() => setEdited(null)}>
        <VariableForm variable={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
      </Dialog>
    );
  const fault = variables.error ?? remove.error;
  return (
    <Dialog
      title="Variables"
      isOpen
      onClose={onClose}
      footer={
        <Button icon={<Plus size={14} aria-hidden />} onPress={() => setEdited('new')}>
          New variable
        </Button>
      }
    >
      <p className="mb-3 text-13 text-text-2">
        A SQL question names a variable in braces. Dashboards whose tiles do so show its value above them, for everybody to
        choose.
      </p>
      {fault && <Fault title="The variables could not be read or changed" detail={fault.message} />}
      {variables.isPending && <Skeleton rows={3} />}
      {variables.data?.results.length === 0 && <p className="text-13 text-text-3">There is none yet.</p>}
      <ul className="divide-y divide-border">
        {variables.data?.results.map((variable) => (
          <li key={variable.id} className="flex min-h-12 items-center gap-2 py-1.5">
            <span className="min-w-0 flex-1">
              <b className="block truncate text-13 font-medium">{variable.name}</b>
              <code className="block truncate font-mono text-12 text-text-2">{`{variables.${variable.code_name}}`}</code>
            </span>
            <span className="text-12 text-text-2">{labelOf(variable)}</span>
            <CopyButton text={`{variables.${variable.code_name}}`} what={`the name of ${variable.name}`} />
            <IconButton isSmall label={`Change ${variable.name}`} onPress={() => setEdited(variable)}>
              <Pencil size={14} aria-hidden />
            </IconButton>
            <IconButton isSmall label={`Delete ${variable.name}`} onPress={() => remove.mutate(variable)}>
              <Trash2 size={14} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function labelOf({ type, default_value: value }: Variable): string {
  const label = TYPES.find((one) => one.value === type)?.label ?? type;
  return value === null ? label : `${label}, ${value}`;
}

function VariableForm({ variable, onDone }: { variable: Variable | null; onDone: () => void }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const [type, setType] = useState<Variable['type']>(variable?.type ?? 'String');
  const [isOn, setOn] = useState(String(variable?.default_value ?? 'true'));
  async function save({ name = '', values = '', default_value: text = '' }: Record<string, string>): Promise<void> {
    const written = type === 'Boolean' ? isOn : text;
    const lines = values.split('\n').flatMap((line) => line.trim() || []);
    const fields = {
      name,
      type,
      default_value: written === '' ? null : readValue(type, written),
      values: type === 'List' ? lines : null,
    };
    await (variable ? updateVariable(project, variable.id, fields) : createVariable(project, fields));
    await refreshVariables(queries, project);
    onDone();
  }
  return (
    <Form
      fields={['name', 'values', 'default_value']}
      submit={variable ? 'Save variable' : 'Create variable'}
      submitting={variable ? 'Saving…' : 'Creating…'}
      onSubmit={save}
    >
      <TextField
        name="name"
        label="Name"
        help={variable ? `Questions call it {variables.${variable.code_name}}, also under another name.` : undefined}
        isRequired
        autoFocus
        defaultValue={variable?.name ?? ''}
      />
      <Labelled text="Type">
        <Segmented label="Type" options={TYPES} value={type} onChange={setType} />
      </Labelled>
      {type === 'List' && (
        <TextField
          name="values"
          label="Values"
          help="One on each line"
          rows={4}
          isRequired
          defaultValue={variable?.values?.join('\n') ?? ''}
        />
      )}
      {type === 'Boolean' ? (
        <Labelled text="Default">
          <Segmented
            label="Default"
            options={[
              { value: 'true', label: 'Yes' },
              { value: 'false', label: 'No' },
            ]}
            value={isOn}
            onChange={setOn}
          />
        </Labelled>
      ) : (
        <TextField
          key={type}
          name="default_value"
          label="Default"
          help="Where nobody chooses another value"
          type={type === 'Number' ? 'number' : type === 'Date' ? 'date' : 'text'}
          defaultValue={variable?.type === type ? String(variable.default_value ?? '') : ''}
        />
      )}
    </Form>
  );
}

/** A choice below its words, which the choice itself says to screen readers. */
const Labelled = ({ text, children }: { text: string; children: ReactNode }) => (
  <div className="grid justify-items-start gap-1">
    <span aria-hidden className="text-12 font-medium text-text-2">
      {text}
    </span>
    {children}
  </div>
);
