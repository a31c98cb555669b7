import { z } from 'zod';
import { list, optional } from './fields.js';
import { toApiError, validate } from './validate.js';

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
