import type { z } from 'zod';
import { ApiError, ERRORS, type ErrorCode } from '../kernel/errors.js';

/**
 * Checks a value against a schema of {@link ./atoms.ts} and returns what the schema makes of it.
 * @throws ApiError the first refusal only, in the order of the schema's fields
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: inWords });
  if (result.success) return result.data;
  throw firstRefusal(result.error.issues);
}

const NOT_OBJECT = 'Invalid data. Expected a dictionary.';

/** What to say of plain types whose schemas say nothing themselves. */
const inWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'invalid_type') return undefined;
  return { object: NOT_OBJECT, string: 'Not a valid string.' }[issue.expected as string];
};

/** The codes of refusals that schemas can tell by their text alone, such as those of unions by a field. */
function codeOf(message: string): ErrorCode {
  if (message === ERRORS.required[2]) return 'required';
  return message.endsWith(' is not a valid choice.') ? 'invalid_choice' : 'invalid_input';
}

/** The refusal that the first issue of a schema stands for. */
export function firstRefusal(issues: readonly z.core.$ZodIssue[], before: readonly PropertyKey[] = []): ApiError {
  const issue = issues[0];
  if (!issue) return new ApiError('invalid_input');
  const path = [...before, ...issue.path];
  // optional and nullable fields are unions whose last member is the field itself: its refusal is the telling one
  const inner = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined;
  if (inner?.length) return firstRefusal(inner, path);
  const attr = path.length ? path.join('__') : null;
  if (issue.code === 'custom') return new ApiError((issue.params?.code as ErrorCode) ?? 'invalid_input', issue.message, attr);
  return attr ? new ApiError(codeOf(issue.message), issue.message, attr) : new ApiError('invalid_input', NOT_OBJECT);
}
