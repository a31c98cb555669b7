import { type RawBuilder, sql } from 'kysely';
import { likePattern } from '../kernel/sql.js';
import type { Db } from '../ports/db.js';
import type { Page } from './pagination.js';

/** A list in SQL, without `select`, `from` and so on. */
interface ListSql {
  columns: RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  /** All of them must be true. */
  where: readonly RawBuilder<unknown>[];
  orderBy: RawBuilder<unknown>;
}

/** Reads a page of a list; `count` is that of all pages. */
export async function selectPage<Row>(
  db: Db,
  { columns, from, where, orderBy }: ListSql,
  { limit, offset }: Page,
): Promise<{ count: number; rows: Row[] }> {
  const matching = sql`${from} where ${sql.join(where, sql` and `)}`;
  const [counted, page] = await Promise.all([
    sql<{ count: number }>`select count(*) as count from ${matching}`.execute(db),
    sql<Row>`select ${columns} from ${matching} order by ${orderBy} limit ${limit} offset ${offset}`.execute(db),
  ]);
  return { count: counted.rows[0]?.count ?? 0, rows: page.rows };
}

/**
 * Reads the parameter `order` of a list: one of `columns` by its name, with a minus for descending. An unknown name counts as
 * `byDefault`, which is of the same form.
 */
export function readOrder(order: string | undefined, columns: Readonly<Record<string, RawBuilder<unknown>>>, byDefault: string) {
  for (const written of [order ?? '', byDefault]) {
    const name = written.replace(/^-/, '');
    const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (column) return { column, direction: written.startsWith('-') ? sql`desc` : sql`asc` };
  }
  throw new Error(`There is no column ${byDefault}.`);
}

/** The caller of a list. */
export interface Reader {
  userId: number;
  /** Ids that the access rules hide from the caller, except from their creator. */
  hidden: readonly number[];
}

/** The condition that a reader may see a row of `table`, a table or its alias. */
export const isReadable = (table: string, { userId, hidden }: Reader): RawBuilder<unknown> =>
  hidden.length === 0
    ? sql`true`
    : sql`(${sql.ref(`${table}.id`)} <> all (${hidden}::int[]) or ${sql.ref(`${table}.created_by`)} = ${userId})`;

/** Which objects of a kind a user sees. */
export interface Sight extends Reader {
  /** Whether the whole kind is closed to the user, except own objects and those of {@link shown}. */
  isClosed: boolean;
  /** Ids that a rule of their own opens. */
  shown: readonly number[];
}

/** The condition that a user may see a row of `table`, as {@link isReadable}, also where the whole kind is closed. */
export const isVisible = (table: string, sight: Sight): RawBuilder<unknown> =>
  sight.isClosed
    ? sql`(${sql.ref(`${table}.id`)} = any (${sight.shown}::int[]) or ${sql.ref(`${table}.created_by`)} = ${sight.userId})`
    : isReadable(table, sight);

/** The condition that one of the columns contains a text, in any case. */
export function containsText(text: string, ...columns: readonly string[]): RawBuilder<unknown> {
  const pattern = likePattern(text);
  return sql`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} ilike ${pattern}`),
    sql` or `,
  )})`;
}
