import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, DialogTrigger } from 'react-aria-components';
import { PropertyList } from '../../filter/PropertyList.js';
import { propertyName } from '../../query/property-name.js';
import { type Breakdown, type BreakdownFilter, breakdownsOf, withBreakdowns } from '../../query/question.js';
import { Pop } from '../../ui/Pop.js';

/** Up to three properties whose values become series. */
export function BreakdownEditor({
  filter,
  onChange,
}: {
  filter: BreakdownFilter | null | undefined;
  onChange: (filter: BreakdownFilter | null) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const breakdowns = breakdownsOf(filter);
  const change = (next: Breakdown[]) => onChange(withBreakdowns(filter, next));
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label="Breakdowns">
      {breakdowns.map(({ property, type }) => (
        <li
          key={`${type}:${property}`}
          className="inline-flex h-7 items-stretch divide-x divide-border rounded-m border border-border-strong text-12 pointer-coarse:h-11"
        >
          <span className="flex items-center px-2 font-medium">{propertyName(property)}</span>
          <Button
            aria-label={`Remove breakdown ${propertyName(property)}`}
            onPress={() => change(breakdowns.filter((one) => one.property !== property || one.type !== type))}
            className="grid w-6 place-items-center text-text-3 hover:text-text"
          >
            <X size={12} aria-hidden />
          </Button>
        </li>
      ))}
      {breakdowns.length < 3 && (
        <li>
          <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
            <Button className="inline-flex h-7 items-center gap-1 rounded-m border border-dashed border-border-strong px-2 text-12 text-text-2 hover:bg-hover pointer-coarse:h-11">
              <Plus size={14} aria-hidden />
              Breakdown
            </Button>
            <Pop>
              <PropertyList
                sources={['event', 'person']}
                onPick={({ type, key }) => {
                  setOpen(false);
                  change([...breakdowns, { property: key, type }]);
                }}
              />
            </Pop>
          </DialogTrigger>
        </li>
      )}
    </ul>
  );
}
