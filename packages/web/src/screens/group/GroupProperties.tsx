import { useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { type Group, setGroupProperty } from '../../data/groups.js';
import { propertyName } from '../../query/property-name.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Form } from '../../ui/Form.js';
import { IconButton } from '../../ui/IconButton.js';
import { TextField } from '../../ui/TextField.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';

/** The properties of a group, which editors can set and take away. */
export function GroupProperties({ group, mayEdit }: { group: Group; mayEdit: boolean }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const { timezone } = useProject();
  /** The property that is edited; an empty name: a new one; null: none. */
  const [edited, setEdited] = useState<string | null>(null);
  const properties = Object.entries(group.group_properties ?? {});
  const remove = async (name: string, value: unknown) => {
    try {
      await setGroupProperty(queries, project, group, name, undefined);
      const restore = () =>
        setGroupProperty(queries, project, group, name, value).catch(({ message }: Error) => toast(`It is not back: ${message}`));
      toast(`${propertyName(name)} is taken away.`, { label: 'Undo', onPress: () => void restore() });
    } catch (error) {
      toast(`${propertyName(name)} stays: ${(error as Error).message}`);
    }
  };
  const save = async (name: string, text: string) => {
    await setGroupProperty(queries, project, group, name, readValue(text));
    setEdited(null);
  };
  return (
    <Card className="p-4">
      <h2 className="mb-2 text-13 font-strong">What is known</h2>
      <dl className="grid text-12">
        <div className="grid grid-cols-[minmax(90px,2fr)_3fr] gap-2 border-b border-border py-1">
          <dt className="text-text-2">Key</dt>
          <dd className="font-mono wrap-anywhere">{group.group_key}</dd>
        </div>
        <div className="grid grid-cols-[minmax(90px,2fr)_3fr] gap-2 border-b border-border py-1">
          <dt className="text-text-2">First seen</dt>
          <dd>
            <Time at={group.created_at} zone={timezone} />
          </dd>
        </div>
        {properties.map(([name, value]) => (
          <div key={name} className="grid grid-cols-[minmax(90px,2fr)_3fr] items-center gap-2 border-b border-border py-1">
            <dt className="text-text-2 wrap-anywhere">{propertyName(name)}</dt>
            <dd className="flex items-center gap-1">
              <span className="min-w-0 flex-1 wrap-anywhere">{textOf(value)}</span>
              {mayEdit && (
                <>
                  <IconButton label={`Change ${propertyName(name)}`} isSmall onPress={() => setEdited(name)}>
                    <Pencil size={12} aria-hidden />
                  </IconButton>
                  <IconButton label={`Take ${propertyName(name)} away`} isSmall onPress={() => void remove(name, value)}>
                    <X size={12} aria-hidden />
                  </IconButton>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {mayEdit && edited === null && (
        <div className="mt-3">
          <Button isSmall icon={<Plus size={14} aria-hidden />} onPress={() => setEdited('')}>
            Add property
          </Button>
        </div>
      )}
      {mayEdit && edited !== null && (
        <div className="mt-3" key={edited}>
          <Form
            fields={['key', 'value']}
            submit="Save property"
            submitting="Saving…"
            onSubmit={({ key = edited, value = '' }) => save(key, value)}
          >
            {edited === '' && <TextField label="Property" name="key" isRequired autoFocus />}
            <TextField
              label={edited === '' ? 'Value' : `Value of ${propertyName(edited)}`}
              name="value"
              help="A text, a number, true, false or JSON"
              defaultValue={edited === '' ? '' : textOf(group.group_properties?.[edited])}
              autoFocus={edited !== ''}
            />
          </Form>
          <div className="mt-2">
            <Button isSmall kind="quiet" onPress={() => setEdited(null)}>
              Cancel
            </Button>
          </div>
        </div>
      )}
    </Card>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** What a typed text means: JSON where it is any, else the text itself. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
