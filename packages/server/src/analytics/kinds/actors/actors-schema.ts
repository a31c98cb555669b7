import { z } from 'zod';
import { INTERVALS, type Interval } from '../../buckets.js';
import { absent, columnList, count, exactText, orderOf, refusal } from '../../fields.js';
import type { FilterGroup } from '../../filter.js';
import { filters } from '../../filter-schema.js';
import { isReadableName, type Owner } from '../../sql/property.js';
import type { FunnelsQuery } from '../funnels/funnels-schema.js';
import type { LifecycleQuery, LifecycleStatus } from '../lifecycle/lifecycle-schema.js';
import type { PathsQuery } from '../paths/paths-schema.js';
import { columnEnds, type RetentionQuery } from '../retention/retention-schema.js';
import { type Expression, expressionText, readSelected, selectedText } from '../sql/expression.js';
import { firstFault, hasUserSql, isExpression, type ListFields } from '../sql/write-list.js';
import type { StickinessQuery } from '../stickiness/stickiness-schema.js';
import type { TrendsQuery } from '../trends/trends-schema.js';
import { sourceField } from './source-schema.js';

/**
 * Which actors of a funnel. `step` (from 1): took it; negative: took the step before, but not this one. `exactly`: the last step is one of
 * these. `day` (trends view): started in the interval and converted, or dropped off.
 */
export type FunnelReach = { step: number } | { exactly: number[] } | { day: string; droppedOff: boolean };

/** A data point of an insight. Intervals have the names of its result (`2024-01-31`). */
export type ActorsSource =
  | {
      of: 'trends';
      query: TrendsQuery;
      series: number;
      /** Null: the whole range. */
      day: string | null;
      breakdown: string[] | null;
      previous: boolean;
    }
  | {
      of: 'funnels';
      query: FunnelsQuery;
      reached: FunnelReach;
      breakdown: string[] | null;
    }
  /** Row and column (null: the whole row), from 0. */
  | { of: 'retention'; query: RetentionQuery; row: number; later: number | null; breakdown: string[] | null }
  | { of: 'stickiness'; query: StickinessQuery; series: number; intervals: number; previous: boolean }
  | { of: 'lifecycle'; query: LifecycleQuery; day: string; status: LifecycleStatus }
  | { of: 'paths'; query: PathsQuery };

/** Fields of an actor. */
const ACTOR_FIELDS = ['actor', 'id', 'created_at', 'is_identified', 'event_count', 'appearances'] as const;
type ActorField = (typeof ACTOR_FIELDS)[number];

/** Retention only: whether the actor is in a column (from 0) of their row. */
export interface AppearanceColumn {
  name: string;
  period: Interval;
  at: number;
}

/** A result column; `name` is the requested name, `actor` the whole person or group. */
export type ActorColumn = ({ name: string } & ({ field: ActorField } | { key: string })) | AppearanceColumn;

/** Whether a column exists for points of retention only. */
const isOfRetention = (column: ActorColumn): boolean =>
  'period' in column || ('field' in column && column.field === 'appearances');

/** Lists persons or groups: all persons, or those behind a point of an insight. */
export interface ActorsQuery {
  kind: 'ActorsQuery';
  source: ActorsSource | null;
  select: (ActorColumn | Expression)[];
  /** Conditions in SQL, joined by AND. Like all SQL expressions, only for lists of all persons. */
  where: Expression[];
  search: string;
  properties: FilterGroup;
  /** Null, only with SQL expressions: newest first, groups with the highest number first. */
  orderBy: { column: ActorColumn | Expression; descending: boolean }[] | null;
  limit: number;
  offset: number;
  filterTestAccounts: boolean;
}

/** Actors with properties. */
export type ActorOwner = Exclude<Owner, { type: 'event' }>;

/** Actors of a list. Sessions and values have only an id and an event count. */
export type ListedActor = ActorOwner | { type: 'session' | 'value' };

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
      orderBy: orderBy ?? (hasUserSql({ select, where, orderBy }) ? null : [source ? BUSIEST : NEWEST]),
      limit: raw.limit ?? 100,
      offset: raw.offset ?? 0,
      filterTestAccounts: source?.query.filterTestAccounts ?? false,
    };
  })
  .meta({ id: 'ActorsQuery', description: 'Lists persons or groups: all persons, or those behind a point of an insight.' });
