import { BREAKDOWN_NULL, BREAKDOWN_OTHER, type Breakdown } from '../../breakdown.js';
import { type EventsNode, mathName, SESSION_DURATION } from '../../series-schema.js';
import { nameOf } from '../actor.js';
import { type BreakdownName, breakdownName, type Keys } from '../breakdown.js';
import type { KindContext } from '../kind.js';
import type { Time } from './plan.js';
import type { TrendsFilter } from './trends-schema.js';

/** The series of a line, as in the query. */
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

/** A breakdown value in results: a text, the number of a cohort (or `all`), or a list for several properties. */
export type BreakdownValue = string | number | string[];

/** One line of the chart: a number for every interval. */
export interface TrendsSeries extends BreakdownName {
  /** Null for a formula. */
  action: SeriesAction | null;
  /** Index of the series or formula in the query. */
  order: number;
  label: string;
  /** Sum of `data`; for running totals the last number. */
  count: number;
  data: number[];
  labels: string[];
  days: string[];
  breakdown_value?: BreakdownValue;
  /** With comparison only: whether the line shows the current or the previous range. */
  compare?: boolean;
  compare_label?: 'current' | 'previous';
  /** The total, if requested; `data` is then empty. */
  aggregated_value?: number;
  /** Numbers over time beside a total, which is not always their sum. */
  sparkline?: { days: string[]; data: number[] };
  /** Of the first line of a single number with a breakdown: the numbers without it. */
  whole?: Pick<TrendsSeries, 'aggregated_value' | 'sparkline'>;
}

/** The numbers of one line before formatting. */
export interface Numbers {
  keys: Keys;
  /** For every bucket. */
  data: number[];
  /** For every point of the sparkline; absent: there is none. */
  points?: number[];
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

/** A line without its numbers. */
export interface LineSubject {
  action: SeriesAction | null;
  order: number;
  name: string;
  /** There are several series: the label then needs the name beside the breakdown value. */
  isOneOfSeveral: boolean;
  breakdown: Breakdown | null;
  compare: 'current' | 'previous' | null;
}

/** Formats a line for the result. */
export function line(
  subject: LineSubject,
  { keys, data, points }: Numbers,
  { buckets, points: intervals }: Pick<Time, 'buckets' | 'points'>,
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
    ...(points && intervals ? { sparkline: { days: intervals.days, data: points } } : {}),
  };
}

/** Formats a breakdown value for the result. */
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

/** Lines by their sum, descending; "none" and "other" come last. */
export function byWeight(lines: readonly Numbers[]): Numbers[] {
  const rankOf = ({ keys: [key] }: Numbers): number => (key === BREAKDOWN_OTHER ? 2 : key === BREAKDOWN_NULL ? 1 : 0);
  const weighed = lines.map((line) => ({
    line,
    rank: rankOf(line),
    sum: line.data.reduce((all, value) => all + value, 0),
    name: line.keys.join('\0'),
  }));
  weighed.sort((one, other) => one.rank - other.rank || other.sum - one.sum || (one.name < other.name ? -1 : 1));
  return weighed.map(({ line }) => line);
}

/** Applies the moving average, then the running total. */
export function shaped(data: readonly number[], { smoothing, cumulative, isTotal }: TrendsFilter): number[] {
  if (isTotal) return [...data];
  const smooth = smoothing === 1 ? [...data] : data.map((_, index) => meanOf(data, Math.max(0, index + 1 - smoothing), index));
  let sum = 0;
  return cumulative ? smooth.map((one) => (sum += one)) : smooth;
}

/** Mean of the numbers from one place to another. */
function meanOf(data: readonly number[], first: number, last: number): number {
  let sum = 0;
  for (let index = first; index <= last; index++) sum += data[index] ?? 0;
  return sum / (last + 1 - first);
}
