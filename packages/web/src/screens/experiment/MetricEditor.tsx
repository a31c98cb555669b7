import { Plus, Trash2 } from 'lucide-react';
import { EventPicker } from '../../filter/EventPicker.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { PropertyList } from '../../filter/PropertyList.js';
import { propertyName } from '../../query/property-name.js';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { PopButton } from '../../ui/PopButton.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { type MetricDraft, type MetricEvents, type MetricRole, type MetricType, newEvents, OF_PROPERTY } from './draft.js';
import { metricText } from './metric-text.js';

const TYPES: readonly { value: MetricType; label: string }[] = [
  { value: 'funnel', label: 'Share of people' },
  { value: 'mean', label: 'Number a person' },
  { value: 'ratio', label: 'Ratio' },
];

const ROLES: readonly { value: MetricRole; label: string }[] = [
  { value: 'primary', label: 'Primary: decides' },
  { value: 'secondary', label: 'Secondary: is shown' },
  { value: 'guard', label: 'Guard: must not get worse' },
];

const MATHS = [
  { value: 'total', label: 'Total count' },
  { value: 'dau', label: 'Whether there is any' },
  { value: 'sum', label: 'Sum of' },
  { value: 'avg', label: 'Average of' },
  { value: 'min', label: 'Lowest' },
  { value: 'max', label: 'Highest' },
];

const UNITS = (['hour', 'day', 'week', 'month'] as const).map((value) => ({ value, label: `${value}s` }));

export interface MetricEditorProps {
  metric: MetricDraft;
  /** From 1. */
  number: number;
  fault: string | null;
  isReadOnly: boolean;
  onChange: (change: Partial<MetricDraft>) => void;
  onRemove: () => void;
}

/** One metric: what it counts, which way is better, and what it is for. */
export function MetricEditor({ metric, number, fault, isReadOnly, onChange, onRemove }: MetricEditorProps) {
  const { type, events, goal, role, name, window, unit } = metric;
  if (isReadOnly)
    return (
      <section aria-label={`Metric ${number}`} className="px-4 py-3">
        <p className="text-13 font-medium">{name || metricText(metric)}</p>
        <p className="text-12 text-text-2 wrap-anywhere">
          {`${ROLES.find(({ value }) => value === role)?.label}. ${metricText(metric)}. ${goal === 'decrease' ? 'Less' : 'More'} is better.`}
        </p>
      </section>
    );
  const setEvents = (index: number, change: Partial<MetricEvents>) =>
    onChange({ events: events.map((one, i) => (i === index ? { ...one, ...change } : one)) });
  const changeType = (next: MetricType) => {
    const [first = newEvents('$pageview'), second = newEvents('$pageview')] = events;
    onChange({ type: next, events: next === 'ratio' ? [first, second] : [first] });
  };
  return (
    <section aria-label={`Metric ${number}`} className="grid gap-2 px-4 py-3">
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-40 flex-1">
          <TextField
            label={`Name of metric ${number}`}
            placeholder={metricText(metric)}
            value={name}
            onChange={(text) => onChange({ name: text })}
          />
        </div>
        <div className="w-60">
          <Select label={`Role of metric ${number}`} options={ROLES} value={role} onChange={(next) => onChange({ role: next })} />
        </div>
        <IconButton label={`Remove metric ${number}`} onPress={onRemove}>
          <Trash2 size={14} aria-hidden />
        </IconButton>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Segmented label={`Kind of metric ${number}`} options={TYPES} value={type} onChange={changeType} />
        <Segmented
          label={`Better for metric ${number}`}
          options={[
            { value: 'increase', label: 'More is better' },
            { value: 'decrease', label: 'Less is better' },
          ]}
          value={goal}
          onChange={(next) => onChange({ goal: next })}
        />
      </div>
      <ol className="grid gap-2">
        {events.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity but their place
          <li key={index} className="flex flex-wrap items-center gap-2">
            <span className="w-16 text-12 text-text-2">{placeText(type, index)}</span>
            <EventsEditor
              events={one}
              label={`${placeText(type, index)} of metric ${number}`}
              hasMath={type !== 'funnel'}
              onChange={(change) => setEvents(index, change)}
            />
            {type === 'funnel' && events.length > 1 && (
              <IconButton
                isSmall
                label={`Remove step ${index + 1} of metric ${number}`}
                onPress={() => onChange({ events: events.filter((_, i) => i !== index) })}
              >
                <Trash2 size={14} aria-hidden />
              </IconButton>
            )}
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap items-center gap-2">
        {type === 'funnel' && events.length < 20 && (
          <Button
            isSmall
            kind="quiet"
            icon={<Plus size={14} aria-hidden />}
            onPress={() => onChange({ events: [...events, newEvents('$pageview')] })}
          >
            Step
          </Button>
        )}
        <span className="text-12 text-text-2">Events count</span>
        <Segmented
          label={`Window of metric ${number}`}
          options={[
            { value: 'end', label: 'until the end' },
            { value: 'window', label: 'for a time after exposure' },
          ]}
          value={window === null ? 'end' : 'window'}
          onChange={(next) => onChange({ window: next === 'end' ? null : 7 })}
        />
        {window !== null && (
          <>
            <div className="w-16">
              <TextField
                label={`Length of the window of metric ${number}`}
                hideLabel
                inputMode="numeric"
                value={String(window)}
                onChange={(text) => /^\d{0,5}$/.test(text) && onChange({ window: Number(text) })}
              />
            </div>
            <div className="w-24">
              <Select
                label={`Unit of the window of metric ${number}`}
                hideLabel
                options={UNITS}
                value={unit}
                onChange={(next) => onChange({ unit: next })}
              />
            </div>
          </>
        )}
      </div>
      {fault && <p className="text-12 text-bad">{fault}</p>}
    </section>
  );
}

const placeText = (type: MetricType, index: number): string =>
  type === 'funnel' ? `Step ${index + 1}` : type === 'ratio' ? (index === 0 ? 'Above' : 'Divided by') : 'Event';

interface EventsEditorProps {
  events: MetricEvents;
  label: string;
  hasMath: boolean;
  onChange: (change: Partial<MetricEvents>) => void;
}

function EventsEditor({ events: { event, action, math, property, filters, rest }, label, hasMath, onChange }: EventsEditorProps) {
  const { id: _id, name: _name, ...others } = rest;
  return (
    <>
      <div className="w-52 max-w-full">
        <EventPicker
          label={label}
          event={action ?? event}
          onChange={(next) => onChange({ event: next, action: null, rest: others })}
        />
      </div>
      {hasMath && (
        <div className="w-44">
          <Select
            label={`Count: ${label}`}
            hideLabel
            options={MATHS}
            value={math}
            onChange={(next) => onChange({ math: next })}
          />
        </div>
      )}
      {hasMath && OF_PROPERTY.has(math) && (
        <PopButton label={property ? propertyName(property) : 'Property…'}>
          {(close) => (
            <PropertyList
              sources={['event']}
              eventNames={event ? [event] : []}
              onPick={({ key }) => {
                close();
                onChange({ property: key });
              }}
            />
          )}
        </PopButton>
      )}
      <FilterChips filters={filters} eventNames={event ? [event] : []} onChange={(next) => onChange({ filters: next })} />
    </>
  );
}
