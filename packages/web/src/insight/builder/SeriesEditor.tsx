import { Copy, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, DialogTrigger } from 'react-aria-components';
import { EventList, EventPicker } from '../../filter/EventPicker.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { PropertyList } from '../../filter/PropertyList.js';
import { propertyName } from '../../query/property-name.js';
import { type Series, seriesLetter } from '../../query/question.js';
import { buttonClass } from '../../ui/Button.js';
import { MenuRow, MoreMenu } from '../../ui/Menu.js';
import { Pop } from '../../ui/Pop.js';
import { Select } from '../../ui/Select.js';

/** What a series counts. Those with `of` need a property. */
const MATHS = [
  { value: 'total', label: 'Total count' },
  { value: 'dau', label: 'Unique people' },
  { value: 'weekly_active', label: 'Weekly active people' },
  { value: 'monthly_active', label: 'Monthly active people' },
  { value: 'unique_session', label: 'Unique sessions' },
  { value: 'first_time_for_user', label: 'First time' },
  { value: 'sum', label: 'Sum of' },
  { value: 'avg', label: 'Average of' },
  { value: 'median', label: 'Median of' },
  { value: 'min', label: 'Lowest' },
  { value: 'max', label: 'Highest' },
  { value: 'p90', label: '90th percentile of' },
  { value: 'p95', label: '95th percentile of' },
  { value: 'p99', label: '99th percentile of' },
];
const OF_PROPERTY = new Set(['sum', 'avg', 'median', 'min', 'max', 'p75', 'p90', 'p95', 'p99']);

export interface SeriesEditorProps {
  series: readonly Series[];
  onChange: (series: Series[]) => void;
  /** Whether each series counts by a math; steps of funnels do not. */
  hasMath: boolean;
  /** Fewest and most series. */
  min: number;
  max: number;
  /** Numbers instead of letters, for steps. */
  isNumbered?: boolean;
  addLabel: string;
}

/** The events and actions of a question, each with what it counts and its own filters. */
export function SeriesEditor({ series, onChange, hasMath, min, max, isNumbered = false, addLabel }: SeriesEditorProps) {
  const [isAdding, setAdding] = useState(false);
  const replace = (index: number, next: Series[]) => onChange(series.flatMap((one, i) => (i === index ? next : [one])));
  return (
    <div className="grid gap-2">
      <ol className="grid divide-y divide-border rounded-l border border-border">
        {series.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: series have no identity of their own
          <li key={index} className="grid grid-cols-[24px_minmax(0,1fr)_28px] gap-2 p-2">
            <span aria-hidden className="grid h-control place-items-center rounded-s bg-sunken text-12 text-text-2">
              {isNumbered ? index + 1 : seriesLetter(index)}
            </span>
            <div className="grid min-w-0 gap-1.5">
              <EventPicker
                label={isNumbered ? `Step ${index + 1}` : `Series ${seriesLetter(index)}`}
                event={one.kind === 'ActionsNode' ? (one.name ?? 'Action') : (one.event ?? null)}
                onChange={(event) => replace(index, [withEvent(one, event)])}
              />
              {hasMath && <MathEditor series={one} onChange={(next) => replace(index, [next])} />}
              <FilterChips
                filters={one.properties ?? []}
                onChange={(properties) => replace(index, [{ ...one, properties }])}
                eventNames={one.event ? [one.event] : []}
              />
            </div>
            <MoreMenu label="Series" isSmall>
              <MenuRow
                icon={<Copy size={14} aria-hidden />}
                isDisabled={series.length >= max}
                onAction={() => replace(index, [one, { ...one }])}
              >
                Duplicate
              </MenuRow>
              <MenuRow
                isDanger
                icon={<Trash2 size={14} aria-hidden />}
                isDisabled={series.length <= min}
                onAction={() => replace(index, [])}
              >
                Remove
              </MenuRow>
            </MoreMenu>
          </li>
        ))}
      </ol>
      {series.length < max && (
        <DialogTrigger isOpen={isAdding} onOpenChange={setAdding}>
          <Button className={`${buttonClass('quiet', true)} justify-self-start`}>
            <Plus size={14} aria-hidden />
            {addLabel}
          </Button>
          <Pop>
            <EventList
              hasAny
              onPick={(event) => {
                setAdding(false);
                onChange([...series, { ...withEvent({ kind: 'EventsNode' }, event), ...(hasMath && { math: 'total' }) }]);
              }}
            />
          </Pop>
        </DialogTrigger>
      )}
    </div>
  );
}

const withEvent = (series: Series, event: string | null): Series => ({
  ...series,
  kind: 'EventsNode',
  id: null,
  event,
  name: event ?? 'All events',
});

function MathEditor({ series, onChange }: { series: Series; onChange: (series: Series) => void }) {
  const math = series.math ?? 'total';
  const needsProperty = OF_PROPERTY.has(math);
  const [isOpen, setOpen] = useState(false);
  const options = MATHS.some(({ value }) => value === math)
    ? MATHS
    : [...MATHS, { value: math, label: math.replaceAll('_', ' ') }];
  return (
    <div className="flex gap-1.5">
      <div className="min-w-0 flex-1">
        <Select
          label="Counts"
          hideLabel
          isSmall
          options={options}
          value={math}
          onChange={(next) => onChange({ ...series, math: next })}
        />
      </div>
      {needsProperty && (
        <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
          <Button className={`${buttonClass('plain', true)} max-w-36 min-w-0`}>
            <span className="truncate">{series.math_property ? propertyName(series.math_property) : 'Property…'}</span>
          </Button>
          <Pop>
            <PropertyList
              sources={['event']}
              eventNames={series.event ? [series.event] : []}
              onPick={({ key }) => {
                setOpen(false);
                onChange({ ...series, math_property: key });
              }}
            />
          </Pop>
        </DialogTrigger>
      )}
    </div>
  );
}

/** Whether a series lacks what its math needs, so that the question cannot be asked yet. */
export const isIncomplete = ({ math, math_property }: Series): boolean => OF_PROPERTY.has(math ?? '') && !math_property;
