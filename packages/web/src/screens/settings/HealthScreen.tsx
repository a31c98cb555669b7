import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { healthQuery, warningsQuery } from '../../data/health.js';
import { preflightQuery } from '../../data/session.js';
import { explainWarning } from '../../query/refusal.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { bytesText, ingestText, readsText } from './health-texts.js';
import { Row, Rows } from './rows.js';
import { Section, SettingsPage } from './SettingsPage.js';
import { SpaceSection } from './SpaceSection.js';
import { HEAD, ROW, TABLE } from './table.js';

/** How the service is, and which events of the project were refused. */
export function HealthScreen() {
  return (
    <SettingsPage title="Health">
      <ServiceHealth />
      <ServiceSpace />
      <Warnings />
    </SettingsPage>
  );
}

const Good = ({ children }: { children: string }) => (
  <Badge kind="good" icon={<CircleCheck size={12} aria-hidden />}>
    {children}
  </Badge>
);
const Bad = ({ children }: { children: string }) => (
  <Badge kind="bad" icon={<CircleAlert size={12} aria-hidden />}>
    {children}
  </Badge>
);
const Warn = ({ children }: { children: string }) => (
  <Badge kind="warn" icon={<TriangleAlert size={12} aria-hidden />}>
    {children}
  </Badge>
);

function ServiceHealth() {
  const health = useQuery(healthQuery);
  const preflight = useQuery(preflightQuery);
  if (!health.data)
    return (
      <Card>
        {health.error ? (
          <Fault title="The service does not say how it is" detail={health.error.message} onRetry={() => void health.refetch()} />
        ) : (
          <Skeleton rows={5} />
        )}
      </Card>
    );
  const { status, version, stores, disk, ingest, reads } = health.data;
  const lead = {
    ok: 'All is well.',
    full: 'A disk is full: new events are refused until there is space. SDKs keep theirs and send them later.',
    unavailable: 'A store does not answer. SDKs keep their events and send them later.',
  }[status];
  return (
    <Section title={`Tidemark ${version}`} lead={`${lead} Read every five seconds from /_health.`}>
      {health.error && (
        <p role="alert" className="mb-4 rounded-m bg-bad-soft px-3 py-2 text-13 text-bad">
          The service does not answer now. These are the last values.
        </p>
      )}
      <Rows>
        <Row
          label="PostgreSQL"
          help={`Accounts, dashboards, flags. ${stores.postgres.version ? `Version ${stores.postgres.version}.` : ''}`}
        >
          {stores.postgres.ok ? <Good>Answers</Good> : <Bad>Does not answer</Bad>}
        </Row>
        <Row
          label="ClickHouse"
          help={`Events, people, recordings. ${stores.events.version ? `Version ${stores.events.version}.` : ''}`}
        >
          {stores.events.ok ? <Good>Answers</Good> : <Bad>Does not answer</Bad>}
        </Row>
        <Row label="Disk" help="Free space of the data directory. Below 32 MiB, new events are refused.">
          <span className="flex items-center gap-2">
            <span className="tnum">
              {disk.free_bytes === null ? 'The data is on other servers' : `${bytesText(disk.free_bytes)} free`}
            </span>
            {disk.ok ? <Good>Enough</Good> : <Bad>Full</Bad>}
          </span>
        </Row>
        <Row label="Event capture" help="How long the oldest event waits for the store. A second or two is normal under load.">
          <span className="flex items-center gap-2">
            <span className="tnum">{ingestText(ingest)}</span>
            {ingest.refusing ? (
              <Bad>{ingest.refusing === 'full' ? 'Refused: disk full' : 'Refused: no store'}</Bad>
            ) : ingest.lag_seconds > 10 ? (
              <Warn>Behind</Warn>
            ) : (
              <Good>Up to date</Good>
            )}
          </span>
        </Row>
        <Row
          label="Queries now"
          help="Questions at a screen go first. Exports, and results that are renewed before they are too old, take two places at most."
        >
          <span className="tnum">{readsText(reads)}</span>
        </Row>
        {preflight.data && (
          <Row label="New accounts" help="TIDEMARK_OPEN_SIGNUP decides.">
            {preflight.data.can_create_org ? 'Anybody may sign up' : 'By invite only'}
          </Row>
        )}
      </Rows>
    </Section>
  );
}

/** What takes space, which the service tells its users alone. */
function ServiceSpace() {
  const { data } = useQuery(healthQuery);
  return data?.space === undefined ? null : <SpaceSection space={data.space} />;
}

const PAGE = 50;

function Warnings() {
  const id = useProjectId();
  const { name, timezone } = useProject();
  const [limit, setLimit] = useState(PAGE);
  const warnings = useQuery(warningsQuery(id, limit));
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-2">
        <h2 className="text-14 font-strong">Refused and mended events</h2>
        <p className="text-12 text-text-3">Of {name}, newest first. Equal ones are listed once a minute.</p>
      </div>
      <Card className="overflow-hidden">
        {!warnings.data ? (
          warnings.error ? (
            <Fault
              title="The warnings could not be loaded"
              detail={warnings.error.message}
              onRetry={() => void warnings.refetch()}
            />
          ) : (
            <Skeleton rows={3} />
          )
        ) : warnings.data.results.length === 0 ? (
          <Message icon={<CircleCheck size={16} aria-hidden className="text-good" />} title="No event was refused">
            An event that is too large, comes from the future or names a person in a way that cannot be is listed here with its
            cause.
          </Message>
        ) : (
          <>
            <table className={TABLE}>
              <thead>
                <tr className={HEAD}>
                  <th>What happened</th>
                  <th className="max-sm:hidden">Details</th>
                  <th className="text-right">When</th>
                </tr>
              </thead>
              <tbody>
                {warnings.data.results.map((warning) => (
                  <tr key={warning.id} className={ROW}>
                    <th scope="row" className="align-top">
                      <span className="block font-medium">{explainWarning(warning).what}</span>
                      <span className="block text-12 font-normal text-text-2">{explainWarning(warning).advice}</span>
                      <code className="font-mono text-11 text-text-3">{warning.type}</code>
                      <Details of={warning.details} className="sm:hidden" />
                    </th>
                    <td className="align-top max-sm:hidden">
                      <Details of={warning.details} />
                    </td>
                    <td className="text-right align-top">
                      <Time at={warning.timestamp} zone={timezone} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {warnings.data.count > warnings.data.results.length && limit < 1_000 && (
              <div className="flex items-center gap-3 border-t border-border px-4 py-2">
                <Button isSmall onPress={() => setLimit(limit + PAGE)}>
                  Show more
                </Button>
                <span className="tnum text-12 text-text-3">
                  {warnings.data.results.length} of {warnings.data.count}
                </span>
              </div>
            )}
          </>
        )}
      </Card>
    </section>
  );
}

const Details = ({ of, className }: { of: Record<string, unknown>; className?: string }) => (
  <ul className={className}>
    {Object.entries(of).map(([name, value]) => (
      <li key={name} className="text-12 wrap-anywhere">
        <span className="text-text-3">{name}</span> {typeof value === 'string' ? value : JSON.stringify(value)}
      </li>
    ))}
  </ul>
);
