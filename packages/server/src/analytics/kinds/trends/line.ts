import { BREAKDOWN_NULL, BREAKDOWN_OTHER, type Breakdown } from '../../breakdown.js';
import type { Buckets } from '../../buckets.js';
import { SESSION_DURATION } from '../../math.js';
import type { EventsNode, TrendsFilter } from '../../query.js';
import { nameOf } from '../actor.js';
import { type BreakdownName, breakdownName } from '../breakdown-name.js';
import type { KindContext } from '../kind.js';
import type { Keys } from './keys.js';
import { mathName } from './math-name.js';

/** The series of a line, as its query has it. */
export interface SeriesAction {
  /** Name of the events (null: all), or number of the action. */
  id: string | number | null;
  type: 'events' | 'actions';
  order: number;
  name: string;
  custom_name: string | null;
  math: string;
  math_property: string | null;
  /** The expression, where the math is one. */
  math_hogql?: string;
  math_group_type_index: number | null;
}

/** The value of a breakdown as answers have it: a text, the number of a cohort (or `all`), or for several properties a list. */
export type BreakdownValue = string | number | string[];

/** One line: a number for every bucket of time, zeros included. */
export interface TrendsSeries extends BreakdownName {
  /** Null for a formula. */
  action: SeriesAction | null;
  /** Place of the series, or of the formula, in the query. */
  order: number;
  label: string;
  /** The sum of `data`; where that adds up already, its last number. */
  count: number;
  data: number[];
  labels: string[];
  days: string[];
  breakdown_value?: BreakdownValue;
  /** Whether the line is of the present time or of the one before; absent when nothing is compared. */
  compare?: boolean;
  compare_label?: 'current' | 'previous';
  /** The one number for the whole time, where that was asked for; `data` is then empty. */
  aggregated_value?: number;
}

/** The numbers of one line, before they are written down. */
export interface Numbers {
  keys: Keys;
  /** For every bucket. */
  data: number[];
}

export function actionOf(series: EventsNode, order: number, context: KindContext): SeriesAction {
  const { math } = series;
  const group = math.kind === 'count_per_actor' && math.actor.type === 'group' ? math.actor.index : null;
  return {
    id: series.action ?? series.event,
    type: series.action === undefined ? 'events' : 'actions',
    order,
    name: nameOf(series, context),
    custom_name: series.customName,
    math: mathName(math),
    math_property: mathProperty(math),
    ...(math.kind === 'hogql' ? { math_hogql: math.expression.name } : {}),
    math_group_type_index: 'index' in math ? math.index : group,
  };
}

function mathProperty(math: EventsNode['math']): string | null {
  if (math.kind === 'session_duration') return SESSION_DURATION;
  return 'property' in math ? math.property.key : null;
}

/** What a line is of, beside its numbers. */
export interface LineSubject {
  action: SeriesAction | null;
  order: number;
  name: string;
  /** Whether its name is needed to tell it from others with the same breakdown value. */
  isOneOfSeveral: boolean;
  breakdown: Breakdown | null;
  compare: 'current' | 'previous' | null;
}

/** Writes a line down. */
export function line(
  subject: LineSubject,
  { keys, data }: Numbers,
  buckets: Buckets,
  { isTotal, cumulative }: TrendsFilter,
  context: KindContext,
): TrendsSeries {
  const { action, order, name, isOneOfSeveral, breakdown, compare } = subject;
  const shown = keys.map((key) => keyLabel(key, breakdown, context)).join('::');
  const label = breakdown === null ? name : isOneOfSeveral ? `${name} - ${shown}` : shown;
  return {
    action,
    order,
    label,
    count: isTotal ? 0 : cumulative ? (data.at(-1) ?? 0) : data.reduce((sum, one) => sum + one, 0),
    data: isTotal ? [] : data,
    labels: isTotal ? [] : buckets.labels,
    days: isTotal ? [] : buckets.days,
    ...(breakdown === null
      ? {}
      : { breakdown_value: breakdownValue(keys, breakdown), ...breakdownName(keys, breakdown, context) }),
    ...(compare === null ? {} : { compare: true, compare_label: compare }),
    ...(isTotal ? { aggregated_value: data[0] ?? 0 } : {}),
  };
}

/** Writes the value of a breakdown down. */
export function breakdownValue(keys: Keys, { by, isList }: Breakdown): BreakdownValue {
  if (isList) return [...keys];
  const [key = ''] = keys;
  return by.type === 'cohorts' && key !== 'all' ? Number(key) : key;
}

function keyLabel(key: string, breakdown: Breakdown | null, context: KindContext): string {
  if (key === BREAKDOWN_OTHER) return 'Other';
  if (key === BREAKDOWN_NULL) return 'None';
  return (breakdown && breakdownName([key], breakdown, context).breakdown_name) ?? key;
}

/** The largest first, those without a value and the others last. */
export const byWeight = (one: Numbers, other: Numbers): number => {
  const rank = ({ keys: [key] }: Numbers): number => (key === BREAKDOWN_OTHER ? 2 : key === BREAKDOWN_NULL ? 1 : 0);
  const sum = ({ data }: Numbers): number => data.reduce((all, value) => all + value, 0);
  return rank(one) - rank(other) || sum(other) - sum(one) || (one.keys.join('\0') < other.keys.join('\0') ? -1 : 1);
};

/** Each number as the mean of the last ones, and then as the sum of all until then, where that is asked for. */
export function shaped(data: readonly number[], { smoothing, cumulative, isTotal }: TrendsFilter): number[] {
  if (isTotal) return [...data];
  const smooth = data.map((_, index) => {
    const last = data.slice(Math.max(0, index + 1 - smoothing), index + 1);
    return smoothing === 1 ? (data[index] ?? 0) : last.reduce((sum, one) => sum + one, 0) / last.length;
  });
  let sum = 0;
  return cumulative ? smooth.map((one) => (sum += one)) : smooth;
}
