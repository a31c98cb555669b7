import type { Json } from '../../../kernel/json.js';
import { type Fragment, type ProfileOwner, profilesRead, TRUE } from '../../sql/fragment.js';
import { UTC } from '../../zone.js';
import { type Execute, type KindContext, type ListColumn, type ListResult, listResult } from '../kind.js';
import { type Expr, type Order, orRefuse, type Select, SqlFault } from './ast.js';
import type { Expression } from './expression.js';
import { answered, scopeFor } from './scope.js';
import { writeOne } from './write-select.js';

/** Expressions of the service itself for a column or order; a column may need several values. */
interface OwnValues {
  name: string;
  values: readonly Fragment[];
}

/** A column of the service itself: its type in results, and how its value is read. */
export interface OwnColumn extends OwnValues {
  type: string;
  read(values: Json[]): Json;
}

/** A list of events or persons with SQL expressions of users in columns, conditions and order. */
export interface List {
  table: 'events' | 'persons';
  columns: readonly (Expression | OwnColumn)[];
  /** Conditions of the rest of the request, and their part on the timestamp. */
  filters: Fragment;
  time: Fragment;
  where: readonly Expression[];
  /** Null: {@link defaultOrder}. */
  orderBy: readonly { by: Expression | OwnValues; descending: boolean }[] | null;
  /** Default sort key, descending. */
  newest: Fragment;
  /** Unique key, so that pages neither repeat nor miss a row. */
  unique: Fragment;
  limit: number;
  offset: number;
}

type ListContext = Pick<KindContext, 'projectId' | 'moment'>;

/**
 * Runs a list under the same row filter as SQL queries.
 * @throws ApiError invalid_input if the list is not allowed
 */
export async function runList(list: List, context: ListContext, execute: Execute): Promise<ListResult> {
  const { fragment, names } = orRefuse('query', () => writeList(list, context));
  const author = { projectId: context.projectId, timezone: context.moment.zone.name };
  const { rows, columns } = await execute.userSql(fragment, author, 'query');
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const read = list.columns.map((column, index): ListColumn<Record<string, Json>> => {
    const own = names[index] ?? [];
    const value = (row: Record<string, Json>, name = ''): Json => row[name] ?? null;
    return isExpression(column)
      ? { name: column.name, type: types.get(own[0] ?? '') ?? '', read: (row) => value(row, own[0]) }
      : { name: column.name, type: column.type, read: (row) => column.read(own.map((name) => value(row, name))) };
  });
  return listResult(rows, read, list);
}

/**
 * Writes the select of a list, with a limit of one row more than requested. With an aggregate among the columns, rows are grouped by all
 * other columns.
 * @returns the statement, and the result column names of each column's values
 * @throws SqlFault
 */
function writeList(list: List, { projectId, moment }: ListContext): { fragment: Fragment; names: string[][] } {
  const isGrouped = list.columns.some(isAggregate);
  const items = list.columns.map((column, index) =>
    exprsOf(column, `column ${index}`).map((expr, at) => ({
      expr,
      alias: 'expr' in column ? column.alias : `column ${index} ${at}`,
      text: 'expr' in column ? column.name.slice(0, 200) : '',
    })),
  );
  // filters of events apply before any user expression is computed
  const filters: Expr = list.table === 'events' ? { is: 'filters' } : { is: 'own', name: 'filters', value: list.filters };
  const groups = list.where.flatMap((one) => (one.isAggregate ? [one.expr()] : []));
  const select: Select = {
    distinct: false,
    items: items.flat(),
    from: { first: { is: 'table', name: list.table, alias: null }, joins: [], unfold: null },
    where: { is: 'every', of: [filters, ...list.where.flatMap((one) => (one.isAggregate ? [] : [one.expr()]))] },
    groupBy: isGrouped
      ? list.columns.flatMap((column, index) => (isAggregate(column) ? [] : exprsOf(column, `column ${index}`)))
      : [],
    having: groups.length > 0 ? { is: 'every', of: groups } : null,
    orderBy: list.orderBy ? ordersOf(list.orderBy, list.unique, isGrouped) : defaultOrder(list, isGrouped),
    limitBy: null,
    limit: list.limit + 1,
    offset: list.offset === 0 ? null : list.offset,
  };
  const { zone, now } = moment;
  const { fragment, columns } = writeOne(
    select,
    scopeFor({ projectId, zone: zone.name, now, filters: list.filters, time: list.time }),
  );
  let taken = 0;
  const names = items.map((own) => own.map(() => answered(columns[taken++] ?? '')));
  return { fragment, names };
}

/** The expressions of a request, by field. */
export type ListFields = Record<'select' | 'where' | 'orderBy', readonly (Expression | object)[]>;

/**
 * Finds the first expression with a name or function that is not allowed for a table.
 * @returns its path and an error message; null: all are allowed
 */
export function firstFault(
  table: List['table'],
  fields: ListFields,
): { path: [field: string, index: number]; message: string } | null {
  const [columns, where, orderBy] = [fields.select, fields.where, fields.orderBy].map((list) => list.filter(isExpression));
  const faultOf = (some: Partial<Pick<List, 'columns' | 'where'>>, orders: readonly Expression[] = []): string | null => {
    try {
      writeList({ ...NO_ROWS, table, orderBy: orders.map((by) => ({ by, descending: false })), ...some }, NOBODY);
      return null;
    } catch (error) {
      if (error instanceof SqlFault) return error.message;
      throw error;
    }
  };
  if (faultOf({ columns: columns ?? [], where: where ?? [] }, orderBy) === null) return null;
  const aliases = (columns ?? []).flatMap(({ alias }) => (alias === null ? [] : [alias]));
  for (const [field, list] of Object.entries(fields)) {
    for (const [index, one] of list.entries()) {
      if (!isExpression(one)) continue;
      const others = aliases.filter((alias) => alias !== one.alias).map((alias) => ({ ...NAMED, alias }));
      const message = faultOf({ columns: [...others, one] });
      if (message !== null) return { path: [field, index], message };
    }
  }
  return { path: ['select', 0], message: 'The query is too long.' };
}

/** Whose profiles the expressions in the columns and the order of a list read. */
export function profilesOfList(
  table: List['table'],
  columns: readonly Expression[],
  orderBy: readonly Expression[],
): ReadonlySet<ProfileOwner> {
  const list = { ...NO_ROWS, table, columns, orderBy: orderBy.map((by) => ({ by, descending: false })) };
  return profilesRead(orRefuse('query', () => writeList(list, NOBODY)).fragment);
}

export const isExpression = (column: object): column is Expression => 'expr' in column;

/** Whether a list has any expression. */
export const hasUserSql = ({ select, where, orderBy }: UserList): boolean =>
  [...select, ...where, ...(orderBy ?? []).map(({ column }) => column)].some(isExpression);

interface UserList {
  select: readonly object[];
  where: readonly object[];
  orderBy: readonly { column: object }[] | null;
}

const NAMED: Expression = { name: '', alias: null, isAggregate: false, expr: () => ({ is: 'number', value: '1' }) };
const NOBODY: ListContext = { projectId: 0, moment: { zone: UTC, now: 0 } };
const NO_ROWS: Omit<List, 'table'> = {
  columns: [],
  filters: TRUE,
  time: TRUE,
  where: [],
  orderBy: [],
  newest: TRUE,
  unique: TRUE,
  limit: 1,
  offset: 0,
};

/** Whether a column is an expression with an aggregate. */
export const isAggregate = (column: object): boolean => isExpression(column) && column.isAggregate;

const exprsOf = (column: Expression | OwnValues, name: string): Expr[] =>
  'expr' in column ? [column.expr()] : column.values.map((value, at) => ({ is: 'own', name: `${name} ${at}`, value }));

function ordersOf(orderBy: NonNullable<List['orderBy']>, unique: Fragment, isGrouped: boolean): Order[] {
  const terms = orderBy.flatMap(({ by, descending }, index) =>
    exprsOf(by, `order ${index}`).map((expr): Order => ({ by: expr, descending, nulls: 'last' })),
  );
  return isGrouped ? terms : [...terms, { by: { is: 'own', name: 'unique', value: unique }, descending: false, nulls: null }];
}

/** Groups with the highest number first, other rows newest first. */
function defaultOrder({ columns, newest, unique }: List, isGrouped: boolean): Order[] {
  if (!isGrouped) return ordersOf([{ by: { name: 'newest', values: [newest] }, descending: true }], unique, false);
  const counted = columns.find((column): column is Expression => 'expr' in column && /^\s*count\(\)/i.test(column.name));
  const first = counted ?? columns.find((column): column is Expression => 'expr' in column && column.isAggregate);
  return first ? ordersOf([{ by: first, descending: true }], unique, true) : [];
}
