import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, DialogTrigger, ListBox, ListBoxItem } from 'react-aria-components';
import { useProjectId } from '../app/project-context.js';
import { cohortsQuery } from '../data/definitions.js';
import { OPERATORS, operatorLabel, takesOf, valueLabel } from '../query/filter-text.js';
import { propertyName } from '../query/property-name.js';
import type { Filter } from '../query/question.js';
import { classNames } from '../ui/class-names.js';
import { POP_ROW, Pop } from '../ui/Pop.js';
import { FilterValueEditor } from './FilterValueEditor.js';
import { PropertyList, type PropertySource } from './PropertyList.js';

export interface FilterChipsProps {
  filters: readonly Filter[];
  onChange: (filters: Filter[]) => void;
  sources?: readonly PropertySource[];
  eventNames?: readonly string[];
  /** Index of the group type whose properties the source `group` has. */
  groupType?: number | null;
  /** Words of the button that adds one. Default: "Filter". */
  addLabel?: string;
}

/** Filters as chips of three buttons: property, operator, value. Backspace or × removes one. */
export function FilterChips({
  filters,
  onChange,
  sources = ['event', 'person', 'cohort'],
  eventNames = [],
  groupType = null,
  addLabel = 'Filter',
}: FilterChipsProps) {
  const [isAdding, setAdding] = useState(false);
  // the chip whose value opens by itself, because it was just added
  const [fresh, setFresh] = useState<number | null>(null);
  const replace = (index: number, next: Filter | null) =>
    onChange(filters.flatMap((filter, i) => (i === index ? (next ? [next] : []) : [filter])));
  const blank = (type: Filter['type'], key: string): Filter => {
    if (type === 'cohort') return { type, key: 'id', operator: 'in', value: Number(key) };
    return { type, key, operator: 'exact', value: [], ...(type === 'group' && { group_type_index: groupType }) };
  };
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label="Filters">
      {filters.map((filter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: filters have no identity of their own
        <li key={index}>
          <Chip
            filter={filter}
            opensValue={fresh === index}
            onChange={(next) => replace(index, next)}
            onRemove={() => replace(index, null)}
            picker={(close) => (
              <PropertyList
                sources={sources}
                eventNames={eventNames}
                groupType={groupType}
                onPick={({ type, key }) => {
                  close();
                  replace(index, blank(type, key));
                }}
              />
            )}
          />
        </li>
      ))}
      <li>
        <DialogTrigger isOpen={isAdding} onOpenChange={setAdding}>
          <Button className="inline-flex h-7 items-center gap-1 rounded-m border border-dashed border-border-strong px-2 text-12 text-text-2 hover:bg-hover pointer-coarse:h-11">
            <Plus size={14} aria-hidden />
            {addLabel}
          </Button>
          <Pop>
            <PropertyList
              sources={sources}
              eventNames={eventNames}
              groupType={groupType}
              onPick={({ type, key }) => {
                setAdding(false);
                setFresh(type === 'cohort' ? null : filters.length);
                onChange([...filters, blank(type, key)]);
              }}
            />
          </Pop>
        </DialogTrigger>
      </li>
    </ul>
  );
}

interface ChipProps {
  filter: Filter;
  opensValue: boolean;
  onChange: (filter: Filter) => void;
  onRemove: () => void;
  picker: (close: () => void) => ReactNode;
}

const PART = 'h-full px-2 hover:bg-hover focus-visible:z-1 max-w-48 truncate';

function Chip({ filter, opensValue, onChange, onRemove, picker }: ChipProps) {
  const [open, setOpen] = useState<'property' | 'operator' | 'value' | null>(opensValue ? 'value' : null);
  const name = useFilterName(filter);
  const close = () => setOpen(null);
  const trigger = (
    part: 'property' | 'operator' | 'value',
    label: string,
    text: string,
    className: string,
    content: ReactNode,
  ) => (
    <DialogTrigger isOpen={open === part} onOpenChange={(isOpen) => setOpen(isOpen ? part : null)}>
      <Button aria-label={`${label}: ${text}`} className={classNames(PART, className)}>
        {text}
      </Button>
      <Pop>{content}</Pop>
    </DialogTrigger>
  );
  const takes = takesOf(filter.operator);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a layout of its own
    <div
      role="group"
      aria-label={`${name} ${operatorLabel(filter.operator)} ${valueLabel(filter.value)}`}
      onKeyDown={(event) => {
        if (event.key === 'Backspace' && open === null) onRemove();
      }}
      className="inline-flex h-7 items-stretch divide-x divide-border rounded-m border border-border-strong bg-surface text-12 pointer-coarse:h-11"
    >
      {filter.type === 'cohort' && (
        <Button
          aria-label={isOutside(filter.operator) ? 'Take people in the cohort' : 'Take people outside of the cohort'}
          onPress={() => onChange({ ...filter, operator: isOutside(filter.operator) ? 'in' : 'not_in' })}
          className={classNames(PART, 'text-text-2')}
        >
          {isOutside(filter.operator) ? 'is not' : 'is'}
        </Button>
      )}
      {trigger('property', 'Property', name, 'font-medium', picker(close))}
      {filter.type !== 'cohort' &&
        trigger(
          'operator',
          'Operator',
          operatorLabel(filter.operator),
          'text-text-2',
          <OperatorList
            selected={filter.operator ?? 'exact'}
            onPick={(operator) => {
              onChange(withOperator(filter, operator));
              setOpen(takesOf(operator) === 'nothing' ? null : 'value');
            }}
          />,
        )}
      {filter.type !== 'cohort' &&
        takes !== 'nothing' &&
        trigger(
          'value',
          'Value',
          valueLabel(filter.value),
          'font-medium',
          <FilterValueEditor filter={filter} onChange={onChange} />,
        )}
      <Button
        aria-label={`Remove filter ${name}`}
        onPress={onRemove}
        className="grid w-6 place-items-center text-text-3 hover:text-text pointer-coarse:w-11"
      >
        <X size={12} aria-hidden />
      </Button>
    </div>
  );
}

/** Whether a filter by a cohort is about people outside of it. */
const isOutside = (operator: string | undefined): boolean => operator === 'not_in' || operator === 'is_not';

/** Keeps the value where the other operator takes one of its form. */
function withOperator(filter: Filter, operator: string): Filter {
  const takes = takesOf(operator);
  const { value, ...rest } = filter;
  if (takes === 'nothing') return { ...rest, operator };
  const first = Array.isArray(value) ? value[0] : value;
  if (takes === 'many')
    return { ...rest, operator, value: Array.isArray(value) ? value : first == null || first === '' ? [] : [String(first)] };
  return { ...rest, operator, value: first ?? '' };
}

function OperatorList({ selected, onPick }: { selected: string; onPick: (operator: string) => void }) {
  return (
    <ListBox
      aria-label="Operator"
      items={OPERATORS}
      autoFocus
      selectionMode="single"
      selectedKeys={[selected]}
      onAction={(key) => onPick(String(key))}
      className="max-h-80 w-44 outline-none"
    >
      {({ operator, label }) => (
        <ListBoxItem
          id={operator}
          textValue={label}
          onAction={() => onPick(operator)}
          className={classNames(POP_ROW, 'data-selected:font-medium')}
        >
          {label}
        </ListBoxItem>
      )}
    </ListBox>
  );
}

function useFilterName({ type, key, operator, value }: Filter): string {
  const project = useProjectId();
  const cohorts = useQuery({ ...cohortsQuery(project), enabled: type === 'cohort' });
  if (type !== 'cohort') return propertyName(key);
  const cohort = cohorts.data?.results.find(({ id }) => id === Number(value));
  return `${isOutside(operator) ? 'Not in' : 'In'} cohort ${cohort?.name ?? value}`;
}
