import type { Expression } from './kinds/sql/expression.js';
import type { PropertyOwner } from './sql/property.js';

/** Operators of property filters. */
export const OPERATORS = [
  'exact',
  'is_not',
  'icontains',
  'not_icontains',
  'icontains_multi',
  'not_icontains_multi',
  'starts_with',
  'not_starts_with',
  'ends_with',
  'not_ends_with',
  'regex',
  'not_regex',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'not_between',
  'is_set',
  'is_not_set',
  'is_date_exact',
  'is_date_before',
  'is_date_after',
  'semver_eq',
  'semver_neq',
  'semver_gt',
  'semver_gte',
  'semver_lt',
  'semver_lte',
  'semver_tilde',
  'semver_caret',
  'semver_wildcard',
] as const;

export type Operator = (typeof OPERATORS)[number];

/** One condition on one property. */
export interface PropertyFilter {
  owner: PropertyOwner;
  key: string;
  operator: Operator;
  /** Texts, or compact JSON of other values. Validated for the operator. */
  values: string[];
}

/** The person is in the cohort. */
export interface CohortFilter {
  cohort: number;
}

/** Attributes of an element that autocaptured events can be filtered by. */
export const ELEMENT_KEYS = ['tag_name', 'text', 'href', 'selector'] as const;

/** The event happened on, or inside, an element that matches. */
export interface ElementFilter {
  element: (typeof ELEMENT_KEYS)[number];
  operator: Operator;
  values: string[];
}

/** The event has this name. */
export interface EventFilter {
  event: string;
}

/** The event matches the action. */
export interface ActionFilter {
  action: number;
}

/** Comparisons of a number of events. */
export const COMPARISONS = ['gte', 'lte', 'exact', 'gt', 'lt'] as const;

/** A condition on the number of events. */
export interface EventCount {
  comparison: (typeof COMPARISONS)[number];
  value: number;
}

/** Time units by their wire names, as relative dates abbreviate them. */
export const TIME_UNITS = { minute: 'M', hour: 'h', day: 'd', week: 'w', month: 'm', year: 'y' } as const;

/** A duration. Days and longer units follow the calendar of the project's time zone. */
export interface Duration {
  count: number;
  unit: (typeof TIME_UNITS)[keyof typeof TIME_UNITS];
}

/** A time window: the last `last` until now, or between dates (`from` `all`: unbounded; `to` null: now). */
export type TimeWindow = { last: Duration } | { from: string; to: string | null };

/** How often, or when, a person must have performed an event. */
export type BehavioralCondition =
  | { type: 'times'; window: TimeWindow; times: EventCount }
  /** The first performance ever lies in the window. */
  | { type: 'first'; window: TimeWindow }
  /** `times` holds in at least `least` of the last `periods` periods of the length `each`. */
  | { type: 'regularly'; each: Duration; periods: number; least: number; times: EventCount }
  /** Performed since `since` ago, but not within `recent`. */
  | { type: 'stopped'; since: Duration; recent: Duration }
  /** Performed within `recent` and before `since` ago, but not in between. */
  | { type: 'restarted'; since: Duration; recent: Duration };

/** Events of one name (null: any) that match `properties`, and how often or when a person must have performed them. */
export interface Behavior {
  event: string | null;
  properties: FilterGroup;
  condition: BehavioralCondition;
}

/** The person meets a behavioural condition. */
export interface BehaviorFilter {
  behavior: Behavior;
}

/** The SQL expression is true for the event. */
export interface ExpressionFilter {
  expression: Expression;
}

/** Negation. */
export interface NotFilter {
  not: Filter;
}

/** Conditions joined by AND or OR. An empty group matches everything. */
export interface FilterGroup {
  type: 'AND' | 'OR';
  values: Filter[];
}

export type Leaf = PropertyFilter | CohortFilter | ElementFilter | EventFilter | ActionFilter | BehaviorFilter | ExpressionFilter;
export type Filter = Leaf | NotFilter | FilterGroup;

export const isGroup = (filter: Filter): filter is FilterGroup => 'values' in filter && 'type' in filter;

export const MATCH_ALL: FilterGroup = { type: 'AND', values: [] };

/** All leaves of a filter tree. */
export function leavesOf(filter: Filter): Leaf[] {
  if (isGroup(filter)) return filter.values.flatMap(leavesOf);
  return 'not' in filter ? leavesOf(filter.not) : [filter];
}

/** Number of comparisons of a condition. Substring, regex and element conditions compare each value by itself. */
export function comparisonsOf(leaf: Leaf): number {
  const isOneByOne = 'operator' in leaf && ('element' in leaf || /contains|_with|regex/.test(leaf.operator));
  return isOneByOne ? Math.max(1, leaf.values.length) : 1;
}

/** All regular expressions in a filter. */
export const patternsOf = (filter: Filter): string[] =>
  leavesOf(filter).flatMap((leaf) => {
    if ('behavior' in leaf) return patternsOf(leaf.behavior.properties);
    return 'operator' in leaf && /^(not_)?regex$/.test(leaf.operator) ? leaf.values : [];
  });

/** Numbers of the cohorts that a filter names. */
export const cohortsOf = (filter: Filter): number[] =>
  leavesOf(filter).flatMap((leaf) => ('cohort' in leaf ? [leaf.cohort] : []));

/** Numbers of the actions that a filter names, also in behavioural conditions. */
export const actionsOf = (filter: Filter): number[] =>
  leavesOf(filter).flatMap((leaf) => {
    if ('behavior' in leaf) return actionsOf(leaf.behavior.properties);
    return 'action' in leaf ? [leaf.action] : [];
  });
