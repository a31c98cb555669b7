import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { FormPage } from '../../app/FormPage.js';
import { ApiFailure } from '../../data/api.js';
import { resetPassword, resetQuery } from '../../data/session.js';
import { Button } from '../../ui/Button.js';
import { Form } from '../../ui/Form.js';
import { PasswordField } from '../../ui/PasswordField.js';

const route = getRouteApi('/reset/$token');

/** Sets a new password by the link of an administrator, and logs in. */
export function ResetScreen() {
  const { token } = route.useParams();
  const account = useQuery(resetQuery(token));
  const navigate = useNavigate();
  const queries = useQueryClient();
  if (account.error) {
    const isGone = account.error instanceof ApiFailure && account.error.status === 404;
    const detail = 'A link works once, for a day, and a newer one replaces it. An administrator can make another.';
    return (
      <FormPage title="This link cannot be used" lead={isGone ? detail : account.error.message}>
        {isGone ? (
          <Button onPress={() => void navigate({ to: '/' })}>Go to Tidemark</Button>
        ) : (
          <Button onPress={() => void account.refetch()}>Try again</Button>
        )}
      </FormPage>
    );
  }
  if (!account.data) return null;
  const { email, first_name } = account.data;
  return (
    <FormPage
      title="Choose a new password"
      lead={`For ${first_name ? `${first_name}, ` : ''}${email}. It ends the sessions of this account everywhere else.`}
    >
      <Form
        fields={['password']}
        submit="Set password"
        submitting="Setting…"
        onSubmit={async ({ password = '' }) => {
          await resetPassword(token, password);
          queries.clear();
          await navigate({ to: '/' });
        }}
      >
        <PasswordField name="password" label="New password" isRequired hasStrength />
      </Form>
    </FormPage>
  );
}
