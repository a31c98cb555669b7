import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readableName } from '@tidemark/charts';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import {
  eventsWithPropertyQuery,
  propertyDefinitionQuery,
  propertyValuesQuery,
  updatePropertyDefinition,
} from '../../data/definitions.js';
import { propertyName } from '../../query/property-name.js';
import { Panel } from '../../ui/Panel.js';
import { Fault, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { DefinitionForm } from './DefinitionForm.js';
import { typeName } from './property-types.js';
import type { PropertyKind } from './route.js';

/** One property: its description and tags, its type and its values. */
export function PropertyPanel({ id, type, onClose }: { id: string; type: PropertyKind; onClose: () => void }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const mayEdit = useMayCreate('property_definition');
  const property = useQuery(propertyDefinitionQuery(project, id));
  const name = property.data?.name ?? '';
  const values = useQuery({
    ...propertyValuesQuery(project, type === 'person' ? 'person' : 'event', name, ''),
    enabled: name !== '' && type !== 'group',
  });
  const events = useQuery({ ...eventsWithPropertyQuery(project, name), enabled: name !== '' && type === 'event' });
  return (
    <Panel title={name ? propertyName(name) : 'Property'} onClose={onClose}>
      {property.isPending && <Skeleton rows={6} />}
      {property.error && (
        <Fault title="The property could not be loaded" detail={property.error.message} onRetry={() => void property.refetch()} />
      )}
      {property.data && (
        <div className="grid gap-5">
          <dl className="grid grid-cols-[110px_1fr] gap-y-1 text-13">
            <dt className="text-text-2">Sent as</dt>
            <dd className="font-mono text-12 wrap-anywhere">{name}</dd>
            <dt className="text-text-2">Values</dt>
            <dd>{typeName(property.data.property_type)}</dd>
            <dt className="text-text-2">First seen</dt>
            <dd>{property.data.created_at ? <Time at={property.data.created_at} zone={timezone} /> : 'Not known'}</dd>
            <dt className="text-text-2">Last seen</dt>
            <dd>{property.data.last_seen_at ? <Time at={property.data.last_seen_at} zone={timezone} /> : 'Never'}</dd>
          </dl>
          <DefinitionForm
            definition={property.data}
            mayEdit={mayEdit}
            onSave={(fields) => updatePropertyDefinition(project, id, fields)}
          />
          {type !== 'group' && (
            <section>
              <h3 className="border-b border-border pb-1 text-13 font-strong">Its most frequent values</h3>
              {values.isLoading && <Skeleton rows={4} />}
              {values.error && <p className="py-2 text-13 text-bad">{values.error.message}</p>}
              {values.data?.length === 0 && <p className="py-2 text-13 text-text-2">No value is stored now.</p>}
              <ul className="divide-y divide-border">
                {values.data?.slice(0, 20).map(({ name: value, count }) => (
                  <li key={value} className="flex items-center gap-2 py-1.5 text-13">
                    <span className="min-w-0 flex-1 truncate" title={value}>
                      {value}
                    </span>
                    <span className="tnum text-12 text-text-3">{count.toLocaleString('en')}</span>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {type === 'event' && (
            <section>
              <h3 className="border-b border-border pb-1 text-13 font-strong">Events that have it</h3>
              {events.isLoading && <Skeleton rows={3} />}
              {events.error && <p className="py-2 text-13 text-bad">{events.error.message}</p>}
              {events.data?.length === 0 && <p className="py-2 text-13 text-text-2">None of the 100 most frequent.</p>}
              <ul className="divide-y divide-border">
                {events.data?.map((event) => (
                  <li key={event.id} className="py-1.5 text-13">
                    <Link to={`/p/${project}/definitions` as string} search={{ open: event.id } as never}>
                      {readableName(event.name)}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          )}
        </div>
      )}
    </Panel>
  );
}
