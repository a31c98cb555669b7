import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../app/project-context.js';
import { deleteProject } from '../../data/organization.js';
import { Button } from '../../ui/Button.js';
import { CopyButton } from '../../ui/CodeBlock.js';
import { ConfirmByName } from '../../ui/ConfirmByName.js';
import { Form } from '../../ui/Form.js';
import { TextField } from '../../ui/TextField.js';
import { toast } from '../../ui/toast.js';
import { ProjectKey } from './ProjectKey.js';
import { RetentionRow } from './RetentionRow.js';
import { RETENTION_KINDS } from './retention-texts.js';
import { useRights } from './rights.js';
import { ChoiceRow, Row, Rows, useSettings } from './rows.js';
import { Fact, Reason, Section, SettingsPage } from './SettingsPage.js';
import { zoneOptions } from './zones.js';

const WEEK_STARTS = [
  { value: '0', label: 'Sunday' },
  { value: '1', label: 'Monday' },
] as const;

/** Of `query_staleness_seconds`; empty: as the service is configured. */
const STALENESS = [
  { value: '', label: 'As the service is set up' },
  { value: '0', label: 'Always current' },
  { value: '10', label: 'Up to 10 seconds old' },
  { value: '60', label: 'Up to a minute old' },
  { value: '300', label: 'Up to 5 minutes old' },
  { value: '3600', label: 'Up to an hour old' },
];

/** The choices, with one more for a value that was set through the API. */
const stalenessOptions = (value: string) =>
  STALENESS.some((one) => one.value === value) ? STALENESS : [...STALENESS, { value, label: `Up to ${value} seconds old` }];

/** Name, key, time zone, freshness and end of the project. */
export function ProjectScreen() {
  const { settings, refusal, set, change } = useSettings();
  const isReadOnly = refusal !== null;
  const staleness = String(settings.query_staleness_seconds ?? '');
  return (
    <SettingsPage title="General">
      {refusal && <Reason>{refusal}</Reason>}
      <Section title="Name">
        {isReadOnly ? (
          <dl>
            <Fact name="Project name">{settings.name}</Fact>
          </dl>
        ) : (
          <Form
            fields={['name']}
            submit="Save name"
            submitting="Saving…"
            onSubmit={async ({ name = '' }) => {
              await change({ name });
              toast(`The project is called “${name}” now.`);
            }}
          >
            <div className="max-w-[360px]">
              <TextField name="name" label="Project name" isRequired defaultValue={settings.name} />
            </div>
          </Form>
        )}
      </Section>
      <ProjectKey />
      <Section title="Days and weeks" lead="They decide at which event a day or week of a chart begins, for everybody.">
        <Rows>
          <ChoiceRow
            label="Time zone"
            help="Numbers by day change with it, also for the past."
            isReadOnly={isReadOnly}
            isLong
            options={zoneOptions(settings.timezone)}
            value={settings.timezone}
            onChange={(timezone) => set({ timezone })}
          />
          <ChoiceRow
            label="Weeks start on"
            isReadOnly={isReadOnly}
            options={WEEK_STARTS}
            value={settings.week_start_day === 1 ? '1' : '0'}
            onChange={(day) => set({ week_start_day: day === '1' ? 1 : 0 })}
          />
        </Rows>
      </Section>
      <Section
        title="Speed"
        lead="Numbers that take long to compute may be a little old, so that dashboards open at once while events arrive."
      >
        <Rows>
          <ChoiceRow
            label="Numbers are"
            help="Lists of events and SQL are always current."
            isReadOnly={isReadOnly}
            isLong
            options={stalenessOptions(staleness)}
            value={staleness}
            onChange={(seconds) => set({ query_staleness_seconds: seconds === '' ? null : Number(seconds) })}
          />
        </Rows>
      </Section>
      <RetentionSection />
      <Section title="For the API">
        <Rows>
          <Row label="Project number" help="It stands in addresses of the API and of this app.">
            <span className="flex items-center gap-2">
              <code className="font-mono text-12">{settings.id}</code>
              <CopyButton text={String(settings.id)} what="the project number" />
            </span>
          </Row>
        </Rows>
      </Section>
      <DeleteProject />
    </SettingsPage>
  );
}

function RetentionSection() {
  const { isProjectAdmin } = useRights();
  const lead = isProjectAdmin
    ? 'What is older is deleted for good. People, groups and definitions stay.'
    : 'What is older is deleted for good. Administrators of the project can limit events, exports and the activity log.';
  return (
    <Section title="Retention" lead={lead}>
      <Rows>
        {RETENTION_KINDS.map((kind) => (
          <RetentionRow key={kind} kind={kind} />
        ))}
      </Rows>
    </Section>
  );
}

function DeleteProject() {
  const { id, name } = useProject();
  const { isProjectAdmin } = useRights();
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  if (!isProjectAdmin) return null;
  return (
    <Section title="Delete this project" lead="Its events, people, recordings, dashboards and flags are deleted for good.">
      <Button kind="danger" onPress={() => setOpen(true)}>
        Delete project
      </Button>
      {isOpen && (
        <ConfirmByName
          title={`Delete “${name}”?`}
          consequence="Everything in the project is deleted for good, for everybody. Pages and apps with its key send into nothing, and public links stop."
          name={name}
          confirm="Delete project"
          confirming="Deleting…"
          onClose={() => setOpen(false)}
          onConfirm={async () => {
            await deleteProject(id);
            await navigate({ to: '/', replace: true });
            queries.clear();
            await navigate({ to: '/', replace: true });
          }}
        />
      )}
    </Section>
  );
}
