import { useQuery } from '@tanstack/react-query';
import { readableName } from '@tidemark/charts';
import { ChevronDown } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { Button, DialogTrigger } from 'react-aria-components';
import { useProjectId } from '../app/project-context.js';
import { eventNamesQuery } from '../data/definitions.js';
import { classNames } from '../ui/class-names.js';
import { INPUT } from '../ui/field-parts.js';
import { Pop } from '../ui/Pop.js';
import { SearchList } from '../ui/SearchList.js';
import { Time } from '../ui/Time.js';

export interface EventPickerProps {
  /** Name of the event; null: every event. */
  event: string | null;
  onChange: (event: string | null) => void;
  /** Whether "Any event" can be chosen. Default: true. */
  hasAny?: boolean;
  label?: string;
}

/** A control that chooses an event by its name, with search and when each was last seen. */
export function EventPicker({ event, onChange, hasAny = true, label = 'Event' }: EventPickerProps) {
  const [isOpen, setOpen] = useState(false);
  const text = event === null ? 'Any event' : readableName(event);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button aria-label={`${label}: ${text}`} className={classNames(INPUT, 'flex items-center gap-2 text-left')}>
        <span className="min-w-0 flex-1 truncate font-medium">{text}</span>
        <ChevronDown size={14} aria-hidden className="shrink-0 text-text-3" />
      </Button>
      <Pop>
        <EventList
          hasAny={hasAny}
          onPick={(name) => {
            setOpen(false);
            onChange(name);
          }}
        />
      </Pop>
    </DialogTrigger>
  );
}

interface Found {
  name: string | null;
  lastSeen: string | null;
}

/** The searchable list of events. */
export function EventList({ hasAny, onPick }: { hasAny: boolean; onPick: (name: string | null) => void }) {
  const project = useProjectId();
  const [search, setSearch] = useState('');
  const found = useQuery(eventNamesQuery(project, useDeferredValue(search)));
  const events: Found[] = (found.data?.results ?? []).map(({ name, last_seen_at }) => ({ name, lastSeen: last_seen_at }));
  const groups = [
    { id: 'any', items: hasAny && search === '' ? [{ name: null, lastSeen: null }] : [] },
    { id: 'events', label: 'Events', items: events },
  ];
  return (
    <SearchList<Found>
      label="Search events"
      groups={groups}
      keyOf={({ name }) => (name === null ? 'any' : `e:${name}`)}
      textOf={({ name }) => (name === null ? 'Any event' : readableName(name))}
      render={({ name, lastSeen }) => (
        <>
          <span className="min-w-0 flex-1 truncate">{name === null ? 'Any event' : readableName(name)}</span>
          {lastSeen && (
            <span className="text-11 text-text-3">
              <Time at={lastSeen} />
            </span>
          )}
        </>
      )}
      search={search}
      onSearch={setSearch}
      onPick={({ name }) => onPick(name)}
      empty={search === '' ? 'No event has come in yet.' : `No event is called "${search}".`}
      isLoading={found.isFetching}
    />
  );
}
