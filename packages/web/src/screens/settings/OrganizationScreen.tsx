import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { membersQuery } from '../../data/members.js';
import { changeOrganization, leaveOrganization, organizationQuery } from '../../data/organization.js';
import { meQuery } from '../../data/session.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ConfirmByName } from '../../ui/ConfirmByName.js';
import { Form } from '../../ui/Form.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { Fault, Skeleton } from '../../ui/states.js';
import { TextField } from '../../ui/TextField.js';
import { toast } from '../../ui/toast.js';
import { useRights } from './rights.js';
import { Row, Rows, SwitchRow } from './rows.js';
import { Fact, Reason, Section, SettingsPage } from './SettingsPage.js';

/** Name and rules of the organization that the project belongs to. */
export function OrganizationScreen() {
  const { organization: id, isOrganizationAdmin } = useRights();
  const organization = useQuery(organizationQuery(id));
  const queries = useQueryClient();
  const router = useRouter();
  const { queryKey } = organizationQuery(id);
  const save = async (fields: Parameters<typeof changeOrganization>[1]) => {
    queries.setQueryData(queryKey, await changeOrganization(id, fields));
    await queries.invalidateQueries({ queryKey: meQuery.queryKey, exact: true });
    await router.invalidate();
  };
  const setSharing = async (isOn: boolean) => {
    const before = organization.data;
    if (before) queries.setQueryData(queryKey, { ...before, allow_publicly_shared_resources: isOn });
    try {
      await save({ allow_publicly_shared_resources: isOn });
    } catch (error) {
      queries.setQueryData(queryKey, before);
      toast(`Not changed: ${sentenceOf(error)}`);
    }
  };
  if (organization.error)
    return (
      <SettingsPage title="Organization">
        <Card>
          <Fault
            title="The organization could not be loaded"
            detail={organization.error.message}
            onRetry={() => void organization.refetch()}
          />
        </Card>
      </SettingsPage>
    );
  if (!organization.data)
    return (
      <SettingsPage title="Organization">
        <Card>
          <Skeleton />
        </Card>
      </SettingsPage>
    );
  const { name, allow_publicly_shared_resources: isSharing } = organization.data;
  return (
    <SettingsPage title="Organization">
      {!isOrganizationAdmin && <Reason>You are a member of {name}. Its administrators and owners change these settings.</Reason>}
      <Section title="Name">
        {isOrganizationAdmin ? (
          <Form
            fields={['name']}
            submit="Save name"
            submitting="Saving…"
            onSubmit={async ({ name: next = '' }) => {
              await save({ name: next });
              toast(`The organization is called “${next}” now.`);
            }}
          >
            <div className="max-w-[360px]">
              <TextField name="name" label="Organization name" isRequired maxLength={64} defaultValue={name} />
            </div>
          </Form>
        ) : (
          <dl>
            <Fact name="Organization name">{name}</Fact>
          </dl>
        )}
      </Section>
      <Section title="Sharing and keys">
        <Rows>
          <SwitchRow
            label="Public sharing"
            help={
              isSharing
                ? 'Dashboards, insights and recordings may have public links. Off: all links stop at once, and come back with the switch.'
                : 'No public link works. Links that exist come back with the switch.'
            }
            isReadOnly={!isOrganizationAdmin}
            isOn={isSharing}
            onChange={(isOn) => void setSharing(isOn)}
          />
          <Row label="Personal API keys" help="A key never does more than the person who has it, and ends with the membership.">
            Every member may have them
          </Row>
        </Rows>
      </Section>
      <Leave id={id} name={name} />
    </SettingsPage>
  );
}

function Leave({ id, name }: { id: string; name: string }) {
  const { isOwner } = useRights();
  const members = useQuery(membersQuery(id));
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  if (!members.data) return null;
  const isLastOwner = isOwner && members.data.filter(({ level, is_active }) => level === 15 && is_active).length === 1;
  return (
    <Section title="Leave" lead="You lose access to all its projects, and your keys stop there.">
      {isLastOwner ? (
        <Reason>You are the only owner. Make somebody else an owner first.</Reason>
      ) : (
        <Button kind="danger" onPress={() => setOpen(true)}>
          Leave {name}
        </Button>
      )}
      {isOpen && (
        <ConfirmByName
          title={`Leave ${name}?`}
          consequence="Only a new invite brings you back. What you have made stays with the organization."
          name={name}
          confirm="Leave organization"
          confirming="Leaving…"
          onClose={() => setOpen(false)}
          onConfirm={async () => {
            await leaveOrganization(id);
            queries.clear();
            await navigate({ to: '/', replace: true });
          }}
        />
      )}
    </Section>
  );
}
