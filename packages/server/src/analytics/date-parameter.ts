import { z } from 'zod';
import { optional, text } from '../http/fields.js';
import { isDate } from './dates.js';

/** A parameter of a list with a date, a date-time or a relative date such as `-7d`; `all` is accepted and means no limit. */
export const dateParameter = optional(
  text({ max: 100 }).transform((value, ctx) => {
    if (value === 'all' || isDate(value)) return value;
    const message = 'A date, a date-time or a relative date such as -7d is required.';
    ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, input: value });
    return z.NEVER;
  }),
);
