import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { type Flag, flagsQuery } from '../../data/flags.js';
import { PopButton } from '../../ui/PopButton.js';
import { SearchList } from '../../ui/SearchList.js';
import { Segmented } from '../../ui/Segmented.js';
import { TextField } from '../../ui/TextField.js';
import { VariantList } from '../../variants/VariantList.js';
import { nextVariantKey, splitEvenly } from '../../variants/variant-list.js';
import { type ExperimentDraft, keyOfName, nextId, twoVariants, variantOf } from './draft.js';
import type { SetupEditorProps } from './setup-props.js';

/** The flag of the experiment, and how its variants are split. */
export function FlagAndVariants({ draft, faults, isNew, hasStarted, isReadOnly, edit }: SetupEditorProps) {
  const { variants } = draft;
  // the variants of an existing flag are those of the flag; a draft experiment may change them
  const isFixed = isReadOnly || hasStarted || (isNew && draft.isExistingFlag);
  const add = () => {
    const fresh = { id: nextId(variants), key: nextVariantKey(variants), percentage: 0, rest: {} };
    edit({ variants: splitEvenly([...variants, fresh]) });
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
        <VariantList
          variants={variants}
          fault={faults.split}
          isReadOnly={isFixed}
          fewest={2}
          onChange={({ id }, change) => edit({ variants: variants.map((one) => (one.id === id ? { ...one, ...change } : one)) })}
          onRemove={({ id }) => edit({ variants: splitEvenly(variants.filter((one) => one.id !== id)) })}
          onSplit={() => edit({ variants: splitEvenly(variants) })}
          onAdd={add}
        />
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
