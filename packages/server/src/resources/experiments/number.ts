import { z } from 'zod';

/** A number within bounds, both included. */
export const number = (from: number, to: number, message: string) =>
  z
    .unknown()
    .transform((value, ctx): number => {
      if (typeof value === 'number' && value >= from && value <= to) return value;
      const isMissing = value === undefined;
      ctx.addIssue({
        code: 'custom',
        message: isMissing ? 'This field is required.' : message,
        params: { code: isMissing ? 'required' : 'invalid_input' },
        input: value,
      });
      return z.NEVER;
    })
    .meta({ type: 'number', minimum: from, maximum: to });
