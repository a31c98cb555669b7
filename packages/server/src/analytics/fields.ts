import { z } from 'zod';
import { bool, integer, optional, text } from '../http/fields.js';
import type { ErrorCode } from '../kernel/errors.js';
import { isDate } from './dates.js';

export { unsupported } from '../http/unsupported.js';

/*
 * Field validators of query schemas, in addition to http/fields.
 */

/** As `optional`; null means the same as leaving the field out. */
export const absent = <T extends z.ZodType>(schema: T) => optional(z.union([z.null(), schema]));

/** Text without trimming: event names and ids may begin or end with white space. */
export const exactText = (max = 1000) => text({ max, trim: false, blank: true });

/** A list of at most `most` result columns. */
export const columnList = <T extends z.ZodType>(column: T, most: number) =>
  z.array(column, 'Expected a list of columns.').max(most, `There may be ${most} columns.`);

/** Splits `timestamp desc` into name and direction, in linear time. */
export function orderOf(written: string): { name: string; descending: boolean } {
  const text = written.trim();
  const [ending = '', direction = ''] = /\s(asc|desc)$/i.exec(text) ?? [];
  return { name: text.slice(0, text.length - ending.length).trimEnd(), descending: direction.toLowerCase() === 'desc' };
}

/** The number of an action. Unchecked here: nodes of other kinds may have an `id` of any type. */
export const actionId = () =>
  z
    .unknown()
    .optional()
    .meta({ type: ['integer', 'null'] });

/** A boolean that is false by default. */
export const flag = () => absent(bool()).transform((value): boolean => value ?? false);

/** A date that `resolveDate` reads, or one of `words`. */
export const dateText = (...words: string[]) =>
  text().transform((value, ctx) => {
    if (words.includes(value) || isDate(value)) return value;
    ctx.addIssue(refusal('A date, a date-time or a relative date such as -7d is required.'));
    return z.NEVER;
  });

/** A zod issue with an error code, at `path` below the validated value. */
export const refusal = (message: string, code: ErrorCode = 'invalid_input', path: PropertyKey[] = []) => ({
  code: 'custom' as const,
  message,
  path,
  params: { code },
});

/** A whole number from `low` to `high`, inclusive. */
export const count = (low: number, high: number) =>
  integer().transform((value, ctx) => {
    const fault = boundFault(value, low, high);
    if (fault === null) return value;
    ctx.addIssue(refusal(fault));
    return z.NEVER;
  });

/** A number from `low` to `high`, inclusive. */
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
