import { z } from 'zod';
import { integer, optional, text, uuid } from '../../http/atoms.js';
import type { ErrorCode } from '../../kernel/errors.js';
import { isDate } from '../dates.js';
import { filters } from '../filter-schema.js';
import type { EventsQuery } from '../query.js';
import { columnOrder } from './event-column-sql.js';
import { type EventColumn, readColumn } from './event-columns.js';

/** As `optional`, for a field where null says the same as leaving it out. */
export const absent = <T extends z.ZodType>(schema: T) => optional(z.union([z.null(), schema]));

/** Text as it is: names and ids may begin or end with white space. */
export const exactText = (max = 1000) => text({ max, trim: false, blank: true });

/** A date as queries take it, or one of the words given. */
export const dateText = (...words: string[]) =>
  text().transform((value, ctx) => {
    if (words.includes(value) || isDate(value)) return value;
    ctx.addIssue(refusal('A date, a date-time or a relative date such as -7d is required.'));
    return z.NEVER;
  });

const refusal = (message: string, code: ErrorCode = 'invalid_input') => ({ code: 'custom' as const, message, params: { code } });

export const MAX_LIMIT = 50_000;
const MAX_COLUMNS = 200;

const column = exactText().transform((name, ctx): EventColumn => {
  const found = readColumn(name);
  if (found) return found;
  ctx.addIssue(refusal(`"${name.slice(0, 200)}" is not a column.`, 'invalid_choice'));
  return z.NEVER;
});

const order = exactText().transform((value, ctx) => {
  const [, name = '', direction = 'asc'] = /^(.*?)(?:\s+(asc|desc))?$/is.exec(value.trim()) ?? [];
  const found = readColumn(name);
  if (found && columnOrder(found)) return { column: found, descending: direction.toLowerCase() === 'desc' };
  ctx.addIssue(refusal(`"${name.slice(0, 200)}" is not a column to order by.`, 'invalid_choice'));
  return z.NEVER;
});

const count = (low: number, high: number) =>
  integer().transform((value, ctx) => {
    if (value >= low && value <= high) return value;
    const bound = value < low ? `greater than or equal to ${low}` : `less than or equal to ${high}`;
    ctx.addIssue(refusal(`Ensure this value is ${bound}.`));
    return z.NEVER;
  });

const columns = <T extends z.ZodType>(item: T) => z.array(item, 'Expected a list of columns.').max(MAX_COLUMNS);

export const eventsSchema = z
  .object({
    kind: z.literal('EventsQuery').describe('Lists events.'),
    select: absent(columns(column))
      .describe(
        'Columns: `*`, fields such as `event` and `timestamp`, `properties.$browser`, `person.properties.email`. All if left out.',
      )
      .meta({ example: ['uuid', 'event', 'timestamp', 'properties.$current_url'] }),
    properties: filters(),
    fixedProperties: filters(),
    event: absent(exactText()).describe('Only events of this name.'),
    personId: absent(uuid()).describe('Only events of the person with this UUID.'),
    distinctId: absent(exactText()).describe('Only events captured under this distinct id.'),
    orderBy: absent(columns(order))
      .describe('Columns, each with `asc` or `desc` behind it. Newest first if left out.')
      .meta({ example: ['timestamp desc'] }),
    limit: absent(count(1, MAX_LIMIT)).describe('Rows, 1 to 50,000.').meta({ default: 100, maximum: MAX_LIMIT, minimum: 1 }),
    offset: absent(count(0, 2_147_483_647)).describe('Rows before the first.').meta({ default: 0, minimum: 0 }),
    after: absent(dateText('all'))
      .describe('Only later than this: a date, a date-time, a relative date such as `-7d`, or `all`.')
      .meta({ default: '-24h' }),
    before: absent(dateText()).describe('Only earlier than this.'),
  })
  .transform((raw): EventsQuery => {
    const newest = { column: { name: 'timestamp', kind: 'field', field: 'timestamp' }, descending: true } as const;
    const everything = { name: '*', kind: 'field', field: '*' } as const;
    const after = raw.after ?? '-24h';
    return {
      kind: 'EventsQuery',
      select: raw.select?.length ? raw.select : [everything],
      properties: raw.properties,
      fixedProperties: raw.fixedProperties,
      event: raw.event ?? null,
      personId: raw.personId ?? null,
      distinctId: raw.distinctId ?? null,
      orderBy: raw.orderBy?.length ? raw.orderBy : [newest],
      limit: raw.limit ?? 100,
      offset: raw.offset ?? 0,
      after: after === 'all' ? null : after,
      before: raw.before ?? null,
    };
  })
  .meta({ id: 'EventsQuery', description: 'Lists events, a row each.' });
