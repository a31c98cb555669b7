import type { z } from 'zod';
import { ApiError, type ErrorCode } from '../kernel/errors.js';
import { isObject } from '../kernel/json.js';

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
