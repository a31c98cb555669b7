import { z } from 'zod';
import { list, optional } from './atoms.js';
import { firstRefusal } from './validate.js';

/**
 * A query parameter that is given several times, as a JSON list, or with commas between its values. A fault of one value is a
 * fault of the parameter, and no values are no filter.
 */
export const queryValues = <T>(item: z.ZodType<T>) =>
  optional(
    z.unknown().transform((value, ctx): T[] | undefined => {
      const result = list(item).safeParse(several(value));
      if (result.success) return result.data.length > 0 ? result.data : undefined;
      const { body } = firstRefusal(result.error.issues);
      ctx.addIssue({ code: 'custom', message: body.detail, params: { code: body.code }, input: value });
      return z.NEVER;
    }),
  );

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
export const saysYes = (value: string | undefined): boolean => value !== undefined && /^(true|t|yes|y|on|1)$/i.test(value);
