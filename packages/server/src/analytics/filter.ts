import type { Expression } from './kinds/sql/expression.js';
import type { PropertyOwner } from './sql/property.js';

/** What a property filter can ask. */
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
  /** Texts as the protocol compares them: a text itself, compact JSON of anything else. Checked against the operator. */
  values: string[];
}

/** That the person is in a cohort. */
export interface CohortFilter {
  cohort: number;
}

/** What of an element an event can be asked about. */
export const ELEMENT_KEYS = ['tag_name', 'text', 'href', 'selector'] as const;

/** That the event was on such an element, or within one. */
export interface ElementFilter {
  element: (typeof ELEMENT_KEYS)[number];
  operator: Operator;
  values: string[];
}

/** That the event has this name. */
export interface EventFilter {
  event: string;
}

/** That the event matches an action. */
export interface ActionFilter {
  action: number;
}

/** How a number of events may compare with another. */
export const COMPARISONS = ['gte', 'lte', 'exact', 'gt', 'lt'] as const;

/** That there are so many events. */
export interface EventCount {
  comparison: (typeof COMPARISONS)[number];
  value: number;
}

/** Units of time by the words of conditions, as relative dates write them. */
export const TIME_UNITS = { minute: 'M', hour: 'h', day: 'd', week: 'w', month: 'm', year: 'y' } as const;

/** A length of time; days and longer ones are as long as the calendar says. */
export interface Duration {
  count: number;
  unit: (typeof TIME_UNITS)[keyof typeof TIME_UNITS];
}

/** The time until now, later than so long ago; or between dates, as queries read them (`all`: from ever; null: until now). */
export type TimeWindow = { last: Duration } | { from: string; to: string | null };

/** How often, or when, people did something. */
export type BehavioralCondition =
  | { type: 'times'; window: TimeWindow; times: EventCount }
  /** For the first time in their life. */
  | { type: 'first'; window: TimeWindow }
  /** So many times in at least so many (`least`) of the last periods, each as long as `each`. */
  | { type: 'regularly'; each: Duration; periods: number; least: number; times: EventCount }
  /** Since so long ago, but not recently. */
  | { type: 'stopped'; since: Duration; recent: Duration }
  /** Recently, and before `since`, but not in between. */
  | { type: 'restarted'; since: Duration; recent: Duration };

/** Something that people did: events of one name (null: any) of which `properties` hold. */
export interface Behavior {
  event: string | null;
  properties: FilterGroup;
  condition: BehavioralCondition;
}

/** That the person did something. */
export interface BehaviorFilter {
  behavior: Behavior;
}

/** That an expression of SQL is true of the event. */
export interface ExpressionFilter {
  expression: Expression;
}

/** The opposite of a condition. */
export interface NotFilter {
  not: Filter;
}

/** Conditions of which all or one must hold; none at all holds. */
export interface FilterGroup {
  type: 'AND' | 'OR';
  values: Filter[];
}

export type Leaf = PropertyFilter | CohortFilter | ElementFilter | EventFilter | ActionFilter | BehaviorFilter | ExpressionFilter;
export type Filter = Leaf | NotFilter | FilterGroup;

export const isGroup = (filter: Filter): filter is FilterGroup => 'values' in filter && 'type' in filter;

export const MATCH_ALL: FilterGroup = { type: 'AND', values: [] };

/** The single conditions of a filter. */
export function leavesOf(filter: Filter): Leaf[] {
  if (isGroup(filter)) return filter.values.flatMap(leavesOf);
  return 'not' in filter ? leavesOf(filter.not) : [filter];
}

/** How many comparisons a condition makes: those with parts of texts, or with elements, look for each of their values by itself. */
export function comparisonsOf(leaf: Leaf): number {
  const isOneByOne = 'operator' in leaf && ('element' in leaf || /contains|_with|regex/.test(leaf.operator));
  return isOneByOne ? Math.max(1, leaf.values.length) : 1;
}

/** The patterns of the regular expressions in a filter. */
export const patternsOf = (filter: Filter): string[] =>
  leavesOf(filter).flatMap((leaf) => {
    if ('behavior' in leaf) return patternsOf(leaf.behavior.properties);
    return 'operator' in leaf && /^(not_)?regex$/.test(leaf.operator) ? leaf.values : [];
  });

/** The cohorts that a filter names. */
export const cohortsOf = (filter: Filter): number[] =>
  leavesOf(filter).flatMap((leaf) => ('cohort' in leaf ? [leaf.cohort] : []));

/** The actions that a filter names, also in conditions on what people did. */
export const actionsOf = (filter: Filter): number[] =>
  leavesOf(filter).flatMap((leaf) => {
    if ('behavior' in leaf) return actionsOf(leaf.behavior.properties);
    return 'action' in leaf ? [leaf.action] : [];
  });
