import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readableName } from '@tidemark/charts';
import { ChartLine } from 'lucide-react';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { eventDefinitionQuery, propertiesOfEventQuery, updateEventDefinition } from '../../data/definitions.js';
import { propertyName } from '../../query/property-name.js';
import { newQuestion } from '../../query/question.js';
import { buttonClass } from '../../ui/Button.js';
import { Panel } from '../../ui/Panel.js';
import { Fault, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { DefinitionForm } from './DefinitionForm.js';
import { typeName } from './property-types.js';

/** One event: its description and tags, its volume and its properties. */
export function EventPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const mayEdit = useMayCreate('event_definition');
  const event = useQuery(eventDefinitionQuery(project, id));
  const name = event.data?.name ?? '';
  const properties = useQuery({ ...propertiesOfEventQuery(project, name), enabled: name !== '' });
  const insight = newQuestion('TrendsQuery', { kind: 'EventsNode', event: name, name, math: 'total' });
  return (
    <Panel title={name ? readableName(name) : 'Event'} onClose={onClose}>
      {event.isPending && <Skeleton rows={6} />}
      {event.error && (
        <Fault title="The event could not be loaded" detail={event.error.message} onRetry={() => void event.refetch()} />
      )}
      {event.data && (
        <div className="grid gap-5">
          <div className="flex flex-wrap gap-2">
            <Link
              to={`/p/${project}/insights/new` as string}
              search={{ q: JSON.stringify(insight) } as never}
              className={buttonClass()}
            >
              <ChartLine size={14} aria-hidden />
              Make an insight of it
            </Link>
            <Link to={`/p/${project}/events` as string} search={{ event: name } as never} className={buttonClass('quiet')}>
              See these events
            </Link>
          </div>
          <dl className="grid grid-cols-[110px_1fr] gap-y-1 text-13">
            <dt className="text-text-2">Sent as</dt>
            <dd className="font-mono text-12 wrap-anywhere">{name}</dd>
            <dt className="text-text-2">Last 30 days</dt>
            <dd className="tnum">{event.data.volume_30_day?.toLocaleString('en') ?? 'Not known now'}</dd>
            <dt className="text-text-2">First seen</dt>
            <dd>{event.data.created_at ? <Time at={event.data.created_at} zone={timezone} /> : 'Not known'}</dd>
            <dt className="text-text-2">Last seen</dt>
            <dd>{event.data.last_seen_at ? <Time at={event.data.last_seen_at} zone={timezone} /> : 'Never'}</dd>
          </dl>
          <DefinitionForm
            definition={event.data}
            mayEdit={mayEdit}
            onSave={(fields) => updateEventDefinition(project, id, fields)}
          />
          <section>
            <h3 className="border-b border-border pb-1 text-13 font-strong">Its properties</h3>
            {properties.isLoading && <Skeleton rows={4} />}
            {properties.error && <p className="py-2 text-13 text-bad">{properties.error.message}</p>}
            {properties.data?.results.length === 0 && <p className="py-2 text-13 text-text-2">It has none.</p>}
            <ul className="divide-y divide-border">
              {properties.data?.results.map((one) => (
                <li key={one.id} className="flex items-center gap-2 py-1.5 text-13">
                  <Link
                    to={`/p/${project}/definitions` as string}
                    search={{ of: 'event', open: one.id } as never}
                    className="min-w-0 flex-1 truncate"
                    title={one.name}
                  >
                    {propertyName(one.name)}
                  </Link>
                  <span className="text-12 text-text-3">{typeName(one.property_type)}</span>
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
    </Panel>
  );
}
