import { z } from 'zod';
import { bool, integer, optional, text } from '../http/fields.js';
import type { ErrorCode } from '../kernel/errors.js';
import { isDate } from './dates.js';

export { unsupported } from '../http/unsupported.js';

/*
 * The building blocks of query schemas, beside those of all requests.
 */

/** As `optional`, for a field where null says the same as leaving it out. */
export const absent = <T extends z.ZodType>(schema: T) => optional(z.union([z.null(), schema]));

/** Text as it is: names and ids may begin or end with white space. */
export const exactText = (max = 1000) => text({ max, trim: false, blank: true });

/** At most so many columns of an answer. */
export const columnList = <T extends z.ZodType>(column: T, most: number) =>
  z.array(column, 'Expected a list of columns.').max(most, `There may be ${most} columns.`);

/** A column to order by as it is written, such as `timestamp desc`: its name, and which way. Looks at each white space once. */
export function orderOf(written: string): { name: string; descending: boolean } {
  const text = written.trim();
  const [ending = '', direction = ''] = /\s(asc|desc)$/i.exec(text) ?? [];
  return { name: text.slice(0, text.length - ending.length).trimEnd(), descending: direction.toLowerCase() === 'desc' };
}

/** What may name an action, where a node of another kind may carry anything. */
export const actionId = () =>
  z
    .unknown()
    .optional()
    .meta({ type: ['integer', 'null'] });

/** False where it is left out. */
export const flag = () => absent(bool()).transform((value): boolean => value ?? false);

/** A date as queries take it, or one of the words given. */
export const dateText = (...words: string[]) =>
  text().transform((value, ctx) => {
    if (words.includes(value) || isDate(value)) return value;
    ctx.addIssue(refusal('A date, a date-time or a relative date such as -7d is required.'));
    return z.NEVER;
  });

/** An issue of a schema, at `path` below the value that is looked at. */
export const refusal = (message: string, code: ErrorCode = 'invalid_input', path: PropertyKey[] = []) => ({
  code: 'custom' as const,
  message,
  path,
  params: { code },
});

/** A whole number between two, both included. */
export const count = (low: number, high: number) =>
  integer().transform((value, ctx) => {
    const fault = boundFault(value, low, high);
    if (fault === null) return value;
    ctx.addIssue(refusal(fault));
    return z.NEVER;
  });

/** A number between two, both included. */
export const amount = (low: number, high: number) =>
  z
    .unknown()
    .transform((value, ctx): number => {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      const fault =
        typeof number === 'number' && Number.isFinite(number) ? boundFault(number, low, high) : 'A valid number is required.';
      if (fault === null) return Number(number);
      ctx.addIssue(refusal(fault));
      return z.NEVER;
    })
    .meta({ type: 'number', minimum: low, maximum: high });

function boundFault(value: number, low: number, high: number): string | null {
  if (value < low) return `Ensure this value is greater than or equal to ${low}.`;
  return value > high ? `Ensure this value is less than or equal to ${high}.` : null;
}
