import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useProjectId } from '../app/project-context.js';
import { propertyValuesQuery } from '../data/definitions.js';
import { takesOf } from '../query/filter-text.js';
import type { Filter } from '../query/question.js';
import { SearchList } from '../ui/SearchList.js';
import { TextField } from '../ui/TextField.js';

interface Value {
  name: string;
  count: number | null;
}

/** Edits the value of a filter: a list with completion, a text, a number or a date, as the operator takes it. */
export function FilterValueEditor({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const takes = takesOf(filter.operator);
  if (takes === 'many') return <ValueList filter={filter} onChange={onChange} />;
  const type = takes === 'number' ? 'number' : takes === 'date' ? 'date' : 'text';
  return (
    <div className="w-56 p-1">
      <TextField
        label="Value"
        hideLabel
        autoFocus
        type={type}
        value={filter.value === null || filter.value === undefined ? '' : String(filter.value)}
        onChange={(text) => onChange({ ...filter, value: takes === 'number' && text !== '' ? Number(text) : text })}
      />
    </div>
  );
}

function ValueList({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const project = useProjectId();
  const [search, setSearch] = useState('');
  const type = filter.type === 'person' ? 'person' : 'event';
  // values of groups are typed: the API completes those of events and people
  const values = propertyValuesQuery(project, type, filter.key, useDeferredValue(search));
  const found = useQuery({ ...values, enabled: filter.key !== '' && filter.type !== 'group' });
  const selected = Array.isArray(filter.value) ? filter.value.map(String) : [];
  const unselected: Value[] = (found.data ?? []).filter(({ name }) => !selected.includes(name));
  const isNew = search !== '' && !selected.includes(search) && !unselected.some(({ name }) => name === search);
  const toggle = (name: string) =>
    onChange({ ...filter, value: selected.includes(name) ? selected.filter((one) => one !== name) : [...selected, name] });
  return (
    <SearchList<Value>
      label="Search or type a value"
      groups={[
        { id: 'selected', items: selected.filter((name) => name.includes(search)).map((name) => ({ name, count: null })) },
        { id: 'found', items: unselected },
        { id: 'new', items: isNew ? [{ name: search, count: null }] : [] },
      ]}
      keyOf={({ name }) => `v:${name}`}
      textOf={({ name }) => name}
      render={({ name, count }) => (
        <>
          <Check size={14} aria-hidden className={selected.includes(name) ? 'text-accent' : 'invisible'} />
          <span className="min-w-0 flex-1 truncate">
            {isNew && name === search && !selected.includes(name) ? `Use "${name}"` : name}
            {selected.includes(name) && <span className="sr-only"> (selected)</span>}
          </span>
          {count !== null && <span className="tnum text-11 text-text-3">{count.toLocaleString('en')}</span>}
        </>
      )}
      search={search}
      onSearch={setSearch}
      onPick={({ name }) => toggle(name)}
      empty="No value has come in yet."
      isLoading={found.isFetching}
    />
  );
}
