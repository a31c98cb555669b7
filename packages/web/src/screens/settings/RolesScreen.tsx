import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Pencil, Plus, Trash2, UsersRound } from 'lucide-react';
import { useState } from 'react';
import {
  createRole,
  deleteRole,
  giveRole,
  membersQuery,
  type Role,
  renameRole,
  rolesQuery,
  takeRole,
} from '../../data/members.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { ConfirmByName } from '../../ui/ConfirmByName.js';
import { Form } from '../../ui/Form.js';
import { IconButton } from '../../ui/IconButton.js';
import { Panel } from '../../ui/Panel.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { TextField } from '../../ui/TextField.js';
import { personName } from './Initials.js';
import { useRights } from './rights.js';
import { Reason, SettingsPage } from './SettingsPage.js';
import { useAccessChange } from './use-access-change.js';

const route = getRouteApi('/p/$project/settings/roles');

/** Groups of people that access rules can name. */
export function RolesScreen() {
  const { organization, organizationName, isOrganizationAdmin } = useRights();
  const roles = useQuery(rolesQuery(organization));
  const { role: open } = route.useSearch();
  const navigate = route.useNavigate();
  const [ending, setEnding] = useState<Role | null>(null);
  const run = useAccessChange();
  const show = (role?: string) => void navigate({ search: role ? { role } : {} });
  const opened = roles.data?.find(({ id }) => id === open);
  return (
    <SettingsPage
      title="Roles"
      actions={
        isOrganizationAdmin && (
          <Button kind="primary" icon={<Plus size={14} aria-hidden />} onPress={() => show('new')}>
            New role
          </Button>
        )
      }
      panel={
        isOrganizationAdmin &&
        (open === 'new' || opened) && (
          <RolePanel key={open} role={opened ?? null} onClose={() => show()} onMade={({ id }) => show(id)} />
        )
      }
    >
      {!isOrganizationAdmin && (
        <Reason>You are a member of {organizationName}. Its administrators and owners change roles.</Reason>
      )}
      <p className="max-w-prose text-12 text-text-3">
        A role does nothing by itself: the access rules of each project say what people with it may do there.
      </p>
      <Card className="overflow-hidden">
        {roles.error && !roles.data ? (
          <Fault title="The roles could not be loaded" detail={roles.error.message} onRetry={() => void roles.refetch()} />
        ) : !roles.data ? (
          <Skeleton rows={3} />
        ) : roles.data.length === 0 ? (
          <Message
            icon={<UsersRound size={16} aria-hidden />}
            title="No roles yet"
            action={isOrganizationAdmin && <Button onPress={() => show('new')}>Create a role</Button>}
          >
            With a role such as “Support” you restrict or open things for several people at once.
          </Message>
        ) : (
          <ul className="divide-y divide-border">
            {roles.data.map((role) => (
              <li key={role.id} className="flex min-h-12 flex-wrap items-center gap-2 px-4 py-2">
                <div className="min-w-0 flex-1">
                  <p className="text-13 font-medium wrap-anywhere">{role.name}</p>
                  <p className="flex flex-wrap gap-1 text-12 text-text-3">
                    {role.members.length === 0
                      ? 'Nobody has it'
                      : role.members.slice(0, 6).map(({ id, user }) => <Badge key={id}>{personName(user)}</Badge>)}
                    {role.members.length > 6 && <Badge>+{role.members.length - 6}</Badge>}
                  </p>
                </div>
                {isOrganizationAdmin && (
                  <>
                    <IconButton isSmall label={`Change ${role.name}`} onPress={() => show(role.id)}>
                      <Pencil size={14} aria-hidden />
                    </IconButton>
                    <IconButton isSmall label={`Delete ${role.name}`} onPress={() => setEnding(role)}>
                      <Trash2 size={14} aria-hidden />
                    </IconButton>
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
      </Card>
      {ending && (
        <ConfirmByName
          title={`Delete the role “${ending.name}”?`}
          consequence="The access rules for it are deleted in all projects. What people could do by it, they can do no longer, and what it closed is open again."
          name={ending.name}
          confirm="Delete role"
          confirming="Deleting…"
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await deleteRole(organization, ending.id);
            await run(async () => {});
            if (open === ending.id) show();
          }}
        />
      )}
    </SettingsPage>
  );
}

interface RolePanelProps {
  /** null: a new one. */
  role: Role | null;
  onClose: () => void;
  onMade: (role: { id: string }) => void;
}

function RolePanel({ role, onClose, onMade }: RolePanelProps) {
  const { organization } = useRights();
  const members = useQuery(membersQuery(organization));
  const run = useAccessChange();
  const membershipOf = (member: string) => role?.members.find(({ organization_member }) => organization_member === member);
  return (
    <Panel title={role?.name ?? 'New role'} onClose={onClose}>
      <div className="grid gap-6">
        <Form
          fields={['name']}
          submit={role ? 'Save name' : 'Create role'}
          submitting={role ? 'Saving…' : 'Creating…'}
          onSubmit={async ({ name = '' }) => {
            const saved = role ? await renameRole(organization, role.id, name) : await createRole(organization, name);
            await run(async () => {});
            if (!role) onMade(saved);
          }}
        >
          <TextField name="name" label="Name" isRequired defaultValue={role?.name ?? ''} autoFocus={!role} />
        </Form>
        {role && (
          <section className="grid gap-2">
            <h3 className="text-12 font-medium text-text-2">Who has it</h3>
            <ul className="grid gap-2">
              {(members.data ?? [])
                .filter(({ is_active }) => is_active)
                .map(({ id, user }) => {
                  const membership = membershipOf(id);
                  return (
                    <li key={id}>
                      <Checkbox
                        isSelected={membership !== undefined}
                        onChange={() =>
                          void run(() =>
                            membership
                              ? takeRole(organization, role.id, membership.id)
                              : giveRole(organization, role.id, user.uuid),
                          )
                        }
                      >
                        {personName(user)}
                      </Checkbox>
                    </li>
                  );
                })}
            </ul>
          </section>
        )}
      </div>
    </Panel>
  );
}
