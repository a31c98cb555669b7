import { readableName } from '@tidemark/charts';
import { operatorLabel, takesOf, valueLabel } from '../../query/filter-text.js';
import { propertyName } from '../../query/property-name.js';
import type { Filter } from '../../query/question.js';
import type { Behavior, BehaviorKind } from './draft.js';

/** The kinds of what people did, in the order of the menu. */
export const BEHAVIOR_KINDS: readonly { value: BehaviorKind; label: string }[] = [
  { value: 'performed_event', label: 'at least once' },
  { value: 'performed_event_multiple', label: 'several times' },
  { value: 'performed_event_first_time', label: 'for the first time' },
  { value: 'performed_event_regularly', label: 'regularly' },
  { value: 'stopped_performing_event', label: 'and stopped' },
  { value: 'restarted_performing_event', label: 'again after a pause' },
];

export const COMPARISONS = [
  { value: 'gte', label: 'at least' },
  { value: 'exact', label: 'exactly' },
  { value: 'lte', label: 'at most' },
  { value: 'gt', label: 'more than' },
  { value: 'lt', label: 'less than' },
] as const;

export const UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;

/** "3 days", "1 day". */
const duration = (count: number | null | undefined, unit: string | null | undefined): string =>
  `${count ?? 0} ${unit ?? 'day'}${count === 1 ? '' : 's'}`;

/** A condition about what people did, as a sentence without a subject: "did Purchase at least 3 times in the last 30 days". */
export function behaviorText(behavior: Behavior): string {
  const { key, event_type: type, negation, event_filters: filters } = behavior;
  const event = type === 'actions' ? `action ${key}` : key === null ? 'any event' : readableName(String(key));
  const where = filters?.length ? ` where ${filters.map((one) => filterText(one)).join(' and ')}` : '';
  return `${negation ? 'did not do' : 'did'} ${event}${where} ${howText(behavior)}`;
}

function howText(behavior: Behavior): string {
  const { value, operator, operator_value: times, time_value: time, time_interval: unit } = behavior;
  const comparison = COMPARISONS.find((one) => one.value === operator)?.label ?? 'at least';
  switch (value) {
    case 'performed_event':
      return `at least once ${windowText(behavior)}`;
    case 'performed_event_multiple':
      return `${comparison} ${times} times ${windowText(behavior)}`;
    case 'performed_event_first_time':
      return `for the first time ${windowText(behavior)}`;
    case 'performed_event_regularly': {
      const { min_periods: least, total_periods: periods } = behavior;
      return `in at least ${least} of the last ${periods} periods of ${duration(time, unit)}`;
    }
    case 'stopped_performing_event':
      return `in the last ${duration(time, unit)}, and not in the last ${recentText(behavior)}`;
    case 'restarted_performing_event':
      return `in the last ${recentText(behavior)}, before that not in the last ${duration(time, unit)}, and once earlier`;
  }
}

const recentText = ({ seq_time_value: count, seq_time_interval: unit }: Behavior): string => duration(count, unit);

function windowText({ explicit_datetime: since, explicit_datetime_to: until, time_value: time, time_interval: unit }: Behavior) {
  if (!since) return `in the last ${duration(time, unit)}`;
  return since === 'all' ? 'ever' : `since ${since}${until ? ` until ${until}` : ''}`;
}

/** "plan is pro". @param cohortName name of a cohort by its number */
export function filterText({ type, key, operator, value }: Filter, cohortName?: (id: number) => string): string {
  if (type === 'cohort') {
    const names = [value].flat().map((id) => cohortName?.(Number(id)) ?? `cohort ${id}`);
    return `${operator === 'not_in' || operator === 'is_not' ? 'not in' : 'in'} ${names.join(' or ')}`;
  }
  return `${propertyName(key)} ${operatorLabel(operator)}${takesOf(operator) === 'nothing' ? '' : ` ${valueLabel(value)}`}`;
}
