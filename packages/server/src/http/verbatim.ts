import { z } from 'zod';
import { ApiError } from '../kernel/errors.js';
import { isObject, type JsonObject } from '../kernel/json.js';
import { unknownField } from './unknown-fields.js';
import { toApiError } from './validate.js';

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
