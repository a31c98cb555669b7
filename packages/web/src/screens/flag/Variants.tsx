import { TextField } from '../../ui/TextField.js';
import { AddVariants, VariantList } from '../../variants/VariantList.js';
import { nextVariantKey, splitEvenly } from '../../variants/variant-list.js';
import { type DraftFaults, type FlagDraft, nextId, type Variant } from './draft.js';

export interface PartProps {
  draft: FlagDraft;
  faults: DraftFaults;
  isReadOnly: boolean;
  edit: (change: Partial<FlagDraft>) => void;
}

/** The variants with their split and payloads. */
export function Variants({ draft, faults, isReadOnly, edit }: PartProps) {
  const { variants } = draft;
  const change = (old: Variant, next: Partial<Variant>) =>
    edit({
      variants: variants.map((one) => (one.id === old.id ? { ...one, ...next } : one)),
      // conditions that give the variant follow its name
      ...(next.key !== undefined && {
        conditions: draft.conditions.map((one) => (one.variant === old.key ? { ...one, variant: next.key ?? null } : one)),
      }),
    });
  const add = () => {
    const key = nextVariantKey(variants);
    const fresh: Variant = { id: nextId(variants), key, name: '', percentage: 0, payload: '', rest: {} };
    // the first variant makes it a flag with variants: two share it
    const pair = [fresh, { ...fresh, id: fresh.id + 1, key: 'test' }];
    edit({ variants: variants.length === 0 ? splitEvenly(pair) : [...variants, fresh] });
  };
  const remove = ({ id, key }: Variant) =>
    edit({
      variants: variants.filter((one) => one.id !== id),
      conditions: draft.conditions.map((one) => (one.variant === key ? { ...one, variant: null } : one)),
    });
  return (
    <section aria-labelledby="variants">
      <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id="variants" className="text-14 font-strong">
          Variants
        </h2>
        <span className="min-w-0 flex-1 text-12 text-text-2 max-sm:basis-full">
          {variants.length === 0 ? 'Without variants, the flag is on or off' : 'Everybody for whom the flag is on gets one'}
        </span>
        {variants.length === 0 && !isReadOnly && <AddVariants onPress={add}>Add variants</AddVariants>}
      </div>
      {variants.length > 0 && (
        <VariantList
          variants={variants}
          fault={faults.split}
          keyFaultOf={({ id }) => faults.variants.get(id)?.key ?? null}
          isReadOnly={isReadOnly}
          onChange={change}
          onRemove={remove}
          onSplit={() => edit({ variants: splitEvenly(variants) })}
          onAdd={add}
          details={{
            description: (variant, index) => (
              <TextField
                label={`Description of variant ${index + 1}`}
                hideLabel
                placeholder="If you like"
                isReadOnly={isReadOnly}
                value={variant.name}
                onChange={(name) => change(variant, { name })}
              />
            ),
            payload: (variant, index) => (
              <TextField
                label={`Payload of variant ${index + 1}`}
                hideLabel
                isMono
                placeholder='{"color": "red"}'
                isReadOnly={isReadOnly}
                value={variant.payload}
                error={faults.variants.get(variant.id)?.payload ?? null}
                onChange={(payload) => change(variant, { payload })}
              />
            ),
          }}
        />
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
