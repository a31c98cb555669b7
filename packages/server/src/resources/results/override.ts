import { z } from 'zod';
import { optional } from '../../http/fields.js';
import { isObject, type JsonObject } from '../../kernel/json.js';

/** Schema of a query parameter with a JSON object. Errors have the wording that clients expect. */
export const overrideParam = (name: string) =>
  optional(
    z.unknown().transform((value, ctx): JsonObject | undefined => {
      if (value === '') return undefined;
      const parsed = typeof value === 'string' ? parse(value) : undefined;
      if (isObject(parsed)) return parsed;
      const message = `Invalid JSON passed in ${name} parameter`;
      ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, input: value });
      return z.NEVER;
    }),
  ).meta({ type: 'string', contentMediaType: 'application/json' });

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
