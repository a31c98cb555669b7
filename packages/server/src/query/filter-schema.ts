import { z } from 'zod';
import { choice, integerChoice, optional, text } from '../http/atoms.js';
import { firstRefusal } from '../http/validate.js';
import type { ErrorCode } from '../kernel/errors.js';
import { isObject, type JsonObject } from '../kernel/json.js';
import { isFilterDate } from './dates.js';
import { ALL_PASS, type FilterGroup, OPERATORS, type Operator, type PropertyFilter } from './filter.js';
import { isVersion, isVersionPattern } from './semver.js';
import { isReadableName, type PropertyOwner } from './sql/property.js';

const MAX_FILTERS = 200;
const MAX_DEPTH = 10;

const leaf = z
  .object({
    type: choice(['event', 'person', 'group']),
    key: text({ max: 400, trim: false, blank: true }),
    operator: optional(z.union([z.null(), choice(OPERATORS)])),
    group_type_index: optional(z.union([z.null(), integerChoice([0, 1, 2, 3, 4])])),
    value: z.unknown().optional(),
  })
  .transform((raw, ctx): PropertyFilter => {
    const at = (field: string, code: ErrorCode, message: string) => {
      ctx.addIssue({ code: 'custom', path: [field], message, params: { code } });
      return z.NEVER;
    };
    if (!isReadableName(raw.key)) return at('key', 'invalid_input', 'A property of this name cannot be queried.');
    if (raw.type === 'group' && typeof raw.group_type_index !== 'number')
      return at('group_type_index', 'required', 'This field is required.');
    const operator = raw.operator ?? 'exact';
    const fault = operator === 'is_set' || operator === 'is_not_set' ? null : faultOf(operator, raw.value);
    if (fault) return at('value', ...fault);
    return { owner: ownerOf(raw.type, raw.group_type_index ?? 0), key: raw.key, operator, values: textsOf(raw.value) };
  });

const ownerOf = (type: PropertyOwner['type'], index: number): PropertyOwner => (type === 'group' ? { type, index } : { type });

const node: z.ZodType<PropertyFilter | FilterGroup> = z.lazy(() =>
  z.preprocess(
    (value) => (isObject(value) && value.type == null ? { ...value, type: isBranch(value) ? 'AND' : 'event' } : value),
    z.unknown().transform((value, ctx) => {
      const result = (isBranch(value) ? branch : leaf).safeParse(value);
      if (result.success) return result.data;
      return refuse(ctx, result.error);
    }),
  ),
);

const branch = z.object({ type: choice(['AND', 'OR']), values: z.array(node, 'Expected a list of filters.') });

const isBranch = (value: unknown): value is JsonObject => isObject(value) && Array.isArray(value.values) && !('key' in value);

/** Property filters as they are sent: a list of which all must hold, or a tree of AND and OR; absent and null hold. */
export const filters = () =>
  z
    .unknown()
    .optional()
    .transform((value, ctx): FilterGroup => {
      if (value === undefined || value === null) return ALL_PASS;
      const tree = Array.isArray(value) ? { type: 'AND', values: value } : value;
      const refusal = isBranch(tree) ? sizeFault(tree) : 'Expected a list of filters, or a group with type and values.';
      if (refusal) {
        ctx.addIssue({ code: 'custom', message: refusal, params: { code: 'invalid_input' } });
        return z.NEVER;
      }
      const result = branch.safeParse(tree);
      if (result.success) return result.data;
      // a plain list has no `values` in the path by which its sender knows it
      return refuse(ctx, result.error, Array.isArray(value) ? /^values__/ : /^$/);
    })
    .meta({
      type: ['array', 'object', 'null'],
      description: `Property filters: a list of which all must hold, or a tree of groups \`{"type": "AND" | "OR", "values": […]}\`. A filter has
\`type\` (event, person or group), \`key\`, \`value\` and \`operator\`: ${OPERATORS.join(', ')}.`,
      example: [{ type: 'event', key: '$browser', operator: 'exact', value: ['Chrome'] }],
    });

/** Hands a refusal of another schema on. */
function refuse(ctx: z.core.$RefinementCtx<unknown>, error: z.ZodError, cut = /^$/): never {
  const { code, body } = firstRefusal(error.issues);
  ctx.addIssue({
    code: 'custom',
    path: body.attr === null ? [] : [body.attr.replace(cut, '')],
    message: body.detail,
    params: { code },
  });
  return z.NEVER;
}

/** Measured level by level, so that no depth can exhaust the stack. */
function sizeFault(tree: JsonObject): string | null {
  let level: unknown[] = [tree];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (depth > MAX_DEPTH) return `Filters may be nested ${MAX_DEPTH} levels deep.`;
    if (count > MAX_FILTERS) return `There may be ${MAX_FILTERS} filters.`;
    level = level.flatMap((one) => (isObject(one) && Array.isArray(one.values) ? one.values : []));
  }
  return null;
}

/** A text is itself, a number as the store writes it, everything else compact JSON. */
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
  if (operator === 'semver_wildcard') return only(values, isVersionPattern) ? null : NO_VERSION;
  if (operator.startsWith('semver_')) return only(values, isVersion) ? null : NO_VERSION;
  return null;
}

const only = (values: string[], test: (text: string) => boolean): boolean => values.length === 1 && values.every(test);
const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));
const isRange = (values: string[]): boolean =>
  values.length === 2 && values.every(isNumber) && Number(values[0]) <= Number(values[1]);
