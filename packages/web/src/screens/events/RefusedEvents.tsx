import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { type IngestionWarning, warningsQuery } from '../../data/health.js';
import { explainWarning } from '../../query/refusal.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Panel } from '../../ui/Panel.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';

/** Warnings that are read at once. */
const PAGE = 50;
const DAY_MS = 24 * 60 * 60_000;

/** Says that events were refused or mended in the last 24 hours; nothing if there were none. */
export function RefusedButton({ onPress }: { onPress: () => void }) {
  const warnings = useQuery(warningsQuery(useProjectId(), PAGE)).data?.results ?? [];
  const since = Date.now() - DAY_MS;
  const count = warnings.filter(({ timestamp }) => Date.parse(timestamp) > since).length;
  if (count === 0) return null;
  return (
    <Button isSmall icon={<TriangleAlert size={14} aria-hidden className="text-warn" />} onPress={onPress}>
      {`${count}${count === PAGE ? ' or more' : ''} refused or mended`}
    </Button>
  );
}

/** Which events were refused or mended, why, and what to do. */
export function RefusedPanel({ onClose }: { onClose: () => void }) {
  const project = useProjectId();
  const warnings = useQuery(warningsQuery(project, PAGE));
  return (
    <Panel title="Refused and mended events" onClose={onClose}>
      {warnings.isPending && <Skeleton rows={6} />}
      {warnings.error && (
        <Fault title="The warnings could not be loaded" detail={warnings.error.message} onRetry={() => void warnings.refetch()} />
      )}
      {warnings.data?.results.length === 0 && (
        <Message icon={<CircleCheck size={16} aria-hidden className="text-good" />} title="No event was refused">
          An event that is too large or comes from the future is listed here with its cause.
        </Message>
      )}
      <ul className="-mx-4 divide-y divide-border" aria-label="Refused and mended events">
        {warnings.data?.results.map((warning) => (
          <WarningRow key={warning.id} warning={warning} />
        ))}
      </ul>
      {(warnings.data?.count ?? 0) > 0 && (
        <p className="pt-3 text-12">
          <Link to={`/p/${project}/settings/health` as string} className="text-accent-text">
            All of them, and how the service is
          </Link>
        </p>
      )}
    </Panel>
  );
}

function WarningRow({ warning }: { warning: IngestionWarning }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const { what, isLost, field, sample, advice, event, eventUuid, distinctId } = explainWarning(warning);
  const facts = [
    ['Event', event],
    ['Person', distinctId],
    ['Property', field],
    ['Sent', sample],
  ].filter(([, value]) => value !== null);
  const { event: name } = warning.details;
  return (
    <li className="grid gap-1.5 px-4 py-3">
      <p className="text-13 font-medium">{what}</p>
      <p className="flex items-center gap-2 text-12 text-text-3">
        <Badge kind={isLost ? 'bad' : 'warn'}>{isLost ? 'Not stored' : 'Stored'}</Badge>
        <Time at={warning.timestamp} zone={timezone} />
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-12">
        {facts.map(([term, value]) => (
          <div key={term} className="contents">
            <dt className="text-text-3">{term}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      {advice && <p className="text-12 text-text-2">{advice}</p>}
      {!isLost && eventUuid && typeof name === 'string' && (
        <Link
          to={`/p/${project}/events` as string}
          search={{ event: name, open: eventUuid } as never}
          className="text-12 text-accent-text"
        >
          See events of this name
        </Link>
      )}
    </li>
  );
}
