import { boundOf, parseRange, parseVersion } from '@tidemark/flags/filters';
import { z } from 'zod';
import { bool, choice, integer, integerChoice, list, optional, text } from '../http/fields.js';
import { toApiError } from '../http/validate.js';
import type { ErrorCode } from '../kernel/errors.js';
import { isObject, type JsonObject } from '../kernel/json.js';
import { behaviorLeaf } from './behavior-schema.js';
import { isFilterDate } from './dates.js';
import { expressionsFault, isOwnerType, OWNER_TYPES, type OwnerType, ownerOf, unreadable } from './fields.js';
import { ELEMENT_KEYS, type Filter, type FilterGroup, MATCH_ALL, OPERATORS, type Operator } from './filter.js';
import { readEventExpression } from './kinds/sql/expression.js';
import { parseSelector } from './selector.js';

const MAX_FILTERS = 200;
const MAX_DEPTH = 10;
/** Maximum characters of an SQL expression. */
const MAX_EXPRESSION = 10_000;

/** The filter types that a field accepts, and the default type. */
export interface FilterRules {
  types: readonly (OwnerType | 'cohort' | 'element' | 'behavioral' | 'hogql')[];
  otherwise: 'event' | 'person' | 'group';
  /** The only group type that is accepted. */
  groupTypeIndex?: number;
}

const EVENT_RULES: FilterRules = { types: [...OWNER_TYPES, 'cohort', 'element', 'hogql'], otherwise: 'event' };
export const PERSON_RULES: FilterRules = { types: ['person', 'cohort'], otherwise: 'person' };
/** Filters of a cohort. */
export const COHORT_RULES: FilterRules = { types: [...PERSON_RULES.types, 'behavioral'], otherwise: 'person' };
/** Filters of the events of an action step or a behavioural condition. */
export const EVENT_MATCH_RULES: FilterRules = { types: ['event', 'person', 'group', 'element'], otherwise: 'event' };
export const groupRules = (groupTypeIndex: number): FilterRules => ({ types: ['group'], otherwise: 'group', groupTypeIndex });

const negation = optional(z.union([z.null(), bool()]));
const opposite = (filter: Filter, negated: boolean): Filter => (negated ? { not: filter } : filter);

const propertyLeaf = ({ types, groupTypeIndex }: FilterRules) =>
  z
    .object({
      type: choice(types.filter(isOwnerType)),
      key: text({ max: 400, trim: false, blank: true }),
      operator: optional(z.union([z.null(), choice(OPERATORS)])),
      group_type_index: optional(z.union([z.null(), integerChoice([0, 1, 2, 3, 4])])),
      value: z.unknown().optional(),
      negation,
    })
    .transform((raw, ctx): Filter => {
      const at = (field: string, code: ErrorCode, message: string) => {
        ctx.addIssue({ code: 'custom', path: [field], message, params: { code } });
        return z.NEVER;
      };
      const { type, key } = raw;
      const index = raw.group_type_index ?? groupTypeIndex;
      const unknown = unreadable(type, key);
      if (unknown) return at('key', 'invalid_input', unknown);
      if (type === 'group' && index === undefined) return at('group_type_index', 'required', 'This field is required.');
      if (type === 'group' && groupTypeIndex !== undefined && index !== groupTypeIndex)
        return at('group_type_index', 'invalid_input', 'Only properties of the groups that are counted can be asked for.');
      const operator = raw.operator ?? 'exact';
      const fault = operator === 'is_set' || operator === 'is_not_set' ? null : faultOf(operator, raw.value);
      if (fault) return at('value', ...fault);
      return opposite({ owner: ownerOf(type, index ?? 0), key, operator, values: textsOf(raw.value) }, raw.negation ?? false);
    });

const cohortLeaf = z
  .object({
    operator: optional(z.union([z.null(), choice(['in', 'not_in', 'exact', 'is_not'])])),
    value: list(integer()),
    negation,
  })
  .transform((raw): Filter => {
    const cohorts = raw.value.map((cohort) => ({ cohort }));
    const [only] = cohorts;
    const any: Filter = only && cohorts.length === 1 ? only : { type: 'OR', values: cohorts };
    const isOutside = raw.operator === 'not_in' || raw.operator === 'is_not';
    return opposite(any, isOutside !== (raw.negation ?? false));
  });

const elementLeaf = z
  .object({
    key: choice(ELEMENT_KEYS),
    operator: optional(z.union([z.null(), choice(OPERATORS)])),
    value: z.unknown().optional(),
    negation,
  })
  .transform((raw, ctx): Filter => {
    const operator = raw.operator ?? 'exact';
    const at = (field: string, [code, message]: Fault) => {
      ctx.addIssue({ code: 'custom', path: [field], message, params: { code } });
      return z.NEVER;
    };
    const isUsable =
      raw.key === 'selector' ? /^(exact|is_not)$/.test(operator) : !/^(gte?|lte?|(not_)?between)$|date|semver/.test(operator);
    if (!isUsable) return at('operator', ['invalid_choice', `"${operator}" is not a valid choice.`]);
    const fault = operator === 'is_set' || operator === 'is_not_set' ? null : faultOf(operator, raw.value);
    if (fault) return at('value', fault);
    const values = textsOf(raw.value);
    if (raw.key === 'selector' && !values.every((value) => parseSelector(value))) return at('value', NO_SELECTOR);
    return opposite({ element: raw.key, operator, values }, raw.negation ?? false);
  });

const expressionLeaf = z
  .object({
    key: text({ max: MAX_EXPRESSION, trim: false }),
    value: optional(z.union([z.null(), z.literal('')], 'The expression is the key; it has no value.')),
    operator: optional(z.union([z.null(), z.literal('exact')], 'The expression is the key; it has no operator.')),
    negation,
  })
  .transform((raw, ctx): Filter => {
    const expression = readEventExpression(raw.key);
    if (typeof expression !== 'string') return opposite({ expression }, raw.negation ?? false);
    ctx.addIssue({ code: 'custom', path: ['key'], message: expression, params: { code: 'invalid_input' } });
    return z.NEVER;
  });

const NO_BEHAVIOR = 'What people did is asked for by cohorts: make one with this condition, and name it here.';

function nodeOf(rules: FilterRules) {
  const property = propertyLeaf(rules);
  const node: z.ZodType<Filter> = z.lazy(() =>
    z.preprocess(
      (value) => (isObject(value) && value.type == null ? { ...value, type: isBranch(value) ? 'AND' : rules.otherwise } : value),
      z.unknown().transform((value, ctx) => {
        const special = isObject(value) ? SPECIAL.find((type) => type === value.type) : undefined;
        const isTaken = special !== undefined && rules.types.includes(special);
        if (special === 'behavioral' && !isTaken) {
          ctx.addIssue({ code: 'custom', path: ['type'], message: NO_BEHAVIOR, params: { code: 'invalid_input' } });
          return z.NEVER;
        }
        const leaf = isTaken ? LEAVES[special] : property;
        const result = (isBranch(value) ? branch : leaf).safeParse(value);
        return result.success ? result.data : refuse(ctx, result.error);
      }),
    ),
  );
  const branch: z.ZodType<FilterGroup> = z.object({
    type: choice(['AND', 'OR']),
    values: z.array(node, 'Expected a list of filters.'),
  });
  return branch;
}

const oneCohort = z.preprocess(
  (value) => (isObject(value) && value.value != null && !Array.isArray(value.value) ? { ...value, value: [value.value] } : value),
  cohortLeaf,
);

const SPECIAL = ['cohort', 'element', 'behavioral', 'hogql'] as const;
const LEAVES: Record<(typeof SPECIAL)[number], z.ZodType<Filter>> = {
  cohort: oneCohort,
  element: elementLeaf,
  hogql: expressionLeaf,
  behavioral: z.lazy(() => behaviorLeaf(filters(EVENT_MATCH_RULES))),
};

const isBranch = (value: unknown): value is JsonObject => isObject(value) && Array.isArray(value.values) && !('key' in value);

/** Schema of property filters: a list (joined by AND) or a tree of AND and OR groups. Missing, null and `{}` match all events. */
export const filters = (rules = EVENT_RULES) =>
  z
    .unknown()
    .optional()
    .transform((value, ctx): FilterGroup => {
      if (value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)) return MATCH_ALL;
      const tree = Array.isArray(value) ? { type: 'AND', values: value } : value;
      const refusal = isBranch(tree) ? sizeFault(tree) : 'Expected a list of filters, or a group with type and values.';
      if (refusal) {
        ctx.addIssue({ code: 'custom', message: refusal, params: { code: 'invalid_input' } });
        return z.NEVER;
      }
      const result = nodeOf(rules).safeParse(tree);
      if (result.success) return result.data;
      // the sender's plain list has no `values` level: remove it from the field path
      return refuse(ctx, result.error, Array.isArray(value) ? /^values__/ : /^$/);
    })
    .meta({
      type: ['array', 'object', 'null'],
      description: `Property filters: a list of which all must hold, or a tree of groups \`{"type": "AND" | "OR", "values": […]}\`. A filter has
\`type\` (${rules.types.join(', ')}), \`key\`, \`value\` and \`operator\`: ${OPERATORS.join(', ')}. A filter of type cohort has its number as
\`value\`, and \`operator\` in or not_in. One of type hogql has an expression of SQL
as \`key\`, such as \`properties.price > 10\`. One of type element has as \`key\` ${ELEMENT_KEYS.join(', ')}.`,
      example: [{ type: 'event', key: '$browser', operator: 'exact', value: ['Chrome'] }],
    });

/** Adds the first issue of a nested schema as an issue of this one. */
function refuse(ctx: z.core.$RefinementCtx<unknown>, error: z.ZodError, cut = /^$/): never {
  const { code, body } = toApiError(error.issues);
  ctx.addIssue({
    code: 'custom',
    path: body.attr === null ? [] : [body.attr.replace(cut, '')],
    message: body.detail,
    params: { code },
  });
  return z.NEVER;
}

/** Checks depth and size iteratively: deep input must not overflow the stack. @returns an error message, or null */
function sizeFault(tree: JsonObject): string | null {
  let level: unknown[] = [tree];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (depth > MAX_DEPTH) return `Filters may be nested ${MAX_DEPTH} levels deep.`;
    if (count > MAX_FILTERS) return `There may be ${MAX_FILTERS} filters.`;
    level = level.flatMap((one) => (isObject(one) && Array.isArray(one.values) ? one.values : []));
  }
  return expressionsFault(tree);
}

/** A text stays as it is; a number is written as ClickHouse writes it; other values become compact JSON. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value).replace('e+', 'e') : JSON.stringify(value);
};

const textsOf = (value: unknown): string[] => {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
};

type Fault = readonly [ErrorCode, string];
const NO_NUMBER: Fault = ['invalid_input', 'A valid number is required.'];
const NO_VERSION: Fault = ['invalid_input', 'A version such as 1.2.3 is required.'];
const NO_DATE: Fault = ['invalid_input', 'A date, a date-time or a relative date such as -7d is required.'];
const NO_SELECTOR: Fault = ['invalid_input', 'A selector such as nav > a.active[href="/docs"] is required.'];
const NO_RANGE: Fault = ['invalid_input', 'Two numbers, the lower one first, are required.'];
const MAX_VALUES = 10_000;

function faultOf(operator: Operator, value: unknown): Fault | null {
  if (value === undefined) return ['required', 'This field is required.'];
  if (value === null) return ['null', 'This field may not be null.'];
  const values = textsOf(value);
  if (values.length > MAX_VALUES) return ['invalid_input', `There may be ${MAX_VALUES} values.`];
  if (values.some((one) => one.includes('\0'))) return ['invalid_input', 'Null characters are not allowed.'];
  if (operator === 'between' || operator === 'not_between') return isRange(values) ? null : NO_RANGE;
  if (/^(gte?|lte?)$/.test(operator)) return only(values, isNumber) ? null : NO_NUMBER;
  if (operator.startsWith('is_date_')) return only(values, isFilterDate) ? null : NO_DATE;
  if (operator === 'semver_wildcard')
    return only(values, (text) => parseRange('wildcard', text) !== undefined) ? null : NO_VERSION;
  if (operator.startsWith('semver_')) return only(values, (text) => parseVersion(text) !== undefined) ? null : NO_VERSION;
  return null;
}

const only = (values: string[], test: (text: string) => boolean): boolean => values.length === 1 && values.every(test);
const isNumber = (text: string): boolean => !Number.isNaN(boundOf(text));
const isRange = (values: string[]): boolean =>
  values.length === 2 && values.every(isNumber) && boundOf(values[0]) <= boundOf(values[1]);
