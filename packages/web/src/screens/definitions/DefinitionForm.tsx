import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { type DefinitionFields, refreshDefinitions } from '../../data/definitions.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Switch } from '../../ui/Switch.js';
import { TextField } from '../../ui/TextField.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';

/** The fields of an event or property that members write. */
interface Definition {
  description: string;
  tags: readonly string[];
  verified: boolean;
  verified_at: string | null;
  verified_by: { first_name: string; email: string } | null;
  hidden: boolean;
}

export interface DefinitionFormProps {
  definition: Definition;
  mayEdit: boolean;
  onSave: (fields: DefinitionFields) => Promise<unknown>;
}

/** The tags in a text as the API stores them: in lower case, each once. */
const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim().toLowerCase())
      .filter(Boolean),
  ),
];
const sortedText = (tags: readonly string[]): string => [...tags].sort().join();

/** Description and tags with a button, verified and hidden at once. Who may not edit reads them. */
export function DefinitionForm({ definition, mayEdit, onSave }: DefinitionFormProps) {
  const project = useProjectId();
  const queries = useQueryClient();
  const { timezone } = useProject();
  const [description, setDescription] = useState(definition.description);
  const [tags, setTags] = useState(definition.tags.join(', '));
  const [isBusy, setBusy] = useState(false);
  const isChanged = description !== definition.description || sortedText(tagsOf(tags)) !== sortedText(definition.tags);
  const save = async (fields: DefinitionFields) => {
    setBusy(true);
    try {
      await onSave(fields);
      await refreshDefinitions(queries, project);
    } catch (error) {
      toast(`Not saved: ${(error as Error).message}`);
    } finally {
      setBusy(false);
    }
  };
  const by = definition.verified_by && (definition.verified_by.first_name || definition.verified_by.email);
  const verified = definition.verified_at && (
    <p className="text-12 text-text-3">
      Verified <Time at={definition.verified_at} zone={timezone} />
      {by && ` by ${by}`}
    </p>
  );
  if (!mayEdit)
    return (
      <div className="grid gap-2 text-13">
        <p className={definition.description ? '' : 'text-text-3'}>{definition.description || 'Nobody has described it.'}</p>
        {(definition.tags.length > 0 || definition.hidden) && (
          <p className="flex flex-wrap gap-1.5">
            {definition.hidden && <Badge>Hidden</Badge>}
            {definition.tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </p>
        )}
        {verified}
      </div>
    );
  return (
    <div className="grid gap-4">
      <TextField label="Description" rows={3} value={description} onChange={setDescription} />
      <TextField label="Tags" help="Separated by commas" value={tags} onChange={setTags} />
      <div>
        <Button
          kind={isChanged ? 'primary' : 'plain'}
          isDisabled={!isChanged}
          busyLabel={isBusy ? 'Saving…' : null}
          onPress={() => void save({ description, tags: tagsOf(tags) })}
        >
          {isChanged ? 'Save description' : 'Saved'}
        </Button>
      </div>
      <div className="grid justify-items-start gap-2">
        <Switch
          isSelected={definition.verified}
          onChange={(isOn) => void save({ verified: isOn, ...(isOn && { hidden: false }) })}
        >
          Verified: the team agrees on it
        </Switch>
        {verified}
        <Switch isSelected={definition.hidden} isDisabled={definition.verified} onChange={(isOn) => void save({ hidden: isOn })}>
          Hidden: pickers leave it out
        </Switch>
        {definition.verified && <p className="text-12 text-text-3">What is verified cannot be hidden.</p>}
      </div>
    </div>
  );
}
