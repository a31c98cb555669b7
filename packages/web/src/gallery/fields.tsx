import { lazy, Suspense } from 'react';
import { Form } from '../ui/Form.js';
import { PasswordField } from '../ui/PasswordField.js';
import { SearchField } from '../ui/SearchField.js';
import { TextField } from '../ui/TextField.js';
import { LONG, State, UNBROKEN, Value } from './State.js';

const CodeEditor = lazy(async () => ({ default: (await import('../ui/CodeEditor.js')).CodeEditor }));

const SQL = `-- people who came back
select properties.$browser, count() as visits
from events
where event = '$pageview' and timestamp > now() - interval 7 day
group by 1`;

/** Refuses what a form sends, as the API does. */
const refuse = (attr: string | null, text: string) => () => Promise.reject(Object.assign(new Error(text), { attr }));

export const fields = {
  TextField: () => (
    <>
      <State is="label, placeholder">
        <div className="field">
          <TextField label="Name" placeholder="Checkout" />
        </div>
      </State>
      <State is="help">
        <div className="field">
          <TextField label="Description" help="If you like. Others see it in the list." defaultValue={LONG} />
        </div>
      </State>
      <State is="error, isMono">
        <div className="field">
          <TextField label="Key" error="No spaces. Did you mean new-checkout?" isMono defaultValue="new checkout" />
        </div>
      </State>
      <State is="isDisabled">
        <div className="field">
          <TextField label="E-mail" isDisabled defaultValue="mara@example.com" />
        </div>
      </State>
      <State is="rows">
        <div className="field">
          <TextField label="Description" rows={3} defaultValue={LONG} />
        </div>
      </State>
      <State is="hideLabel">
        <div className="field">
          <TextField label="Number of people" hideLabel placeholder="1000" inputMode="numeric" />
        </div>
      </State>
    </>
  ),
  PasswordField: () => (
    <>
      <State is="at rest">
        <div className="field">
          <PasswordField label="Password" />
        </div>
      </State>
      <State is="hasStrength">
        <div className="field">
          <PasswordField label="New password" hasStrength />
        </div>
      </State>
      <State is="error">
        <div className="field">
          <PasswordField label="Password of before" error="This is not your password." />
        </div>
      </State>
    </>
  ),
  SearchField: () => (
    <>
      {[
        { is: 'value: empty', label: 'Search flags', value: '' },
        { is: 'value: a long one', label: 'Search properties', value: UNBROKEN },
      ].map(({ is, label, value }) => (
        <State key={is} is={is}>
          <div className="field">
            <Value of={value}>{(text, set) => <SearchField label={label} value={text} onChange={set} />}</Value>
          </div>
        </State>
      ))}
      <State is="isDisabled, placeholder">
        <div className="field">
          <SearchField label="Search people" placeholder="Name, e-mail or id" isDisabled />
        </div>
      </State>
    </>
  ),
  Form: () => (
    <>
      <State is="onSubmit resolves">
        <Form fields={['name']} submit="Create flag" submitting="Creating…" className="field" onSubmit={async () => {}}>
          <TextField name="name" label="Name" isRequired />
        </Form>
      </State>
      <State is="onSubmit rejects with the attr of a field" isPressed>
        <Form
          fields={['key']}
          submit="Create flag"
          submitting="Creating…"
          className="field"
          onSubmit={refuse('key', 'There is a flag with this key already.')}
        >
          <TextField name="key" label="Key" defaultValue="checkout" />
        </Form>
      </State>
      <State is="onSubmit rejects for another reason" isPressed>
        <Form fields={[]} submit="Send" submitting="Sending…" className="field" onSubmit={refuse(null, 'The service is full.')}>
          <TextField name="text" label="Text" />
        </Form>
      </State>
      <State is="onSubmit takes long" isPressed>
        <Form fields={[]} submit="Delete" submitting="Deleting…" className="field" onSubmit={() => new Promise(() => {})}>
          <TextField name="text" label="Reason" />
        </Form>
      </State>
    </>
  ),
  CodeEditor: () => (
    <Suspense>
      <State is='language="sql", onSubmit, fault'>
        <CodeEditor label="SQL" language="sql" text={SQL} fault={{ from: 31, to: 50 }} submitLabel="Run" onSubmit={() => {}} />
      </State>
      <State is='language="json"'>
        <CodeEditor
          label="Payload"
          language="json"
          text={JSON.stringify({ columns: 3, isNew: true, [UNBROKEN]: LONG }, null, 2)}
        />
      </State>
    </Suspense>
  ),
};
