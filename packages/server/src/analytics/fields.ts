import { z } from 'zod';
import { bool, integer, integerChoice, optional, text, toPrimaryKey } from '../http/fields.js';
import type { ErrorCode } from '../kernel/errors.js';
import { isObject } from '../kernel/json.js';
import { isDate } from './dates.js';
import { type FilterGroup, MATCH_ALL } from './filter.js';
import { isReadableName, METADATA_KEYS, type PropertyOwner } from './sql/property.js';
import { SESSION_PROPERTIES } from './sql/session-columns.js';

export { unsupported } from '../http/fields.js';

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

/** The index of a group type. */
export const groupTypeIndex = absent(integerChoice([0, 1, 2, 3, 4]));

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

/** Filter: the event matches the action; undefined: every event. */
export const matchesAction = (action: number | undefined): FilterGroup =>
  action === undefined ? MATCH_ALL : { type: 'AND', values: [{ action }] };

/** The fields of a series, step or metric that name its events, as sent. */
interface RawEntity {
  isAction: boolean;
  event?: string | null | undefined;
  id?: unknown;
  properties: readonly FilterGroup[];
}

/** The events of a node, or a validation error and its field. */
type Entity =
  | { event: string | null; action?: number; properties: FilterGroup }
  | { field: 'id' | 'event'; code: 'required' | 'invalid_input'; message: string };

/** Reads which events a node counts: events of a name, or events that match the action `id`. */
export function readEntity({ isAction, event, id, properties }: RawEntity): Entity {
  if (!isAction) return { event: event || null, properties: allOf(properties) };
  if (event) return { field: 'event', code: 'invalid_input', message: 'An action has no event: its steps name theirs.' };
  if (id === undefined || id === null || id === '') return { field: 'id', code: 'required', message: 'This field is required.' };
  const action = toPrimaryKey(id);
  if (action === null) return { field: 'id', code: 'invalid_input', message: 'The number of an action is required.' };
  return { event: null, action, properties: allOf([matchesAction(action), ...properties]) };
}

const allOf = (groups: readonly FilterGroup[]): FilterGroup => {
  const [only] = groups;
  return only && groups.length === 1 ? only : { type: 'AND', values: [...groups] };
};

/** Property types of the API. */
export const OWNER_TYPES = ['event', 'person', 'group', 'session', 'event_metadata'] as const;
export type OwnerType = (typeof OWNER_TYPES)[number];

export const isOwnerType = (type: string): type is OwnerType => OWNER_TYPES.some((one) => one === type);

const KNOWN: Partial<Record<OwnerType, readonly string[]>> = { session: SESSION_PROPERTIES, event_metadata: METADATA_KEYS };

/** Why a property cannot be queried; null if it can. */
export function unreadable(type: OwnerType, key: string): string | null {
  const known = KNOWN[type];
  if (known && !known.includes(key)) return `There is no such property. There are ${known.join(', ')}.`;
  return isReadableName(key) ? null : 'A property of this name cannot be queried.';
}

/** The owner for a property type; `index` is the group type. */
export const ownerOf = (type: OwnerType, index: number): PropertyOwner => (type === 'group' ? { type, index } : { type });

/** Maximum characters of all SQL expressions of a query or filter tree together. Parsing them is synchronous work. */
const MOST_CHARACTERS = 20_000;

/** Checks the size of the SQL expressions in an unvalidated query. Visits each value once. @returns an error message, or null */
export function expressionsFault(query: unknown): string | null {
  let left = MOST_CHARACTERS;
  const open: unknown[] = [query];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...value);
    if (!isObject(value)) continue;
    for (const text of expressionsOf(value)) left -= text.length;
    if (left < 0) return `The expressions of a query may have ${MOST_CHARACTERS} characters together.`;
    open.push(...Object.values(value));
  }
  return null;
}

/** The SQL expressions in the fields of one object. */
function expressionsOf(value: Record<string, unknown>): string[] {
  const { type, key, property, breakdown_type, breakdown, math_hogql, funnelAggregateByHogQL, pathsHogQLExpression } = value;
  const texts = [
    math_hogql,
    funnelAggregateByHogQL,
    pathsHogQLExpression,
    ...(type === 'hogql' ? [key, property] : []),
    ...(breakdown_type === 'hogql' ? [breakdown].flat() : []),
  ];
  return texts.filter((text) => typeof text === 'string');
}
