import { ArrowDown, ArrowUp, Copy, Trash2 } from 'lucide-react';
import { FilterChips } from '../../filter/FilterChips.js';
import { IconButton } from '../../ui/IconButton.js';
import { Select } from '../../ui/Select.js';
import { Slider } from '../../ui/Slider.js';
import { PercentField } from '../../variants/PercentField.js';
import { Dependencies } from './Dependencies.js';
import { conditionText } from './differences.js';
import type { Condition, Variant } from './draft.js';
import type { Reach } from './use-reach.js';

export interface ConditionCardProps {
  condition: Condition;
  /** From 1. */
  number: number;
  count: number;
  variants: readonly Variant[];
  groupType: number | null;
  reach: Reach | null;
  /** Number of the flag, which cannot depend on itself; null: a new one. */
  ownId: number | null;
  isReadOnly: boolean;
  onChange: (change: Partial<Condition>) => void;
  onMove: (by: -1 | 1) => void;
  onCopy: () => void;
  onRemove: () => void;
}

/** Stands for "by the split of the variants" in the menu, where keys of variants stand, too. */
const BY_SPLIT = ' ';

/** One release condition: who, how many of them, and which variant. */
export function ConditionCard(props: ConditionCardProps) {
  const { condition, number, count, variants, groupType, reach, ownId, isReadOnly, onChange, onMove, onCopy, onRemove } = props;
  const { title, properties, dependencies, percentage, variant } = condition;
  const isForAll = properties.length === 0 && dependencies.length === 0;
  return (
    <section
      aria-label={`Condition ${number}`}
      className="rounded-l border border-border bg-surface p-3 pl-4 shadow-card focus-within:border-accent-line"
    >
      <div className="flex flex-wrap items-center gap-2">
        <span className="tnum grid h-5 min-w-5 place-items-center rounded-s bg-sunken px-1 text-11 font-medium text-text-2">
          {number}
        </span>
        <input
          aria-label={`Name of condition ${number}`}
          value={title}
          readOnly={isReadOnly}
          placeholder={isForAll ? 'Everybody' : 'Name it, if you like'}
          onChange={(event) => onChange({ title: event.target.value })}
          className="h-7 min-w-24 flex-1 rounded-s bg-transparent px-1 text-13 font-medium placeholder:text-text-3 read-only:pointer-events-none hover:bg-hover"
        />
        <span className="tnum text-12 text-text-2" aria-live="polite">
          <ReachText reach={reach} percentage={percentage} isGroups={groupType !== null} />
        </span>
        {!isReadOnly && (
          <span className="flex">
            <IconButton isSmall label={`Move condition ${number} up`} isDisabled={number === 1} onPress={() => onMove(-1)}>
              <ArrowUp size={14} aria-hidden />
            </IconButton>
            <IconButton isSmall label={`Move condition ${number} down`} isDisabled={number === count} onPress={() => onMove(1)}>
              <ArrowDown size={14} aria-hidden />
            </IconButton>
            <IconButton isSmall label={`Duplicate condition ${number}`} onPress={onCopy}>
              <Copy size={14} aria-hidden />
            </IconButton>
            <IconButton isSmall label={`Remove condition ${number}`} onPress={onRemove}>
              <Trash2 size={14} aria-hidden />
            </IconButton>
          </span>
        )}
      </div>
      {isReadOnly ? (
        <p className="mt-1 text-13 text-text-2 wrap-anywhere">{conditionText({ ...condition, title: '' })}</p>
      ) : (
        <>
          <div className="mt-2 flex flex-wrap items-center gap-1.5">
            {isForAll && (
              <span className="inline-flex h-7 items-center rounded-m border border-border px-2 text-12 text-text-2">
                {groupType === null ? 'All people' : 'All groups'}
              </span>
            )}
            <FilterChips
              filters={properties}
              sources={groupType === null ? ['person', 'cohort'] : ['group']}
              groupType={groupType}
              addLabel={groupType === null ? 'Property or cohort' : 'Property'}
              onChange={(next) => onChange({ properties: next })}
            />
            <Dependencies dependencies={dependencies} ownId={ownId} onChange={(next) => onChange({ dependencies: next })} />
          </div>
          <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="text-12 text-text-2">Roll out</span>
            <Slider
              label={`Rollout of condition ${number}`}
              value={percentage}
              onChange={(next) => onChange({ percentage: next })}
            />
            <div className="flex w-20 items-center gap-1">
              <PercentField
                label={`Percentage of condition ${number}`}
                value={percentage}
                onChange={(next) => onChange({ percentage: next })}
              />
              <span aria-hidden className="text-12 text-text-2">
                %
              </span>
            </div>
            {variants.length > 0 && (
              <div className="flex items-center gap-2">
                <span className="text-12 text-text-2">then</span>
                <div className="w-32">
                  <Select
                    label={`Variant of condition ${number}`}
                    hideLabel
                    value={variant ?? BY_SPLIT}
                    options={[
                      { value: BY_SPLIT, label: 'by split' },
                      ...variants.filter(({ key }) => key !== '').map(({ key }) => ({ value: key, label: key })),
                    ]}
                    onChange={(value) => onChange({ variant: value === BY_SPLIT ? null : value })}
                  />
                </div>
              </div>
            )}
          </div>
        </>
      )}
    </section>
  );
}

/** "2,318 people, 40% of them". */
function ReachText({ reach, percentage, isGroups }: { reach: Reach | null; percentage: number; isGroups: boolean }) {
  if (!reach) return null;
  const thing = isGroups ? (reach.matching === 1 ? 'group' : 'groups') : reach.matching === 1 ? 'person' : 'people';
  return `${reach.matching.toLocaleString('en')} ${thing}${percentage === 100 ? '' : `, ${percentage}% of them`}`;
}
