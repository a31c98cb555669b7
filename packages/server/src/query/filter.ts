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

/** Conditions of which all or one must hold; none at all holds. */
export interface FilterGroup {
  type: 'AND' | 'OR';
  values: (PropertyFilter | FilterGroup)[];
}

export const isGroup = (filter: PropertyFilter | FilterGroup): filter is FilterGroup => 'values' in filter && 'type' in filter;

export const ALL_PASS: FilterGroup = { type: 'AND', values: [] };

/** The patterns of the regular expressions in a filter. */
export function patternsOf(filter: PropertyFilter | FilterGroup): string[] {
  if (isGroup(filter)) return filter.values.flatMap(patternsOf);
  return filter.operator === 'regex' || filter.operator === 'not_regex' ? filter.values : [];
}
