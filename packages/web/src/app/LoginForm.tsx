import { logIn } from '../data/session.js';
import { Form } from '../ui/Form.js';
import { PasswordField } from '../ui/PasswordField.js';
import { TextField } from '../ui/TextField.js';

/** E-mail and password. @param props.onLoggedIn the session cookie is set */
export const LoginForm = ({ onLoggedIn }: { onLoggedIn: () => Promise<unknown> }) => (
  <Form
    fields={['email', 'password']}
    submit="Log in"
    submitting="Logging in…"
    onSubmit={async ({ email = '', password = '' }) => {
      await logIn({ email, password });
      await onLoggedIn();
    }}
  >
    <TextField name="email" label="E-mail" type="email" isRequired autoComplete="username" autoFocus />
    <PasswordField name="password" label="Password" isRequired />
  </Form>
);
