import { z } from 'zod';
import { primaryKey, uuid } from '../../../http/fields.js';
import { absent, columnList, count, dateText, exactText, flag, matchesAction, orderOf, refusal } from '../../fields.js';
import type { FilterGroup } from '../../filter.js';
import { filters } from '../../filter-schema.js';
import { type Expression, expressionText, readSelected, selectedText } from '../sql/expression.js';
import { firstFault, isExpression } from '../sql/write-list.js';
import { columnOrder, type EventColumn, readColumn } from './event-columns.js';

/** Lists events. */
export interface EventsQuery {
  kind: 'EventsQuery';
  select: (EventColumn | Expression)[];
  /** Conditions in SQL, joined by AND. */
  where: Expression[];
  properties: FilterGroup;
  fixedProperties: FilterGroup;
  filterTestAccounts: boolean;
  event: string | null;
  /** The requested action as a filter. */
  action: FilterGroup;
  personId: string | null;
  distinctId: string | null;
  /** Null: newest first, and groups with the highest number first. */
  orderBy: { column: EventColumn | Expression; descending: boolean }[] | null;
  limit: number;
  offset: number;
  /** Exclusive bounds of the timestamp; null: unbounded. */
  after: string | null;
  before: string | null;
}

const MAX_LIMIT = 50_000;
const MAX_COLUMNS = 200;

const order = exactText().transform((value, ctx) => {
  const { name, descending } = orderOf(value);
  const found = readSelected(name, readColumn(name));
  if (typeof found !== 'string' && (isExpression(found) || columnOrder(found))) return { column: found, descending };
  ctx.addIssue(refusal(`"${name.slice(0, 200)}" is not a column to order by.`, 'invalid_choice'));
  return z.NEVER;
});

export const eventsSchema = z
  .object({
    kind: z.literal('EventsQuery').describe('Lists events.'),
    select: absent(columnList(selectedText(readColumn), MAX_COLUMNS))
      .describe(
        'Columns: `*`, fields such as `event` and `timestamp`, `properties.$browser`, `person.properties.email`, and expressions of SQL such as `toStartOfDay(timestamp) as day`. With an aggregate such as `count()` among them, rows are grouped by all others. All if left out.',
      )
      .meta({ example: ['uuid', 'event', 'timestamp', 'properties.$current_url'] }),
    where: absent(columnList(expressionText, MAX_COLUMNS))
      .describe('Conditions in SQL, all of which must hold. One with an aggregate is about the groups.')
      .meta({ example: ['properties.price > 3'] }),
    properties: filters(),
    fixedProperties: filters(),
    filterTestAccounts: flag().describe("Leaves out the events of tests, by the project's `test_account_filters`."),
    event: absent(exactText()).describe('Only events of this name.'),
    actionId: absent(primaryKey()).describe('Only events that match this action.'),
    personId: absent(uuid()).describe('Only events of the person with this UUID.'),
    distinctId: absent(exactText()).describe('Only events captured under this distinct id.'),
    orderBy: absent(columnList(order, MAX_COLUMNS))
      .describe(
        'Columns and expressions, each with `asc` or `desc` behind it. If left out newest first, and groups with the highest number first.',
      )
      .meta({ example: ['timestamp desc'] }),
    limit: absent(count(1, MAX_LIMIT)).describe('Rows, 1 to 50,000.').meta({ default: 100, maximum: MAX_LIMIT, minimum: 1 }),
    offset: absent(count(0, 2_147_483_647)).describe('Rows before the first.').meta({ default: 0, minimum: 0 }),
    after: absent(dateText('all'))
      .describe('Only later than this: a date, a date-time, a relative date such as `-7d`, or `all`.')
      .meta({ default: '-24h' }),
    before: absent(dateText()).describe('Only earlier than this.'),
  })
  .transform((raw, ctx): EventsQuery => {
    const everything = { name: '*', kind: 'field', field: '*' } as const;
    const after = raw.after ?? '-24h';
    const select = raw.select ?? [];
    const where = raw.where ?? [];
    const orderBy = raw.orderBy?.length ? raw.orderBy : null;
    const fault = firstFault('events', { select, where, orderBy: orderBy?.map((one) => one.column) ?? [] });
    if (fault) {
      ctx.addIssue(refusal(fault.message, 'invalid_choice', fault.path));
      return z.NEVER;
    }
    return {
      kind: 'EventsQuery',
      select: select.length > 0 ? select : [everything],
      where,
      properties: raw.properties,
      fixedProperties: raw.fixedProperties,
      filterTestAccounts: raw.filterTestAccounts,
      event: raw.event ?? null,
      action: matchesAction(raw.actionId ?? undefined),
      personId: raw.personId ?? null,
      distinctId: raw.distinctId ?? null,
      orderBy,
      limit: raw.limit ?? 100,
      offset: raw.offset ?? 0,
      after: after === 'all' ? null : after,
      before: raw.before ?? null,
    };
  })
  .meta({ id: 'EventsQuery', description: 'Lists events, a row each.' });
