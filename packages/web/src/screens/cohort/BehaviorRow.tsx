import { X } from 'lucide-react';
import { EventPicker } from '../../filter/EventPicker.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { IconButton } from '../../ui/IconButton.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { BEHAVIOR_KINDS, COMPARISONS, UNITS } from './condition-text.js';
import { type Behavior, withKind } from './draft.js';
import { IntegerField } from './IntegerField.js';

export interface BehaviorRowProps {
  /** Its place in the list, from 1, for the names of its controls. */
  index: number;
  behavior: Behavior;
  onChange: (behavior: Behavior) => void;
  onRemove: () => void;
}

const DID = [
  { value: 'did', label: 'Did' },
  { value: 'did-not', label: 'Did not do' },
] as const;

/** A condition about what people did: an event, how often and when. */
export function BehaviorRow({ index, behavior, onChange, onRemove }: BehaviorRowProps) {
  const { key, value, negation, event_type: type, event_filters: filters } = behavior;
  const isAction = type === 'actions';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a layout of its own
    <div role="group" aria-label={`What people did ${index}`} className="grid gap-2 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Did or did not"
          options={DID}
          value={negation ? 'did-not' : 'did'}
          onChange={(did) => onChange({ ...behavior, negation: did === 'did-not' })}
        />
        <div className="w-52">
          {isAction ? (
            <span className="text-13 font-medium">{`Action ${key}`}</span>
          ) : (
            <EventPicker
              event={key === null ? null : String(key)}
              onChange={(event) => onChange({ ...behavior, key: event, event_type: 'events' })}
            />
          )}
        </div>
        <div className="w-44">
          <Select
            label="How"
            hideLabel
            options={BEHAVIOR_KINDS}
            value={value}
            onChange={(kind) => onChange(withKind(behavior, kind))}
          />
        </div>
        <span className="ml-auto">
          <IconButton label={`Remove what people did ${index}`} isSmall onPress={onRemove}>
            <X size={14} aria-hidden />
          </IconButton>
        </span>
      </div>
      <div className="flex flex-wrap items-center gap-2 text-13 text-text-2">
        <How behavior={behavior} onChange={onChange} />
      </div>
      {!isAction && (
        <FilterChips
          filters={filters ?? []}
          onChange={(next) => onChange({ ...behavior, event_filters: next })}
          sources={['event']}
          eventNames={typeof key === 'string' ? [key] : []}
          addLabel="Filter of the event"
        />
      )}
    </div>
  );
}

type HowProps = Pick<BehaviorRowProps, 'behavior' | 'onChange'>;

/** The numbers of a kind, in a sentence. */
function How({ behavior, onChange }: HowProps) {
  switch (behavior.value) {
    case 'performed_event_multiple':
      return (
        <>
          <div className="w-32">
            <Select
              label="Comparison"
              hideLabel
              options={COMPARISONS}
              value={(behavior.operator ?? 'gte') as (typeof COMPARISONS)[number]['value']}
              onChange={(operator) => onChange({ ...behavior, operator })}
            />
          </div>
          <IntegerField
            label="Times"
            value={behavior.operator_value ?? null}
            onChange={(times) => onChange({ ...behavior, operator_value: times })}
          />
          times
          <Window behavior={behavior} onChange={onChange} />
        </>
      );
    case 'performed_event_regularly':
      return (
        <>
          in at least
          <IntegerField
            label="Periods with it"
            value={behavior.min_periods ?? null}
            onChange={(least) => onChange({ ...behavior, min_periods: least })}
          />
          of the last
          <IntegerField
            label="Periods"
            value={behavior.total_periods ?? null}
            onChange={(periods) => onChange({ ...behavior, total_periods: periods })}
          />
          periods of
          <Length what="Period" behavior={behavior} onChange={onChange} />
        </>
      );
    case 'stopped_performing_event':
      return (
        <>
          in the last
          <Length what="Time" behavior={behavior} onChange={onChange} />
          and not in the last
          <Recent behavior={behavior} onChange={onChange} />
        </>
      );
    case 'restarted_performing_event':
      return (
        <>
          in the last
          <Recent behavior={behavior} onChange={onChange} />
          and, after an earlier time, not before that in the last
          <Length what="Time" behavior={behavior} onChange={onChange} />
        </>
      );
    default:
      return <Window behavior={behavior} onChange={onChange} />;
  }
}

const WINDOWS = [
  { value: 'last', label: 'in the last' },
  { value: 'since', label: 'since' },
  { value: 'ever', label: 'ever' },
] as const;

function Window({ behavior, onChange }: HowProps) {
  const { explicit_datetime: since, explicit_datetime_to: until } = behavior;
  const kind = !since ? 'last' : since === 'all' ? 'ever' : 'since';
  const choose = (next: (typeof WINDOWS)[number]['value']) => {
    const {
      time_value: _time,
      time_interval: _unit,
      explicit_datetime: _since,
      explicit_datetime_to: _until,
      ...rest
    } = behavior;
    if (next === 'last') return onChange({ ...rest, time_value: 30, time_interval: 'day' });
    onChange({ ...rest, explicit_datetime: next === 'ever' ? 'all' : new Date().toISOString().slice(0, 10) });
  };
  return (
    <>
      <div className="w-28">
        <Select label="When" hideLabel options={WINDOWS} value={kind} onChange={choose} />
      </div>
      {kind === 'last' && <Length what="Time" behavior={behavior} onChange={onChange} />}
      {kind === 'since' && (
        <div className="w-40">
          <TextField
            label="Since"
            hideLabel
            type="date"
            value={String(since).slice(0, 10)}
            onChange={(date) => date && onChange({ ...behavior, explicit_datetime: date })}
          />
        </div>
      )}
      {until && <span>{`until ${until}`}</span>}
    </>
  );
}

const UNIT_OPTIONS = UNITS.map((unit) => ({ value: unit, label: `${unit}s` }));
type Unit = (typeof UNITS)[number];

const Length = ({ what, behavior, onChange }: HowProps & { what: string }) => (
  <>
    <IntegerField
      label={what}
      value={behavior.time_value ?? null}
      onChange={(count) => onChange({ ...behavior, time_value: count })}
    />
    <div className="w-28">
      <Select
        label={`Unit of ${what.toLowerCase()}`}
        hideLabel
        options={UNIT_OPTIONS}
        value={(behavior.time_interval ?? 'day') as Unit}
        onChange={(unit) => onChange({ ...behavior, time_interval: unit })}
      />
    </div>
  </>
);

const Recent = ({ behavior, onChange }: HowProps) => (
  <>
    <IntegerField
      label="Recent time"
      value={behavior.seq_time_value ?? null}
      onChange={(count) => onChange({ ...behavior, seq_time_value: count })}
    />
    <div className="w-28">
      <Select
        label="Unit of recent time"
        hideLabel
        options={UNIT_OPTIONS}
        value={(behavior.seq_time_interval ?? 'day') as Unit}
        onChange={(unit) => onChange({ ...behavior, seq_time_interval: unit })}
      />
    </div>
  </>
);
