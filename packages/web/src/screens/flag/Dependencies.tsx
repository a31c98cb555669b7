import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Flag as FlagIcon, X } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { type Flag, flagQuery, flagsQuery } from '../../data/flags.js';
import { IconButton } from '../../ui/IconButton.js';
import { PopButton } from '../../ui/PopButton.js';
import { SearchList } from '../../ui/SearchList.js';
import { Select } from '../../ui/Select.js';
import { type Dependency, draftOf } from './draft.js';

export interface DependenciesProps {
  dependencies: readonly Dependency[];
  ownId: number | null;
  onChange: (dependencies: Dependency[]) => void;
}

/** The values of other flags that a condition requires. */
export const Dependencies = ({ dependencies, ownId, onChange }: DependenciesProps) => (
  <>
    {dependencies.map((one, index) => (
      <Chip
        // biome-ignore lint/suspicious/noArrayIndexKey: two may require the same flag
        key={index}
        dependency={one}
        onChange={(next) => onChange(dependencies.toSpliced(index, 1, next))}
        onRemove={() => onChange(dependencies.toSpliced(index, 1))}
      />
    ))}
    <PopButton label="Flag" icon={<FlagIcon size={14} aria-hidden />}>
      {(close) => (
        <FlagList
          ownId={ownId}
          onPick={({ id }) => {
            close();
            onChange([...dependencies, { flag: String(id), value: true }]);
          }}
        />
      )}
    </PopButton>
  </>
);

interface ChipProps {
  dependency: Dependency;
  onChange: (dependency: Dependency) => void;
  onRemove: () => void;
}

function Chip({ dependency: { flag, value }, onChange, onRemove }: ChipProps) {
  const project = useProjectId();
  const { data } = useQuery(flagQuery(project, Number(flag)));
  const name = data?.key ?? `Flag ${flag}`;
  const variants = data ? draftOf(data).variants.map(({ key }) => key) : [];
  const known = typeof value === 'string' && !variants.includes(value) ? [...variants, value] : variants;
  return (
    <span className="inline-flex h-7 items-center gap-1 rounded-m border border-border-strong bg-surface pl-2 text-12 pointer-coarse:h-11">
      <FlagIcon size={12} aria-hidden className="text-text-3" />
      <span className="font-mono font-medium">{name}</span>
      <div className="w-24">
        <Select
          label={`Value of ${name}`}
          hideLabel
          isSmall
          value={value === true ? 'is on' : value === false ? 'is off' : `= ${value}`}
          options={[
            { value: 'is on', label: 'is on' },
            { value: 'is off', label: 'is off' },
            ...known.map((key) => ({ value: `= ${key}`, label: key })),
          ]}
          onChange={(text) => onChange({ flag, value: text === 'is on' ? true : text === 'is off' ? false : text.slice(2) })}
        />
      </div>
      <IconButton isSmall label={`Remove the dependency on ${name}`} onPress={onRemove}>
        <X size={12} aria-hidden />
      </IconButton>
    </span>
  );
}

function FlagList({ ownId, onPick }: { ownId: number | null; onPick: (flag: Flag) => void }) {
  const project = useProjectId();
  const [search, setSearch] = useState('');
  const filter = useDeferredValue(search);
  const found = useInfiniteQuery(flagsQuery(project, filter ? { search: filter } : {}));
  const flags = (found.data?.pages[0]?.results ?? []).filter(({ id }) => id !== ownId).slice(0, 100);
  return (
    <SearchList<Flag>
      label="Search flags"
      groups={[{ id: 'flags', items: flags }]}
      keyOf={({ id }) => String(id)}
      textOf={({ key }) => key}
      render={({ key, name }) => (
        <>
          <code className="truncate font-mono text-12">{key}</code>
          <span className="min-w-0 flex-1 truncate text-11 text-text-3">{name}</span>
        </>
      )}
      search={search}
      onSearch={setSearch}
      onPick={onPick}
      empty={search ? `No other flag matches "${search}".` : 'There is no other flag.'}
      isLoading={found.isFetching}
    />
  );
}
