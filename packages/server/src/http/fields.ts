import { instantOf, isoPattern } from '@tidemark/flags/iso-date';
import { z } from 'zod';
import type { ErrorCode } from '../kernel/errors.js';
import { parseUuid } from '../kernel/ids.js';
import { isObject, type JsonObject } from '../kernel/json.js';

/*
 * Field validators of request schemas. They are lenient as PostHog's API is (numbers and booleans as text, undashed UUIDs), and refuse
 * with the codes and texts that clients match on. The OpenAPI document has the plain type that clients should send.
 */

type Context = z.core.$RefinementCtx<unknown>;

function fail(ctx: Context, code: ErrorCode, message: string): never {
  ctx.addIssue({ code: 'custom', message, params: { code }, input: ctx.value });
  return z.NEVER;
}

/** Creates a lenient field. `parse` returns the value or adds an issue to the context. `described`: JSON Schema for the API description. */
function field<T>(described: JsonObject, parse: (value: unknown, ctx: Context) => T) {
  return z
    .unknown()
    .transform((value, ctx): T => {
      if (value === undefined) return fail(ctx, 'required', 'This field is required.');
      if (value === null) return fail(ctx, 'null', 'This field may not be null.');
      return parse(value, ctx);
    })
    .meta(described);
}

/** Text; numbers are converted to text. Surrounding white space is removed unless `trim` is false. */
export const text = ({ max, blank = false, trim = true }: { max?: number; blank?: boolean; trim?: boolean } = {}) =>
  field(
    { type: 'string', ...(blank ? {} : { minLength: 1 }), ...(max === undefined ? {} : { maxLength: max }) },
    (value, ctx) => {
      if (typeof value !== 'string' && typeof value !== 'number') return fail(ctx, 'invalid_input', 'Not a valid string.');
      const cut = trim ? String(value).trim() : String(value);
      if (cut.includes('\0')) return fail(ctx, 'invalid_input', 'Null characters are not allowed.');
      if (!blank && cut === '') return fail(ctx, 'blank', 'This field may not be blank.');
      if (max !== undefined && isLonger(cut, max))
        return fail(ctx, 'max_length', `Ensure this field has no more than ${max} characters.`);
      return cut;
    },
  );

/** Whether a text has more characters than this; an emoji is one, however it is stored. */
const isLonger = (text: string, max: number): boolean => text.length > max && (text.length > 2 * max || [...text].length > max);

/** Secret text (passwords): as {@link text}, but not trimmed. */
export const secret = () => text({ max: 1024, trim: false }).meta({ format: 'password' });

const TRUE = new Set<unknown>([true, 1, '1', 'true', 'True', 'TRUE', 't', 'T', 'yes', 'Yes', 'YES', 'y', 'Y', 'on', 'On', 'ON']);
const FALSE = new Set<unknown>([
  false,
  0,
  '0',
  'false',
  'False',
  'FALSE',
  'f',
  'F',
  'no',
  'No',
  'NO',
  'n',
  'N',
  'off',
  'Off',
  'OFF',
]);

/** A boolean or any of the words and numbers that stand for one. */
export const bool = () =>
  field({ type: 'boolean' }, (value, ctx) => {
    if (TRUE.has(value)) return true;
    if (FALSE.has(value)) return false;
    return fail(ctx, 'invalid_input', 'Must be a valid boolean.');
  });

function toInteger(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null;
  if (typeof value !== 'string' || !/^\s*-?\d{1,15}(\.0*)?\s*$/.test(value)) return null;
  return Math.trunc(Number(value));
}

/** A whole number, also as text; within PostgreSQL's `integer` unless `bounded` is false. */
export const integer = ({ bounded = true }: { bounded?: boolean } = {}) =>
  field({ type: 'integer', format: 'int32' }, (value, ctx) => {
    const number = toInteger(value);
    if (number === null) return fail(ctx, 'invalid_input', 'A valid integer is required.');
    if (!bounded) return number;
    if (number > 2_147_483_647) return fail(ctx, 'invalid_input', 'Ensure this value is less than or equal to 2147483647.');
    if (number < -2_147_483_648) return fail(ctx, 'invalid_input', 'Ensure this value is greater than or equal to -2147483648.');
    return number;
  });

/** A whole number from `low` to `high`. */
export const integerFrom = (low: number, high: number) =>
  field({ type: 'integer', minimum: low, maximum: high }, (value, ctx) => {
    const number = toInteger(value);
    if (number === null) return fail(ctx, 'invalid_input', 'A valid integer is required.');
    if (number > high) return fail(ctx, 'invalid_input', `Ensure this value is less than or equal to ${high}.`);
    return number < low ? fail(ctx, 'invalid_input', `Ensure this value is greater than or equal to ${low}.`) : number;
  });

/** Beyond it numbers of JSON lose digits before the point. */
const MAX_NUMBER = 1e15;

/** A number with or without digits after the point, also as text. */
export const number = () =>
  field({ type: 'number', minimum: -MAX_NUMBER, maximum: MAX_NUMBER }, (value, ctx) => {
    const isText = typeof value === 'string' && /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(value);
    const found = typeof value === 'number' || isText ? Number(value) : Number.NaN;
    if (Number.isNaN(found)) return fail(ctx, 'invalid_input', 'A valid number is required.');
    if (found > MAX_NUMBER) return fail(ctx, 'invalid_input', `Ensure this value is less than or equal to ${MAX_NUMBER}.`);
    return found < -MAX_NUMBER
      ? fail(ctx, 'invalid_input', `Ensure this value is greater than or equal to ${-MAX_NUMBER}.`)
      : found;
  });

/** Parses an id, also from text; null if the value is no integer. The id may exceed the range of the database's integers. */
export function toPrimaryKey(value: unknown): number | null {
  const id = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isInteger(id) ? id : null;
}

/** The error text for a value that is no id. */
export const incorrectTypeMessage = (value: unknown): string =>
  `Incorrect type. Expected pk value, received ${pythonType(value)}.`;

/** The id of another object. Handlers check whether the object exists; an id out of range has none. */
export const primaryKey = () =>
  field(
    { type: 'integer', format: 'int32' },
    (value, ctx) => toPrimaryKey(value) ?? fail(ctx, 'incorrect_type', incorrectTypeMessage(value)),
  );

/** One of a fixed set of whole numbers. */
export const integerChoice = <const T extends number>(choices: readonly T[]) =>
  field({ type: 'integer', enum: [...choices] }, (value, ctx): T => {
    const number = toInteger(value);
    const found = choices.find((choice) => choice === number);
    return found ?? fail(ctx, 'invalid_choice', `"${shown(value)}" is not a valid choice.`);
  });

/** One of a fixed set of words. */
export const choice = <const T extends string>(choices: readonly T[]) =>
  field({ type: 'string', enum: [...choices] }, (value, ctx): T => {
    const found = choices.find((one) => one === value);
    return found ?? fail(ctx, 'invalid_choice', `"${shown(value)}" is not a valid choice.`);
  });

/** A UUID with or without dashes, in any case; normalized to lower case with dashes. */
export const uuid = () =>
  field({ type: 'string', format: 'uuid' }, (value, ctx) => {
    const id = typeof value === 'string' ? parseUuid(value.trim().replaceAll('-', '')) : null;
    return id ?? fail(ctx, 'invalid_input', 'Must be a valid UUID.');
  });

/** An e-mail address; trimmed, case unchanged. */
export const email = () =>
  text({ max: 254 })
    .transform((value, ctx) =>
      /^[^\s@]+@[^\s@]+\.[^\s@.]+$|^[^\s@]+@localhost$/.test(value)
        ? value
        : fail(ctx, 'invalid_input', 'Enter a valid email address.'),
    )
    .meta({ format: 'email' });

/** Django REST framework's notations. */
const ISO = isoPattern({ comma: true, hourZone: true });
const DATE_FORMATS =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';

/** An ISO 8601 date-time, parsed to a Date. Without a zone it is UTC. */
export const dateTime = () =>
  field({ type: 'string', format: 'date-time' }, (value, ctx) => {
    const match = ISO.exec(typeof value === 'string' ? value.trim() : '');
    // Python has no year 0
    const at = match && match[1] !== '0000' ? instantOf(match) : Number.NaN;
    return Number.isNaN(at) ? fail(ctx, 'invalid_input', DATE_FORMATS) : new Date(at);
  });

/** A list whose items follow `item`; a single form value counts as a list of one. */
export const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value, ctx) => {
    if (value === undefined) return fail(ctx, 'required', 'This field is required.');
    if (value === null) return fail(ctx, 'null', 'This field may not be null.');
    if (!Array.isArray(value)) return fail(ctx, 'not_a_list', `Expected a list of items but got type "${pythonType(value)}".`);
    return value;
  }, z.array(item));

/** A tag: trimmed and in lower case. */
export const tag = text({ max: 255 }).transform((word) => word.toLowerCase());

/** Tags without duplicates. */
export const tagList = list(tag).transform((tags) => [...new Set(tags)]);

/** Any JSON object. */
export const object = (message = 'Not a valid object.') =>
  field(
    { type: 'object', additionalProperties: true },
    (value, ctx): JsonObject => (isObject(value) ? value : fail(ctx, 'invalid_input', message)),
  );

/** The same field where it may be left out. */
export const optional = <T extends z.ZodType>(schema: T) => z.union([z.undefined(), schema]).optional();

/** The same field where it may be null. */
export const nullable = <T extends z.ZodType>(schema: T) => z.union([z.null(), schema]);

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200);

/** Python's name of the type of a value, which error texts contain. */
function pythonType(value: unknown): string {
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return Array.isArray(value) ? 'list' : 'dict';
}

/** A field that clients know and the service does not: it may say what changes nothing (nothing, false, or `neutral`), and is refused otherwise. */
export const unsupported = (message: string, ...neutral: unknown[]) =>
  z
    .unknown()
    .superRefine((value, ctx) => {
      if (value === undefined || value === null || value === false || neutral.includes(value) || isEmpty(value)) return;
      ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
    })
    .optional()
    .describe(`Not supported: ${message}`);

/** A field that always has this value: a request may say so or leave it out, and is refused when it says anything else. */
export const always = (value: string | number | boolean, message: string) =>
  z
    .unknown()
    .superRefine((given, ctx) => {
      if (given === undefined || given === null || String(given).toLowerCase() === String(value)) return;
      ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' } });
    })
    .optional()
    .describe(`Always ${value}: ${message}`);

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
