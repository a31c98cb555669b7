import { z } from 'zod';
import { uuid } from '../../http/atoms.js';
import { absent, columnList, count, dateText, exactText, flag, orderOf, refusal } from '../atoms.js';
import { filters } from '../filter-schema.js';
import type { EventsQuery } from '../query.js';
import { columnOrder } from './event-column-sql.js';
import { type EventColumn, readColumn } from './event-columns.js';

export const MAX_LIMIT = 50_000;
const MAX_COLUMNS = 200;

const column = exactText().transform((name, ctx): EventColumn => {
  const found = readColumn(name);
  if (found) return found;
  ctx.addIssue(refusal(`"${name.slice(0, 200)}" is not a column.`, 'invalid_choice'));
  return z.NEVER;
});

const order = exactText().transform((value, ctx) => {
  const { name, descending } = orderOf(value);
  const found = readColumn(name);
  if (found && columnOrder(found)) return { column: found, descending };
  ctx.addIssue(refusal(`"${name.slice(0, 200)}" is not a column to order by.`, 'invalid_choice'));
  return z.NEVER;
});

export const eventsSchema = z
  .object({
    kind: z.literal('EventsQuery').describe('Lists events.'),
    select: absent(columnList(column, MAX_COLUMNS))
      .describe(
        'Columns: `*`, fields such as `event` and `timestamp`, `properties.$browser`, `person.properties.email`. All if left out.',
      )
      .meta({ example: ['uuid', 'event', 'timestamp', 'properties.$current_url'] }),
    properties: filters(),
    fixedProperties: filters(),
    filterTestAccounts: flag().describe("Leaves out the events of tests, by the project's `test_account_filters`."),
    event: absent(exactText()).describe('Only events of this name.'),
    personId: absent(uuid()).describe('Only events of the person with this UUID.'),
    distinctId: absent(exactText()).describe('Only events captured under this distinct id.'),
    orderBy: absent(columnList(order, MAX_COLUMNS))
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
      filterTestAccounts: raw.filterTestAccounts,
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
