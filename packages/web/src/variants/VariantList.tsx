import { Check, Plus, Trash2, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../ui/Badge.js';
import { Button } from '../ui/Button.js';
import { classNames } from '../ui/class-names.js';
import { IconButton } from '../ui/IconButton.js';
import { TextField } from '../ui/TextField.js';
import { PercentField } from './PercentField.js';
import { variantColors } from './variant-colors.js';
import type { VariantShare } from './variant-list.js';

export interface VariantListProps<Variant extends VariantShare> {
  variants: readonly Variant[];
  /** What is wrong with all variants together; null: nothing. */
  fault: string | null;
  /** What is wrong with the key of one. */
  keyFaultOf?: (variant: Variant) => string | null;
  isReadOnly: boolean;
  /** Variants that cannot be removed. */
  fewest?: number;
  onChange: (variant: Variant, change: { key?: string; percentage?: number }) => void;
  onRemove: (variant: Variant) => void;
  onSplit: () => void;
  onAdd: () => void;
  /** What more each variant has. */
  details?: {
    description: (variant: Variant, index: number) => ReactNode;
    payload: (variant: Variant, index: number) => ReactNode;
  };
}

const ROW = 'grid items-start gap-3 px-4';
const COLUMNS = `${ROW} grid-cols-[8px_minmax(0,1fr)_72px_28px]`;
const COLUMNS_WITH_DETAILS = `${ROW} grid-cols-[8px_minmax(0,3fr)_minmax(0,4fr)_72px_minmax(0,5fr)_28px] max-sm:grid-cols-[8px_minmax(0,1fr)_72px_28px]`;

/** The variants of a flag with their split, which must make a whole. */
export function VariantList<Variant extends VariantShare>(props: VariantListProps<Variant>) {
  const { variants, fault, isReadOnly, onSplit, onAdd, details } = props;
  const colors = variantColors(variants.map(({ key }) => key));
  const columns = details ? COLUMNS_WITH_DETAILS : COLUMNS;
  return (
    <div className="rounded-l border border-border bg-surface shadow-card">
      <div
        aria-hidden
        className={classNames(
          columns,
          'h-9 items-center! border-b border-border text-12 font-medium text-text-3',
          details && 'max-sm:hidden',
        )}
      >
        <span />
        <span>Key</span>
        {details && <span>Description</span>}
        <span>Split %</span>
        {details && <span>Payload</span>}
      </div>
      <ul className="divide-y divide-border">
        {variants.map((variant, index) => (
          <li key={variant.id} className={`${columns} py-2`}>
            <span aria-hidden className={classNames('size-2 rounded-full', isReadOnly ? 'mt-1.5' : 'mt-3', colors[index])} />
            <VariantCells {...props} variant={variant} index={index} />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-3 border-t border-border px-4 py-2">
        <span aria-hidden className="flex h-2 min-w-24 flex-1 gap-px overflow-hidden rounded-full bg-sunken">
          {variants.map(({ id, percentage }, index) => (
            <span key={id} className={colors[index]} style={{ width: `${percentage}%` }} />
          ))}
        </span>
        {(fault || !isReadOnly) && <SplitState fault={fault} />}
        {fault && !isReadOnly && (
          <Button isSmall onPress={onSplit}>
            Split evenly
          </Button>
        )}
        {!isReadOnly && <AddVariants onPress={onAdd}>Add variant</AddVariants>}
      </div>
    </div>
  );
}

function VariantCells<Variant extends VariantShare>({
  variants,
  variant,
  index,
  keyFaultOf,
  isReadOnly,
  fewest = 0,
  onChange,
  onRemove,
  details,
}: VariantListProps<Variant> & { variant: Variant; index: number }) {
  const description = details && (
    <div className="max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-2">{details.description(variant, index)}</div>
  );
  const payload = details && (
    <div className="max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-3">{details.payload(variant, index)}</div>
  );
  if (isReadOnly)
    return (
      <>
        <span className="font-mono text-12 wrap-anywhere">{variant.key}</span>
        {description}
        <span className="tnum">{variant.percentage}%</span>
        {payload}
      </>
    );
  return (
    <>
      <TextField
        label={`Key of variant ${index + 1}`}
        hideLabel
        isMono
        value={variant.key}
        error={keyFaultOf?.(variant) ?? null}
        onChange={(key) => onChange(variant, { key })}
      />
      {description}
      <PercentField
        label={`Percentage of variant ${index + 1}`}
        value={variant.percentage}
        onChange={(percentage) => onChange(variant, { percentage })}
      />
      {payload}
      {variants.length > fewest && (
        <IconButton isSmall label={`Remove variant ${variant.key || index + 1}`} onPress={() => onRemove(variant)}>
          <Trash2 size={14} aria-hidden />
        </IconButton>
      )}
    </>
  );
}

const SplitState = ({ fault }: { fault: string | null }) => (
  <span role="status">
    {fault ? (
      <Badge kind="bad" icon={<TriangleAlert size={12} aria-hidden />}>
        {fault}
      </Badge>
    ) : (
      <Badge kind="good" icon={<Check size={12} aria-hidden />}>
        Sums to 100%
      </Badge>
    )}
  </span>
);

/** The button that adds variants. */
export const AddVariants = ({ onPress, children }: { onPress: () => void; children: ReactNode }) => (
  <Button isSmall icon={<Plus size={14} aria-hidden />} onPress={onPress}>
    {children}
  </Button>
);
