import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { FormPage } from '../../app/FormPage.js';
import { acceptInvite, inviteQuery, meQuery } from '../../data/session.js';
import { Button } from '../../ui/Button.js';
import { Form } from '../../ui/Form.js';
import { PasswordField } from '../../ui/PasswordField.js';
import { TextField } from '../../ui/TextField.js';

const route = getRouteApi('/invite/$id');

/** Joins an organization: by a new account, or as the person who is logged in. */
export function InviteScreen() {
  const { id } = route.useParams();
  const invite = useQuery(inviteQuery(id));
  const me = useQuery(meQuery);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const join = async (fields?: { first_name: string; password: string }) => {
    await acceptInvite(id, fields);
    queries.clear();
    await navigate({ to: '/' });
  };
  if (invite.error)
    return (
      <FormPage title="This invite cannot be used" lead={invite.error.message}>
        <Button onPress={() => void navigate({ to: '/' })}>Go to Tidemark</Button>
      </FormPage>
    );
  if (!invite.data) return null;
  const { organization_name, target_email, first_name } = invite.data;
  return (
    <FormPage title={`Join ${organization_name}`} lead={`This invite is for ${target_email}.`}>
      {me.data ? (
        <Form fields={[]} submit={`Join as ${me.data.email}`} submitting="Joining…" onSubmit={() => join()}>
          <p className="text-13 text-text-2">You are logged in. The organization is added to your account.</p>
        </Form>
      ) : (
        <Form
          fields={['first_name', 'password']}
          submit="Create account"
          submitting="Creating…"
          onSubmit={({ first_name: name = '', password = '' }) => join({ first_name: name, password })}
        >
          <TextField name="first_name" label="Your name" isRequired defaultValue={first_name} autoComplete="name" autoFocus />
          <PasswordField name="password" label="Password" isRequired hasStrength />
        </Form>
      )}
    </FormPage>
  );
}
