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

/** The opposite of a condition. */
export interface Opposite {
  not: Filter;
}

/** Conditions of which all or one must hold; none at all holds. */
export interface FilterGroup {
  type: 'AND' | 'OR';
  values: Filter[];
}

export type Filter = PropertyFilter | CohortFilter | ElementFilter | Opposite | FilterGroup;

export const isGroup = (filter: Filter): filter is FilterGroup => 'values' in filter && 'type' in filter;

export const ALL_PASS: FilterGroup = { type: 'AND', values: [] };

/** The single conditions of a filter. */
export function leavesOf(filter: Filter): (PropertyFilter | CohortFilter | ElementFilter)[] {
  if (isGroup(filter)) return filter.values.flatMap(leavesOf);
  return 'not' in filter ? leavesOf(filter.not) : [filter];
}

/** The patterns of the regular expressions in a filter. */
export const patternsOf = (filter: Filter): string[] =>
  leavesOf(filter).flatMap((leaf) => ('operator' in leaf && /^(not_)?regex$/.test(leaf.operator) ? leaf.values : []));

/** The cohorts that a filter names. */
export const cohortsOf = (filter: Filter): number[] =>
  leavesOf(filter).flatMap((leaf) => ('cohort' in leaf ? [leaf.cohort] : []));
