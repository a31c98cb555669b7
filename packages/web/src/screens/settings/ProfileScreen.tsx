import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../app/project-context.js';
import { applyTheme, storedTheme, type ThemeMode } from '../../app/theme.js';
import { changeProfile, type ProfileFields } from '../../data/profile.js';
import { meQuery } from '../../data/session.js';
import { Form } from '../../ui/Form.js';
import { PasswordField } from '../../ui/PasswordField.js';
import { Segmented } from '../../ui/Segmented.js';
import { TextField } from '../../ui/TextField.js';
import { toast } from '../../ui/toast.js';
import { Section, SettingsPage } from './SettingsPage.js';

/** Changes the account, and shows the change in the frame. */
export function useChangeProfile() {
  const queries = useQueryClient();
  const router = useRouter();
  return async (fields: ProfileFields) => {
    queries.setQueryData(meQuery.queryKey, await changeProfile(fields));
    await router.invalidate();
  };
}

const THEMES: readonly { value: ThemeMode; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Name, e-mail address and theme of the person who is logged in. */
export function ProfileScreen() {
  const me = useMe();
  const change = useChangeProfile();
  const [theme, setTheme] = useState(storedTheme);
  return (
    <SettingsPage title="Profile">
      <Section title="Name" lead="Others see it beside what you make and change.">
        <Form
          fields={['first_name', 'last_name']}
          submit="Save name"
          submitting="Saving…"
          onSubmit={async ({ first_name = '', last_name = '' }) => {
            await change({ first_name, last_name });
            toast('Your name is saved.');
          }}
        >
          <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
            <TextField name="first_name" label="First name" isRequired defaultValue={me.first_name} autoComplete="given-name" />
            <TextField
              name="last_name"
              label="Last name"
              help="If you like"
              defaultValue={me.last_name}
              autoComplete="family-name"
            />
          </div>
        </Form>
      </Section>
      <Section title="E-mail" lead={`You log in with ${me.email}. A new address needs your password.`}>
        <Form
          key={me.email}
          fields={['email', 'current_password']}
          submit="Change e-mail"
          submitting="Changing…"
          onSubmit={async ({ email = '', current_password = '' }) => {
            await change({ email, current_password });
            toast(`From now on, log in with ${email}.`);
          }}
        >
          <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
            <TextField name="email" label="New e-mail" type="email" isRequired autoComplete="email" />
            <PasswordField name="current_password" label="Current password" isRequired />
          </div>
        </Form>
      </Section>
      <Section title="Theme" lead="It follows you to other browsers.">
        <Segmented
          label="Theme"
          options={THEMES}
          value={theme}
          onChange={(mode) => {
            setTheme(mode);
            applyTheme(mode);
            void change({ theme_mode: mode });
          }}
        />
      </Section>
    </SettingsPage>
  );
}
