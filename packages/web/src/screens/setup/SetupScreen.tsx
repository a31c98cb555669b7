import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FormPage } from '../../app/FormPage.js';
import { renameProject } from '../../data/project.js';
import { setUp } from '../../data/session.js';
import { Form } from '../../ui/Form.js';
import { PasswordField } from '../../ui/PasswordField.js';
import { TextField } from '../../ui/TextField.js';

const STEPS = [
  ['Make the account', '30 seconds'],
  ['Put one snippet in your page, or load sample data', 'the event shows up by itself'],
  ['See it on a chart', 'no reload, nothing to configure'],
] as const;

/** The first account, with its organization and project. */
export function SetupScreen() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <FormPage
      title="Make the first account"
      lead="It owns this server. Nothing leaves this machine."
      aside={
        <ol className="grid gap-8">
          {STEPS.map(([name, detail], index) => (
            <li key={name} className="flex gap-4">
              <span
                aria-hidden
                className={`grid size-6.5 shrink-0 place-items-center rounded-full text-12 font-strong ${index === 0 ? 'bg-accent-soft text-accent-text' : 'bg-sunken text-text-2'}`}
              >
                {index + 1}
              </span>
              <span>
                <b className="block text-14 font-medium">{name}</b>
                <span className="text-13 text-text-3">{detail}</span>
              </span>
            </li>
          ))}
        </ol>
      }
    >
      <Form
        fields={['first_name', 'email', 'password', 'organization_name']}
        submit="Create account and project"
        submitting="Creating…"
        onSubmit={async ({ first_name = '', email = '', password = '', organization_name = '', project = '' }) => {
          await setUp({ first_name, email, password, organization_name });
          const renamed = project === '' ? null : await renameProject('@current', project);
          // also that nobody was logged in
          queries.clear();
          await navigate({ to: `/p/${renamed?.id ?? '@current'}/install` as string });
        }}
      >
        <TextField name="first_name" label="Your name" isRequired autoComplete="name" autoFocus />
        <TextField name="email" label="E-mail" type="email" isRequired autoComplete="username" />
        <PasswordField name="password" label="Password" isRequired hasStrength />
        <div className="grid grid-cols-2 gap-3">
          <TextField name="organization_name" label="Organization" isRequired autoComplete="organization" />
          <TextField name="project" label="First project" help="If you like" />
        </div>
      </Form>
    </FormPage>
  );
}
