import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../app/project-context.js';
import { type Invite, invite, invitesQuery, type Level } from '../../data/members.js';
import { Button } from '../../ui/Button.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { CopyButton } from '../../ui/CodeBlock.js';
import { Form } from '../../ui/Form.js';
import { Panel } from '../../ui/Panel.js';
import { Segmented } from '../../ui/Segmented.js';
import { TextField } from '../../ui/TextField.js';
import { inviteLink } from './Invites.js';
import { useRights } from './rights.js';

const LEVEL_OPTIONS = [
  { value: '1', label: 'Member', help: 'Sees the open projects, makes and changes dashboards, insights and flags.' },
  { value: '8', label: 'Administrator', help: 'Also sees every project, invites and removes people, and changes all settings.' },
  { value: '15', label: 'Owner', help: 'Also names other owners and can delete the organization.' },
] as const;

/** Makes a link by which one person joins. */
export function InvitePanel({ onClose }: { onClose: () => void }) {
  const { organization, organizationName, organizationLevel } = useRights();
  const project = useProject();
  const queries = useQueryClient();
  const [level, setLevel] = useState<'1' | '8' | '15'>('1');
  const [isNamed, setNamed] = useState(true);
  const [made, setMade] = useState<Invite | null>(null);
  const options = LEVEL_OPTIONS.filter(({ value }) => Number(value) <= organizationLevel);
  if (made)
    return (
      <Panel title={`Invite for ${made.target_email}`} onClose={onClose} footer={<Button onPress={onClose}>Done</Button>}>
        <div className="grid gap-3">
          <p className="text-13">Send this link to {made.target_email} yourself: Tidemark sends no e-mail.</p>
          <div className="grid gap-2 rounded-l bg-good-soft p-3">
            <code className="rounded-m bg-surface px-3 py-1.5 font-mono text-12 wrap-anywhere">{inviteLink(made.id)}</code>
            <div>
              <CopyButton text={inviteLink(made.id)} what="the invite link" />
            </div>
          </div>
          <p className="text-12 text-text-3">
            It works for three days, for the first person who opens it. You can take it back in the list of open invites.
          </p>
          <div>
            <Button kind="quiet" isSmall onPress={() => setMade(null)}>
              Invite another person
            </Button>
          </div>
        </div>
      </Panel>
    );
  return (
    <Panel title="Invite a person" onClose={onClose}>
      <Form
        fields={['target_email', 'first_name']}
        submit="Create link"
        submitting="Creating…"
        onSubmit={async ({ target_email = '', first_name = '' }) => {
          const access = project.access_control && level === '1' && isNamed ? [{ id: project.id, level: 1 as const }] : [];
          const fields = { target_email, first_name, level: Number(level) as Level };
          const answer = await invite(organization, { ...fields, ...(access.length > 0 && { private_project_access: access }) });
          await queries.invalidateQueries({ queryKey: invitesQuery(organization).queryKey });
          setMade(answer);
        }}
      >
        <TextField name="target_email" label="E-mail" type="email" isRequired autoComplete="off" autoFocus />
        <TextField name="first_name" label="First name" help="If you like; the person can change it" autoComplete="off" />
        <div className="grid gap-1">
          <p className="text-12 font-medium text-text-2">Level in {organizationName}</p>
          <Segmented label="Level in the organization" options={options} value={level} onChange={setLevel} />
          <p className="text-12 text-text-3">{options.find(({ value }) => value === level)?.help}</p>
        </div>
        {project.access_control && level === '1' && (
          <div className="grid gap-1">
            <Checkbox isSelected={isNamed} onChange={setNamed}>
              Give access to “{project.name}”
            </Checkbox>
            <p className="text-12 text-text-3">The project is closed: without this, the person does not see it.</p>
          </div>
        )}
      </Form>
    </Panel>
  );
}
