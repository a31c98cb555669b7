import { useInfiniteQuery } from '@tanstack/react-query';
import { Check, Plus, Trash2, TriangleAlert } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { type Flag, flagsQuery } from '../../data/flags.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { PopButton } from '../../ui/PopButton.js';
import { SearchList } from '../../ui/SearchList.js';
import { Segmented } from '../../ui/Segmented.js';
import { TextField } from '../../ui/TextField.js';
import { type ExperimentDraft, keyOfName, nextId, twoVariants, variantOf } from './draft.js';
import type { SetupEditorProps } from './setup-props.js';

const ROW = 'grid grid-cols-[minmax(0,1fr)_80px_28px] items-center gap-3 px-4 py-2';

/** The flag of the experiment, and how its variants are split. */
export function FlagAndVariants({ draft, faults, isNew, hasStarted, isReadOnly, edit }: SetupEditorProps) {
  const { variants } = draft;
  // the variants of an existing flag are those of the flag; a draft experiment may change them
  const isFixed = isReadOnly || hasStarted || (isNew && draft.isExistingFlag);
  const set = (id: number, change: { key?: string; percentage?: number }) =>
    edit({ variants: variants.map((one) => (one.id === id ? { ...one, ...change } : one)) });
  const spread = (list: ExperimentDraft['variants']) =>
    list.map((one, index) => ({
      ...one,
      percentage: Math.floor(100 / list.length) + (index < 100 % list.length ? 1 : 0),
    }));
  const add = () => {
    const key = ['control', 'test', ...'abcdefgh'].find((one) => variants.every((other) => other.key !== one)) ?? '';
    edit({ variants: spread([...variants, { id: nextId(variants), key, percentage: 0, rest: {} }]) });
  };
  return (
    <section aria-labelledby="variants" className="grid gap-2">
      <h2 id="variants" className="text-14 font-strong">
        Flag and variants
      </h2>
      {isNew && (
        <div className="flex flex-wrap items-end gap-3">
          <Segmented
            label="Flag"
            options={[
              { value: 'new', label: 'New flag' },
              { value: 'existing', label: 'Existing flag' },
            ]}
            value={draft.isExistingFlag ? 'existing' : 'new'}
            onChange={(next) =>
              edit(
                next === 'new'
                  ? { isExistingFlag: false, flagKey: keyOfName(draft.name), variants: twoVariants() }
                  : { isExistingFlag: true, flagKey: '', variants: [] },
              )
            }
          />
          {draft.isExistingFlag ? (
            <FlagPicker flagKey={draft.flagKey} onPick={(flag) => edit({ flagKey: flag.key, variants: variantsOf(flag) })} />
          ) : (
            <div className="w-72 max-w-full">
              <TextField
                label="Key of the flag"
                hideLabel
                isMono
                placeholder="one-page-checkout"
                value={draft.flagKey}
                error={draft.flagKey === '' ? null : faults.flagKey}
                onChange={(flagKey) => edit({ flagKey })}
              />
            </div>
          )}
        </div>
      )}
      {!isNew && <p className="font-mono text-12 text-text-2">{draft.flagKey}</p>}
      {variants.length > 0 && (
        <div className="rounded-l border border-border bg-surface shadow-card">
          <ul className="divide-y divide-border">
            {variants.map(({ id, key, percentage }, index) =>
              isFixed ? (
                <li key={id} className={ROW}>
                  <span className="font-mono text-12">{key}</span>
                  <span className="tnum text-right">{percentage}%</span>
                </li>
              ) : (
                <li key={id} className={ROW}>
                  <TextField
                    label={`Key of variant ${index + 1}`}
                    hideLabel
                    isMono
                    value={key}
                    onChange={(next) => set(id, { key: next })}
                  />
                  <TextField
                    label={`Percentage of variant ${index + 1}`}
                    hideLabel
                    inputMode="decimal"
                    value={String(percentage)}
                    onChange={(text) =>
                      /^\d{0,3}(\.\d{0,2})?$/.test(text) && set(id, { percentage: Math.min(100, Number(text)) })
                    }
                  />
                  {variants.length > 2 && (
                    <IconButton
                      isSmall
                      label={`Remove variant ${key || index + 1}`}
                      onPress={() => edit({ variants: spread(variants.filter((one) => one.id !== id)) })}
                    >
                      <Trash2 size={14} aria-hidden />
                    </IconButton>
                  )}
                </li>
              ),
            )}
          </ul>
          {!isFixed && (
            <div className="flex flex-wrap items-center gap-3 border-t border-border px-4 py-2">
              <span role="status" className="flex-1">
                {faults.split ? (
                  <Badge kind="bad" icon={<TriangleAlert size={12} aria-hidden />}>
                    {faults.split}
                  </Badge>
                ) : (
                  <Badge kind="good" icon={<Check size={12} aria-hidden />}>
                    Sums to 100%
                  </Badge>
                )}
              </span>
              {faults.split && (
                <Button isSmall onPress={() => edit({ variants: spread(variants) })}>
                  Split evenly
                </Button>
              )}
              <Button isSmall icon={<Plus size={14} aria-hidden />} onPress={add}>
                Add variant
              </Button>
            </div>
          )}
        </div>
      )}
      <p className="text-12 text-text-3">
        {hasStarted
          ? 'The variants are those at the start. Make the experiment a draft again to change them.'
          : isNew && !draft.isExistingFlag
            ? 'The flag is created with the experiment, and is off until the launch. The variant “control”, or else the first, is what the others are compared with.'
            : 'The variant “control”, or else the first, is what the others are compared with.'}
      </p>
    </section>
  );
}

const variantsOf = ({ filters }: Flag): ExperimentDraft['variants'] => {
  const { variants } = ((filters as Record<string, unknown>)['multivariate'] ?? {}) as { variants?: Record<string, unknown>[] };
  return (variants ?? []).map(variantOf);
};

function FlagPicker({ flagKey, onPick }: { flagKey: string; onPick: (flag: Flag) => void }) {
  const project = useProjectId();
  const [search, setSearch] = useState('');
  const found = useInfiniteQuery(flagsQuery(project, { search: useDeferredValue(search), type: 'multivariant' }));
  const flags = found.data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <PopButton label={flagKey || 'Choose a flag with variants'}>
      {(close) => (
        <SearchList<Flag>
          label="Search flags"
          groups={[{ id: 'flags', label: 'Flags with variants', items: flags }]}
          keyOf={({ id }) => String(id)}
          textOf={({ key }) => key}
          search={search}
          onSearch={setSearch}
          onPick={(flag) => {
            close();
            onPick(flag);
          }}
          empty={search === '' ? 'No flag has variants yet.' : `No flag with variants matches "${search}".`}
          isLoading={found.isFetching}
        />
      )}
    </PopButton>
  );
}
