import { z } from 'zod';
import { ApiError, type ErrorCode } from '../kernel/errors.js';
import { isObject, type JsonObject } from '../kernel/json.js';
import { list, optional } from './fields.js';
import { unknownField } from './unknown-fields.js';

/**
 * Parses a value with a schema of ./fields.ts.
 * @throws ApiError for the first issue only, in the order of the schema's fields
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: inWords, reportInput: true });
  if (result.success) return result.data;
  throw toApiError(result.error.issues);
}

const NOT_OBJECT = 'Invalid data. Expected a dictionary.';

/** Messages for plain types whose schemas have none of their own. */
const inWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'invalid_type') return undefined;
  return { object: NOT_OBJECT, string: 'Not a valid string.' }[issue.expected as string];
};

/** The code of an issue that zod itself reports. In a discriminated union the discriminator is missing, or is not one of the choices. */
function codeOf(issue: z.core.$ZodIssue): ErrorCode {
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return 'invalid_input';
  return isObject(issue.input) && issue.input[issue.discriminator] !== undefined ? 'invalid_choice' : 'required';
}

/** The error for the first issue of a schema. */
export function toApiError(issues: readonly z.core.$ZodIssue[], before: readonly PropertyKey[] = []): ApiError {
  const issue = issues[0];
  if (!issue) return new ApiError('invalid_input');
  const path = [...before, ...issue.path];
  // optional and nullable fields are unions whose last member is the field itself, and its issue is the useful one
  const inner = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined;
  if (inner?.length) return toApiError(inner, path);
  const attr = path.length ? path.join('__') : null;
  if (issue.code === 'custom') return new ApiError((issue.params?.code as ErrorCode) ?? 'invalid_input', issue.message, attr);
  return attr ? new ApiError(codeOf(issue), issue.message, attr) : new ApiError('invalid_input', NOT_OBJECT);
}

/**
 * Checks the query parameters of a request. One that is given several times counts with its last value; one that is described
 * as a list takes them all.
 * @throws ApiError as {@link validate}
 */
export function validateQuery<S extends z.ZodObject>(schema: S, query: unknown): z.output<S> {
  const once = Object.entries(query as Record<string, unknown>).map(([name, value]) => {
    const isSeveral = Array.isArray(value) && !isList(schema.shape[name]);
    return [name, isSeveral ? value.at(-1) : value];
  });
  return validate(schema, Object.fromEntries(once));
}

const isList = (field: z.core.$ZodType | undefined): boolean =>
  field !== undefined && z.globalRegistry.get(field)?.type === 'array';

/**
 * A query parameter that is given several times, as a JSON list, or with commas between its values. A fault of one value is a
 * fault of the parameter, and no values are no filter.
 */
export const queryValues = <T>(item: z.ZodType<T>) =>
  optional(
    z.unknown().transform((value, ctx): T[] | undefined => {
      const result = list(item).safeParse(several(value));
      if (result.success) return result.data.length > 0 ? result.data : undefined;
      const { body } = toApiError(result.error.issues);
      ctx.addIssue({ code: 'custom', message: body.detail, params: { code: body.code }, input: value });
      return z.NEVER;
    }),
  ).meta({ type: 'array', items: { type: z.globalRegistry.get(item)?.type ?? 'string' } });

function several(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (!value.startsWith('[')) return value.split(',').filter((one) => one.trim() !== '');
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Whether a query parameter says yes; anything else is no. */
export const isTruthyParameter = (value: string | undefined): boolean =>
  value !== undefined && /^(true|t|yes|y|on|1)$/i.test(value);

/**
 * An object that must fit a schema and is stored as it was sent, rather than as the schema reads it.
 * @param tolerated names of fields that the schema does not have, and that clients store for themselves
 */
export const verbatim = (schema: z.ZodType, tolerated: ReadonlySet<string>, described: JsonObject) =>
  z
    .unknown()
    .transform((value, ctx): JsonObject => {
      const result = schema.safeParse(value);
      const unknown = result.success ? unknownField(schema, value, (name) => tolerated.has(name)) : null;
      if (result.success && isObject(value) && !unknown) return value;
      const { body } = unknown
        ? new ApiError('invalid_input', 'This field is not supported.', unknown.join('__'))
        : toApiError(result.error?.issues ?? []);
      ctx.addIssue({
        code: 'custom',
        path: body.attr === null ? [] : [body.attr],
        message: body.detail,
        params: { code: body.code },
        input: value,
      });
      return z.NEVER;
    })
    .meta(described);
