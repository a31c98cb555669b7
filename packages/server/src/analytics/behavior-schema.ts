import { z } from 'zod';
import { bool, choice, nullable, text } from '../http/fields.js';
import { absent, count, dateText, readEntity, refusal, unsupported } from './fields.js';
import {
  type Behavior,
  type BehavioralCondition,
  COMPARISONS,
  type Duration,
  type EventCount,
  type Filter,
  type FilterGroup,
  TIME_UNITS,
  type TimeWindow,
} from './filter.js';

const BEHAVIORS = [
  'performed_event',
  'performed_event_multiple',
  'performed_event_first_time',
  'performed_event_regularly',
  'stopped_performing_event',
  'restarted_performing_event',
] as const;

type Kind = (typeof BEHAVIORS)[number];

const WINDOW = ['time_value', 'time_interval', 'explicit_datetime', 'explicit_datetime_to'] as const;
const COUNT = ['operator', 'operator_value'] as const;
const DURATION = ['time_value', 'time_interval'] as const;
const RECENT = ['seq_time_value', 'seq_time_interval'] as const;
const PERIODS = ['total_periods', 'min_periods'] as const;
const FIELDS = [...WINDOW, ...COUNT, ...RECENT, ...PERIODS];
type Field = (typeof FIELDS)[number];

/** The fields that each kind of condition uses beside the event. Other fields are rejected, since they would be ignored. */
const TAKES: Record<Kind, readonly Field[]> = {
  performed_event: WINDOW,
  performed_event_multiple: [...WINDOW, ...COUNT],
  performed_event_first_time: WINDOW,
  performed_event_regularly: [...DURATION, ...COUNT, ...PERIODS],
  stopped_performing_event: [...DURATION, ...RECENT],
  restarted_performing_event: [...DURATION, ...RECENT],
};

/** Relative dates (`-9999d`) have at most four digits. */
const MAX_LENGTH = 9999;
const MAX_PERIODS = 1000;
const NO_SEQUENCE = 'Events after one another cannot be asked for.';
const UNITS = Object.keys(TIME_UNITS) as (keyof typeof TIME_UNITS)[];

const shape = (eventFilters: z.ZodType<FilterGroup>) =>
  z.object({
    value: choice(BEHAVIORS),
    key: nullable(text({ max: 400, trim: false })),
    event_type: absent(choice(['events', 'actions'])),
    event_filters: eventFilters,
    operator: absent(choice(COMPARISONS)),
    operator_value: absent(count(0, 2_147_483_647)),
    time_value: absent(count(1, MAX_LENGTH)),
    time_interval: absent(choice(UNITS)),
    explicit_datetime: absent(dateText('all')),
    explicit_datetime_to: absent(dateText()),
    total_periods: absent(count(1, MAX_PERIODS)),
    min_periods: absent(count(1, MAX_PERIODS)),
    seq_time_value: absent(count(1, MAX_LENGTH)),
    seq_time_interval: absent(choice(UNITS)),
    seq_event: unsupported(NO_SEQUENCE),
    seq_event_type: unsupported(NO_SEQUENCE),
    negation: absent(bool()),
  });

type Raw = z.output<ReturnType<typeof shape>>;

/** A validation error of a condition, with its field. */
class Fault extends Error {
  constructor(
    readonly field: Field | 'key',
    message: string,
    readonly code: 'invalid_input' | 'required' = 'invalid_input',
  ) {
    super(message);
  }
}

/** Schema of a behavioural condition: an event with filters, and how often or when it was performed. */
export const behaviorLeaf = (eventFilters: z.ZodType<FilterGroup>) =>
  shape(eventFilters).transform((raw, ctx): Filter => {
    try {
      const entity = readEntity({
        isAction: raw.event_type === 'actions',
        ...(raw.event_type === 'actions' ? { id: raw.key } : { event: raw.key }),
        properties: [raw.event_filters],
      });
      if ('field' in entity) throw new Fault('key', entity.message, entity.code);
      const behavior: Behavior = { event: entity.event, properties: entity.properties, condition: conditionOf(raw) };
      return raw.negation ? { not: { behavior } } : { behavior };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      ctx.addIssue(refusal(error.message, error.code, [error.field]));
      return z.NEVER;
    }
  });

/** @throws Fault */
function conditionOf(raw: Raw): BehavioralCondition {
  const kind = raw.value;
  const odd = FIELDS.find((field) => given(raw, field) && !TAKES[kind].includes(field));
  if (odd) throw new Fault(odd, `"${kind}" does not take this field.`);
  switch (kind) {
    case 'performed_event':
      return { type: 'times', window: windowOf(raw), times: ONCE };
    case 'performed_event_multiple':
      return { type: 'times', window: windowOf(raw), times: countOf(raw, required(raw.operator_value, 'operator_value')) };
    case 'performed_event_first_time':
      return { type: 'first', window: windowOf(raw) };
    case 'performed_event_regularly':
      return regularly(raw);
    case 'stopped_performing_event':
      return { type: 'stopped', ...phasesOf(raw) };
    case 'restarted_performing_event':
      return { type: 'restarted', ...phasesOf(raw) };
  }
}

const ONCE: EventCount = { comparison: 'gte', value: 1 };

const given = (raw: Raw, field: Field): boolean => raw[field] !== undefined && raw[field] !== null;

function required<T>(value: T | null | undefined, field: Field): T {
  if (value === undefined || value === null) throw new Fault(field, 'This field is required.', 'required');
  return value;
}

const countOf = ({ operator }: Raw, value: number): EventCount => ({ comparison: operator ?? 'gte', value });

const durationOf = (raw: Raw): Duration => ({
  count: required(raw.time_value, 'time_value'),
  unit: TIME_UNITS[required(raw.time_interval, 'time_interval')],
});

function windowOf(raw: Raw): TimeWindow {
  const { explicit_datetime: from, explicit_datetime_to: to } = raw;
  if (!from) {
    if (to) throw new Fault('explicit_datetime', 'This field is required.', 'required');
    return { last: durationOf(raw) };
  }
  if (given(raw, 'time_value') || given(raw, 'time_interval')) {
    throw new Fault('explicit_datetime', 'Give either this or time_value and time_interval.');
  }
  return { from, to: to ?? null };
}

function regularly(raw: Raw): BehavioralCondition {
  const each = durationOf(raw);
  const periods = required(raw.total_periods, 'total_periods');
  const least = required(raw.min_periods, 'min_periods');
  if (each.count * periods > MAX_LENGTH) throw new Fault('total_periods', 'These periods go too far back.');
  if (least > periods) throw new Fault('min_periods', 'Must not be more than total_periods.');
  return { type: 'regularly', each, periods, least, times: countOf(raw, raw.operator_value ?? 1) };
}

/** Approximate days per unit, to compare durations. */
const ABOUT = { M: 1 / 1440, h: 1 / 24, d: 1, w: 7, m: 30, y: 365 };

function phasesOf(raw: Raw): { since: Duration; recent: Duration } {
  const since = durationOf(raw);
  const recent = {
    count: required(raw.seq_time_value, 'seq_time_value'),
    unit: TIME_UNITS[required(raw.seq_time_interval, 'seq_time_interval')],
  };
  if (recent.count * ABOUT[recent.unit] >= since.count * ABOUT[since.unit]) {
    throw new Fault('seq_time_value', 'Must be a shorter time than that of time_value.');
  }
  return { since, recent };
}
