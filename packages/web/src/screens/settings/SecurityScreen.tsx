import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { sessionsQuery } from '../../data/profile.js';
import { logOut } from '../../data/session.js';
import { Button } from '../../ui/Button.js';
import { Form } from '../../ui/Form.js';
import { PasswordField } from '../../ui/PasswordField.js';
import { toast } from '../../ui/toast.js';
import { useChangeProfile } from './ProfileScreen.js';
import { Sessions } from './Sessions.js';
import { Section, SettingsPage } from './SettingsPage.js';

/** The password, and where the person is logged in. */
export function SecurityScreen() {
  const change = useChangeProfile();
  const queries = useQueryClient();
  const router = useRouter();
  const [changes, setChanges] = useState(0);
  return (
    <SettingsPage title="Security">
      <Section title="Password" lead="A new password logs out all your other browsers. Your API keys go on working.">
        <Form
          key={changes}
          fields={['current_password', 'password']}
          submit="Change password"
          submitting="Changing…"
          onSubmit={async ({ current_password = '', password = '' }) => {
            await change({ current_password, password });
            setChanges(changes + 1);
            await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
            toast('Your password is changed. All your other browsers are logged out.');
          }}
        >
          <div className="grid max-w-[360px] gap-4">
            <PasswordField name="current_password" label="Current password" isRequired />
            <PasswordField name="password" label="New password" isRequired hasStrength />
          </div>
        </Form>
      </Section>
      <Sessions />
      <Section title="This browser" lead="Logging out also clears what this tab has loaded.">
        <Button
          onPress={async () => {
            await logOut();
            queries.clear();
            router.history.push('/login');
          }}
        >
          Log out
        </Button>
      </Section>
    </SettingsPage>
  );
}
