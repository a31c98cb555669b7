import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useProjectId } from '../app/project-context.js';
import { cohortsQuery, groupPropertyNamesQuery, propertyNamesQuery } from '../data/definitions.js';
import { propertyName } from '../query/property-name.js';
import type { FilterType } from '../query/question.js';
import { SearchList } from '../ui/SearchList.js';

/** A property or cohort to filter or break down by. A cohort has its number as key. */
export interface PickedProperty {
  type: FilterType;
  key: string;
  label: string;
}

/** What can be filtered by: properties of events, of people, of groups, cohorts. */
export type PropertySource = 'event' | 'person' | 'group' | 'cohort';

export interface PropertyListProps {
  sources: readonly PropertySource[];
  /** Properties seen with these events come first. */
  eventNames?: readonly string[];
  /** Index of the type of groups for the source `group`. */
  groupType?: number | null;
  onPick: (property: PickedProperty) => void;
}

const HEADINGS = { event: 'Of the event', person: 'Of the person', group: 'Of the group', cohort: 'Cohorts' };

/** The searchable list of properties and cohorts. */
export function PropertyList({ sources, eventNames = [], groupType = null, onPick }: PropertyListProps) {
  const project = useProjectId();
  const [search, setSearch] = useState('');
  const deferred = useDeferredValue(search);
  const event = useQuery({ ...propertyNamesQuery(project, 'event', deferred, eventNames), enabled: sources.includes('event') });
  const person = useQuery({ ...propertyNamesQuery(project, 'person', deferred), enabled: sources.includes('person') });
  const group = useQuery({ ...groupPropertyNamesQuery(project, groupType ?? 0, deferred), enabled: sources.includes('group') });
  const cohorts = useQuery({ ...cohortsQuery(project), enabled: sources.includes('cohort') });
  const found: Record<PropertySource, PickedProperty[]> = {
    event: (event.data?.results ?? []).map(({ name }) => ({ type: 'event', key: name, label: propertyName(name) })),
    person: (person.data?.results ?? []).map(({ name }) => ({ type: 'person', key: name, label: propertyName(name) })),
    group: (group.data?.results ?? []).map(({ name }) => ({ type: 'group', key: name, label: propertyName(name) })),
    cohort: (cohorts.data?.results ?? [])
      .filter(({ name }) => (name ?? '').toLowerCase().includes(deferred.toLowerCase()))
      .map(({ id, name }) => ({ type: 'cohort', key: String(id), label: name ?? `Cohort ${id}` })),
  };
  return (
    <SearchList<PickedProperty>
      label="Search properties"
      groups={sources.map((source) => ({ id: source, label: HEADINGS[source], items: found[source] }))}
      keyOf={({ type, key }) => `${type}:${key}`}
      textOf={({ label }) => label}
      render={({ label, key }) => (
        <>
          <span className="min-w-0 flex-1 truncate">{label}</span>
          {label !== key && !/^\d+$/.test(key) && <code className="truncate font-mono text-11 text-text-3">{key}</code>}
        </>
      )}
      search={search}
      onSearch={setSearch}
      onPick={onPick}
      empty={search === '' ? 'No property has come in yet.' : `No property is called "${search}".`}
      isLoading={event.isFetching || person.isFetching || group.isFetching}
    />
  );
}
