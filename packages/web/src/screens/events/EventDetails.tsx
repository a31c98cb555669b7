import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import type { ListedEvent } from '../../data/events.js';
import { propertyName } from '../../query/property-name.js';
import { newQuestion } from '../../query/question.js';
import { buttonClass } from '../../ui/Button.js';
import { CodeBlock } from '../../ui/CodeBlock.js';
import { SearchField } from '../../ui/SearchField.js';
import { Segmented } from '../../ui/Segmented.js';

/** Everything that an event says, with what it is called for people and as it was sent. */
export function EventDetails({ event }: { event: ListedEvent }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const [view, setView] = useState<'table' | 'json'>('table');
  const [search, setSearch] = useState('');
  const insight = newQuestion('TrendsQuery', {
    kind: 'EventsNode',
    event: event.event,
    name: event.event,
    math: 'total',
    properties: [],
  });
  const facts: [string, unknown][] = [
    ['uuid', event.uuid],
    ['distinct_id', event.distinctId],
    ['timestamp', `${event.timestamp} (shown in ${timezone})`],
    ...Object.entries(event.properties).sort(([a], [b]) => a.localeCompare(b)),
  ];
  const needle = search.toLowerCase();
  const shown = facts.filter(([key, value]) => `${key} ${propertyName(key)} ${textOf(value)}`.toLowerCase().includes(needle));
  return (
    <div className="border-t border-border bg-sunken px-6 py-3 max-sm:px-4">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <div className="w-56">
          <SearchField label="Search properties" value={search} onChange={setSearch} />
        </div>
        <Segmented
          label="Form"
          options={[
            { value: 'table', label: 'Table' },
            { value: 'json', label: 'JSON' },
          ]}
          value={view}
          onChange={setView}
        />
        <span className="flex-1" />
        <Link
          to={`/p/${project}/insights/new` as string}
          search={{ q: JSON.stringify(insight) } as never}
          className={buttonClass('plain', true)}
        >
          Make an insight of this event
        </Link>
        {event.personId && (
          <Link to={`/p/${project}/persons/${event.personId}` as string} className={buttonClass('plain', true)}>
            Open person
          </Link>
        )}
      </div>
      {view === 'json' ? (
        <CodeBlock
          what="the event"
          code={JSON.stringify(
            { event: event.event, distinct_id: event.distinctId, timestamp: event.timestamp, properties: event.properties },
            null,
            2,
          )}
        />
      ) : (
        <dl className="grid grid-cols-[minmax(120px,240px)_minmax(0,1fr)] text-12">
          {shown.map(([key, value]) => (
            <div key={key} className="contents">
              <dt title={key} className="truncate border-b border-border py-1 pr-3 text-text-2">
                {propertyName(key)}
              </dt>
              <dd className="border-b border-border py-1 font-mono wrap-anywhere">{textOf(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {shown.length === 0 && <p className="py-2 text-12 text-text-3">No property matches.</p>}
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
