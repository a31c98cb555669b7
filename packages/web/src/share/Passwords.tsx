import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProjectId } from '../app/project-context.js';
import { addPassword, refreshSharing, removePassword, type Shared, type Sharing } from '../data/sharing.js';
import { Button } from '../ui/Button.js';
import { CopyButton } from '../ui/CodeBlock.js';
import { Switch } from '../ui/Switch.js';
import { Fault } from '../ui/states.js';
import { whoSees } from './audience-text.js';
import { Effect } from './Effect.js';

export interface PasswordsProps {
  shared: Shared;
  sharing: Sharing;
  onRequire: (isRequired: boolean) => void;
}

/** Whether visitors must give a password, and which there are. */
export function Passwords({ shared, sharing, onRequire }: PasswordsProps) {
  const project = useProjectId();
  const queries = useQueryClient();
  const [shown, setShown] = useState<string | null>(null);
  const { password_required: isRequired, share_passwords: passwords } = sharing;
  const change = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSettled: () => refreshSharing(queries, project),
  });
  const add = (note: string) => change.mutateAsync(async () => setShown(await addPassword(project, shared, note)));
  async function require(isOn: boolean): Promise<void> {
    if (isOn && passwords.length === 0) await add('First');
    onRequire(isOn);
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Switch isSelected={isRequired} onChange={(isOn) => void require(isOn).catch(() => {})}>
        Visitors must give a password
      </Switch>
      <Effect shared={shared} change={{ password_required: !isRequired }}>
        {({ after, organization_members: all }) => `${isRequired ? 'Without' : 'With'} a password: ${whoSees(after, all)}.`}
      </Effect>
      {change.error && <Fault title="The password could not be changed" detail={change.error.message} />}
      {shown && (
        <p className="flex items-center gap-2 rounded-m bg-accent-soft px-3 py-2 text-13">
          <span className="text-12 text-text-2">Shown once:</span>
          <code className="flex-1 font-mono wrap-anywhere">{shown}</code>
          <CopyButton text={shown} what="the password" />
        </p>
      )}
      {isRequired && (
        <ul className="divide-y divide-border rounded-l border border-border">
          {passwords.map(({ id, note }) => (
            <li key={id} className="flex h-row items-center justify-between px-3 text-13">
              {note || 'Password'}
              <Button
                isSmall
                kind="quiet"
                isDisabled={passwords.length === 1}
                onPress={() => change.mutate(() => removePassword(project, shared, id))}
              >
                Remove
              </Button>
            </li>
          ))}
          <li className="px-3 py-1.5">
            <Button isSmall onPress={() => void add(`Password ${passwords.length + 1}`).catch(() => {})}>
              Add password
            </Button>
          </li>
        </ul>
      )}
    </div>
  );
}
