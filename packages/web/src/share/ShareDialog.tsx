import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { useProjectId } from '../app/project-context.js';
import {
  addPassword,
  removePassword,
  rotateLink,
  type Shared,
  type ShareSettings,
  type SharingFields,
  sharingQuery,
  updateSharing,
} from '../data/sharing.js';
import { Button, buttonClass } from '../ui/Button.js';
import { Checkbox } from '../ui/Checkbox.js';
import { CodeBlock, CopyButton } from '../ui/CodeBlock.js';
import { Dialog } from '../ui/Dialog.js';
import { Switch } from '../ui/Switch.js';
import { Fault, Skeleton } from '../ui/states.js';
import { Tabs } from '../ui/Tabs.js';
import { Collaborators } from './Collaborators.js';

type Tab = 'link' | 'embed' | 'people';

/** The public link of a dashboard or insight with its options, the code to embed it, and the people with access. */
export function ShareDialog({ shared, name, onClose }: { shared: Shared; name: string; onClose: () => void }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const options = sharingQuery(project, shared);
  const sharing = useQuery(options);
  const [tab, setTab] = useState<Tab>('link');
  const refresh = () => queries.invalidateQueries({ queryKey: ['project', project] });
  const change = useMutation({
    mutationFn: (fields: SharingFields) => updateSharing(project, shared, fields),
    onMutate: (fields) => queries.setQueryData(options.queryKey, (before) => before && { ...before, ...(fields as object) }),
    onSettled: refresh,
  });
  const rotate = useMutation({ mutationFn: () => rotateLink(project, shared), onSettled: refresh });
  const link = sharing.data ? `${location.origin}/shared/${sharing.data.access_token}` : '';
  const isOpen = sharing.data?.enabled ?? false;
  const fault = sharing.error ?? change.error ?? rotate.error;
  const settings = (sharing.data?.settings ?? {}) as ShareSettings;
  const set = (next: ShareSettings) => change.mutate({ settings: { ...settings, ...next } });
  return (
    <Dialog title={`Share "${name}"`} isOpen onClose={onClose} isWide>
      {fault && <Fault title="Sharing could not be changed" detail={fault.message} />}
      {sharing.isPending && <Skeleton rows={4} />}
      {sharing.data && (
        <Tabs<Tab>
          label="Share"
          selected={tab}
          onSelect={setTab}
          tabs={[
            {
              id: 'link',
              label: 'Public link',
              content: () => (
                <div className="grid gap-4">
                  <Switch isSelected={isOpen} onChange={(enabled) => change.mutate({ enabled })}>
                    <span>
                      <b className="block font-medium">Anyone with the link can see it</b>
                      <span className="text-12 text-text-3">
                        {isOpen
                          ? `It is public. Opened ${sharing.data.view_count.toLocaleString('en')} times. Nothing is stored of who did.`
                          : 'Off: the link opens nothing. Only people of this project can see it.'}
                      </span>
                    </span>
                  </Switch>
                  {isOpen && (
                    <>
                      <div className="flex flex-wrap items-center gap-2">
                        <code className="min-w-0 flex-1 truncate rounded-m bg-sunken px-2 py-2 font-mono text-12">{link}</code>
                        <CopyButton text={link} what="the link" isSmall={false} />
                        <a href={link} target="_blank" rel="noreferrer" className={buttonClass()}>
                          <ExternalLink size={14} aria-hidden />
                          Open
                        </a>
                        <Button onPress={() => rotate.mutate()} isDisabled={rotate.isPending}>
                          New address
                        </Button>
                      </div>
                      <p className="text-12 text-text-3">
                        A new address ends the one before at once: who has the old link sees nothing.
                      </p>
                      <Passwords
                        isRequired={sharing.data.password_required}
                        passwords={sharing.data.share_passwords}
                        onRequire={(password_required) => change.mutate({ password_required })}
                        onAdd={async (note) => {
                          const password = await addPassword(project, shared, note);
                          await refresh();
                          return password;
                        }}
                        onRemove={(id) => void removePassword(project, shared, id).then(refresh)}
                      />
                      <fieldset className="grid gap-2">
                        <legend className="mb-1 text-12 font-medium text-text-2">What the page shows</legend>
                        <Checkbox isSelected={settings.dateRange ?? false} onChange={(dateRange) => set({ dateRange })}>
                          Visitors may choose the dates
                        </Checkbox>
                        <Checkbox isSelected={settings.downloads ?? false} onChange={(downloads) => set({ downloads })}>
                          Visitors may download the picture and the numbers
                        </Checkbox>
                        <Checkbox isSelected={settings.legend ?? true} onChange={(legend) => set({ legend })}>
                          Legends of charts
                        </Checkbox>
                        <Checkbox isSelected={settings.detailed ?? false} onChange={(detailed) => set({ detailed })}>
                          Numbers below charts
                        </Checkbox>
                        <Checkbox
                          isSelected={!(settings.hideExtraDetails ?? false)}
                          onChange={(isIn) => set({ hideExtraDetails: !isIn })}
                        >
                          Descriptions and dates
                        </Checkbox>
                        <Checkbox isSelected={!(settings.whitelabel ?? false)} onChange={(isIn) => set({ whitelabel: !isIn })}>
                          The name Tidemark
                        </Checkbox>
                      </fieldset>
                    </>
                  )}
                </div>
              ),
            },
            {
              id: 'embed',
              label: 'Embed',
              content: () =>
                isOpen ? (
                  <div className="grid gap-3">
                    <CodeBlock
                      what="the embed code"
                      code={`<iframe src="${link.replace('/shared/', '/embedded/')}" width="100%" height="600" frameborder="0" title="${name.replaceAll('"', '&quot;')}"></iframe>`}
                    />
                    <iframe
                      title="Preview"
                      src={link.replace('/shared/', '/embedded/')}
                      className="h-80 w-full rounded-l border border-border"
                    />
                  </div>
                ) : (
                  <p className="text-13 text-text-2">Turn the public link on first: an embedded page is public, too.</p>
                ),
            },
            ...(shared.kind === 'dashboard'
              ? [{ id: 'people' as const, label: 'People', content: () => <Collaborators dashboard={shared.id} /> }]
              : []),
          ]}
        />
      )}
    </Dialog>
  );
}

interface PasswordsProps {
  isRequired: boolean;
  passwords: readonly { id: number; note: string }[];
  onRequire: (isRequired: boolean) => void;
  onAdd: (note: string) => Promise<string>;
  onRemove: (id: number) => void;
}

function Passwords({ isRequired, passwords, onRequire, onAdd, onRemove }: PasswordsProps) {
  const [shown, setShown] = useState<string | null>(null);
  return (
    <div className="grid gap-2">
      <Switch
        isSelected={isRequired}
        onChange={async (isOn) => {
          if (isOn && passwords.length === 0) setShown(await onAdd('First'));
          onRequire(isOn);
        }}
      >
        Visitors must give a password
      </Switch>
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
              <Button isSmall kind="quiet" isDisabled={passwords.length === 1} onPress={() => onRemove(id)}>
                Remove
              </Button>
            </li>
          ))}
          <li className="px-3 py-1.5">
            <Button isSmall onPress={async () => setShown(await onAdd(`Password ${passwords.length + 1}`))}>
              Add password
            </Button>
          </li>
        </ul>
      )}
    </div>
  );
}
