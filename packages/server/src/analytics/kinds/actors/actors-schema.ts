import { z } from 'zod';
import { INTERVALS } from '../../buckets.js';
import { absent, columnList, count, exactText, orderOf, refusal } from '../../fields.js';
import { filters } from '../../filter-schema.js';
import { isReadableName } from '../../sql/property.js';
import { columnEnds } from '../retention/retention-query.js';
import { expressionText, readSelected, selectedText } from '../selected.js';
import type { Expression } from '../sql/expression.js';
import { firstFault, isExpression, type ListFields } from '../sql/write-list.js';
import { ACTOR_FIELDS, type ActorColumn, type ActorsQuery, type ActorsSource, isOfRetention } from './actors-query.js';
import { sourceField } from './source-schema.js';

const MAX_LIMIT = 50_000;
const MAX_COLUMNS = 100;

/** Parses a column name. `person` and `group` are aliases of `actor`; `person.properties.x` is an alias of `properties.x`. */
function readColumn(name: string): ActorColumn | null {
  const plain = name === 'person' || name === 'group' ? 'actor' : name === 'actor_id' ? 'id' : name;
  const field = ACTOR_FIELDS.find((one) => one === plain);
  if (field) return { name, field };
  const [, period, at] = /^(hour|day|week|month)_(\d{1,4})$/.exec(name) ?? [];
  if (period) return { name, period: INTERVALS.find((one) => one === period) ?? 'day', at: Number(at) };
  const [, key] = /^(?:person\.)?properties\.(.+)$/s.exec(name) ?? [];
  const bare = key?.replace(/^`(.*)`$/s, '$1');
  return bare && isReadableName(bare) ? { name, key: bare } : null;
}

const order = exactText().transform((value, ctx) => {
  const { name, descending } = orderOf(value);
  const found = readSelected(name, readColumn(name));
  const isOrder = typeof found !== 'string' && !('field' in found && found.field === 'actor');
  if (isOrder && (isExpression(found) || !isOfRetention(found))) return { column: found, descending };
  ctx.addIssue(refusal(`"${name.slice(0, 200)}" is not a column to order by.`, 'invalid_choice'));
  return z.NEVER;
});

const DEFAULT_SELECT: ActorColumn[] = [{ name: 'actor', field: 'actor' }];
const NEWEST = { column: { name: 'created_at', field: 'created_at' }, descending: true } as const;
const BUSIEST = { column: { name: 'event_count', field: 'event_count' }, descending: true } as const;

const NO_SOURCE = 'Expressions can be asked of all persons, and not of those behind a point of an insight.';

function firstExpression(fields: ListFields): { path: PropertyKey[]; message: string } | null {
  for (const [field, list] of Object.entries(fields)) {
    const index = list.findIndex(isExpression);
    // a plain word is reported as an unknown column
    const name = index < 0 ? '' : list.filter(isExpression)[0]?.name;
    if (index >= 0) {
      const message = /^[\w.$]+$/.test(name ?? '') ? `"${name?.slice(0, 200)}" is not a column.` : NO_SOURCE;
      return { path: [field, index], message };
    }
  }
  return null;
}

/** Index of the first retention column that the source does not have; -1: none. */
function foreignColumn(select: readonly (ActorColumn | Expression)[], source: ActorsSource | null): number {
  const retention = source?.of === 'retention' ? source.query : null;
  return select.findIndex((column) => {
    if (isExpression(column) || !isOfRetention(column)) return false;
    if (!retention) return true;
    return 'period' in column && (column.period !== retention.period || column.at >= columnEnds(retention).length);
  });
}

const hasExpression = (fields: ListFields): boolean => Object.values(fields).flat().some(isExpression);

/** Lists persons or groups. */
export const actorsSchema = z
  .object({
    kind: z.literal('ActorsQuery').describe('Lists persons or groups.'),
    source: absent(sourceField).describe('The point of an insight whose people are asked for; all persons if left out.'),
    select: absent(columnList(selectedText(readColumn), MAX_COLUMNS)).describe(
      'Columns: `actor` (everything known of the person or group), `id`, `created_at`, `is_identified`, `event_count`, `properties.email`; of those behind a point of retention `appearances` (the columns of the row in which they are, from 0) and `day_0`, `day_1` and so on (1 where they are in that column; by the name of the period); of all persons also expressions of SQL such as `properties.age * 2` or `count()`, as of events.',
    ),
    where: absent(columnList(expressionText, MAX_COLUMNS))
      .describe('Conditions in SQL, all of which must hold. Only of all persons.')
      .meta({ example: ["properties.plan = 'pro'"] }),
    search: absent(exactText()).describe('Only those whose name, e-mail address or id holds this text.'),
    properties: filters({ types: ['person', 'group', 'cohort'], otherwise: 'person' }),
    orderBy: absent(columnList(order, MAX_COLUMNS)).describe(
      'Columns, each with `asc` or `desc` behind it. If left out: those with the most events first, of all persons the newest.',
    ),
    limit: absent(count(1, MAX_LIMIT)).describe('Rows, 1 to 50,000.').meta({ default: 100 }),
    offset: absent(count(0, 2_147_483_647)).describe('Rows before the first.').meta({ default: 0 }),
  })
  .transform((raw, ctx): ActorsQuery => {
    const source = raw.source ?? null;
    const select = raw.select ?? [];
    const where = raw.where ?? [];
    const orderBy = raw.orderBy?.length ? raw.orderBy : null;
    const fields = { select, where, orderBy: orderBy?.map((one) => one.column) ?? [] };
    const fault = source ? firstExpression(fields) : firstFault('persons', fields);
    if (fault) {
      ctx.addIssue(refusal(fault.message, 'invalid_choice', fault.path));
      return z.NEVER;
    }
    const foreign = foreignColumn(select, source);
    if (foreign >= 0) {
      const message = `"${select[foreign]?.name}" is not a column of this source.`;
      ctx.addIssue(refusal(message, 'invalid_choice', ['select', foreign]));
      return z.NEVER;
    }
    return {
      kind: 'ActorsQuery',
      source,
      select: select.length > 0 ? select : DEFAULT_SELECT,
      where,
      search: (raw.search ?? '').trim(),
      properties: raw.properties,
      orderBy: orderBy ?? (hasExpression(fields) ? null : [source ? BUSIEST : NEWEST]),
      limit: raw.limit ?? 100,
      offset: raw.offset ?? 0,
      filterTestAccounts: source?.query.filterTestAccounts ?? false,
    };
  })
  .meta({ id: 'ActorsQuery', description: 'Lists persons or groups: all persons, or those behind a point of an insight.' });
