import { Check, Plus, Trash2, TriangleAlert } from 'lucide-react';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { TextField } from '../../ui/TextField.js';
import { type DraftFaults, evenSplit, type FlagDraft, nextId, type Variant } from './draft.js';
import { PercentField } from './PercentField.js';
import { variantColors } from './variant-colors.js';

export interface PartProps {
  draft: FlagDraft;
  faults: DraftFaults;
  isReadOnly: boolean;
  edit: (change: Partial<FlagDraft>) => void;
}

const COLUMNS =
  'grid grid-cols-[8px_minmax(0,3fr)_minmax(0,4fr)_72px_minmax(0,5fr)_28px] items-start gap-3 px-4 max-sm:grid-cols-[8px_minmax(0,1fr)_72px_28px]';

/** The variants with their split and payloads. */
export function Variants({ draft, faults, isReadOnly, edit }: PartProps) {
  const { variants } = draft;
  const colors = variantColors(variants.map(({ key }) => key));
  const set = (next: Variant[]) => edit({ variants: next });
  const change = (id: number, next: Partial<Variant>) => {
    const old = variants.find((one) => one.id === id);
    const isRenamed = next.key !== undefined && old !== undefined;
    edit({
      variants: variants.map((one) => (one.id === id ? { ...one, ...next } : one)),
      // conditions that give the variant follow its name
      ...(isRenamed && {
        conditions: draft.conditions.map((one) => (one.variant === old.key ? { ...one, variant: next.key ?? null } : one)),
      }),
    });
  };
  const add = () => {
    const key = ['control', 'test', ...'abcdefgh'].find((one) => variants.every((other) => other.key !== one)) ?? '';
    const fresh: Variant = { id: nextId(variants), key, name: '', percentage: 0, payload: '', rest: {} };
    // the first variant makes it a flag with variants: two share it
    const pair = [fresh, { ...fresh, id: fresh.id + 1, key: 'test' }];
    set(variants.length === 0 ? pair.map((one) => ({ ...one, percentage: 50 })) : [...variants, fresh]);
  };
  const remove = ({ id, key }: Variant) =>
    edit({
      variants: variants.filter((one) => one.id !== id),
      conditions: draft.conditions.map((one) => (one.variant === key ? { ...one, variant: null } : one)),
    });
  const spread = () => {
    const shares = evenSplit(variants.length);
    set(variants.map((one, index) => ({ ...one, percentage: shares[index] ?? 0 })));
  };
  const addButton = !isReadOnly && (
    <Button isSmall icon={<Plus size={14} aria-hidden />} onPress={add}>
      {variants.length === 0 ? 'Add variants' : 'Add variant'}
    </Button>
  );
  return (
    <section aria-labelledby="variants">
      <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id="variants" className="text-14 font-strong">
          Variants
        </h2>
        <span className="min-w-0 flex-1 text-12 text-text-2 max-sm:basis-full">
          {variants.length === 0 ? 'Without variants, the flag is on or off' : 'Everybody for whom the flag is on gets one'}
        </span>
        {variants.length === 0 && addButton}
      </div>
      {variants.length > 0 && (
        <div className="rounded-l border border-border bg-surface shadow-card">
          <div
            aria-hidden
            className={`${COLUMNS} h-9 items-center! border-b border-border text-12 font-medium text-text-3 max-sm:hidden`}
          >
            <span />
            <span>Key</span>
            <span>Description</span>
            <span>Split %</span>
            <span>Payload</span>
          </div>
          <ul className="divide-y divide-border">
            {variants.map((variant, index) => {
              const fault = faults.variants.get(variant.id);
              return (
                <li key={variant.id} className={`${COLUMNS} py-2`}>
                  <span aria-hidden className={`mt-3 size-2 rounded-full ${colors[index]}`} />
                  <TextField
                    label={`Key of variant ${index + 1}`}
                    hideLabel
                    isMono
                    isReadOnly={isReadOnly}
                    value={variant.key}
                    error={fault?.key ?? null}
                    onChange={(key) => change(variant.id, { key })}
                  />
                  <div className="max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-2">
                    <TextField
                      label={`Description of variant ${index + 1}`}
                      hideLabel
                      placeholder="If you like"
                      isReadOnly={isReadOnly}
                      value={variant.name}
                      onChange={(name) => change(variant.id, { name })}
                    />
                  </div>
                  <PercentField
                    label={`Percentage of variant ${index + 1}`}
                    isReadOnly={isReadOnly}
                    value={variant.percentage}
                    onChange={(percentage) => change(variant.id, { percentage })}
                  />
                  <div className="max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-3">
                    <TextField
                      label={`Payload of variant ${index + 1}`}
                      hideLabel
                      isMono
                      placeholder='{"color": "red"}'
                      isReadOnly={isReadOnly}
                      value={variant.payload}
                      error={fault?.payload ?? null}
                      onChange={(payload) => change(variant.id, { payload })}
                    />
                  </div>
                  {!isReadOnly && (
                    <IconButton isSmall label={`Remove variant ${variant.key || index + 1}`} onPress={() => remove(variant)}>
                      <Trash2 size={14} aria-hidden />
                    </IconButton>
                  )}
                </li>
              );
            })}
          </ul>
          <div className="flex flex-wrap items-center gap-3 border-t border-border px-4 py-2">
            <span aria-hidden className="flex h-2 min-w-24 flex-1 gap-px overflow-hidden rounded-full bg-sunken">
              {variants.map(({ id, percentage }, index) => (
                <span key={id} className={colors[index]} style={{ width: `${percentage}%` }} />
              ))}
            </span>
            <span role="status">
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
            {faults.split && !isReadOnly && (
              <Button isSmall onPress={spread}>
                Split evenly
              </Button>
            )}
            {addButton}
          </div>
        </div>
      )}
    </section>
  );
}

/** The payload of a flag without variants. */
export const Payload = ({ draft, faults, isReadOnly, edit }: PartProps) => (
  <TextField
    label="Payload"
    isMono
    rows={2}
    placeholder='{"color": "red"}'
    help="JSON that code gets with the value, if you like"
    isReadOnly={isReadOnly}
    value={draft.payload}
    error={faults.payload}
    onChange={(payload) => edit({ payload })}
  />
);
