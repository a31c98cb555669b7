import { ApiError } from '../../../kernel/errors.js';
import type { Fragment } from '../../sql/fragment.js';

/*
 * Syntax tree of user SQL. The SQL for the engine is generated from this tree alone; text of the user is never passed on.
 */

export type Expr =
  | { is: 'text'; value: string }
  | { is: 'number'; value: string }
  | { is: 'constant'; value: 'null' | 'true' | 'false' }
  /** `a.b.c`: resolved to table, column and property when SQL is generated. */
  | { is: 'field'; chain: string[] }
  | { is: 'part'; of: Expr; at: Expr }
  | { is: 'call'; name: string; params: Expr[] | null; args: Expr[]; distinct: boolean; over: Over | null }
  | { is: 'binary'; operator: string; left: Expr; right: Expr }
  | { is: 'every' | 'some'; of: Expr[] }
  | { is: 'not' | 'minus'; of: Expr }
  | { is: 'array' | 'tuple'; of: Expr[] }
  | { is: 'lambda'; names: string[]; body: Expr }
  | { is: 'case'; of: Expr | null; when: { test: Expr; result: Expr }[]; otherwise: Expr | null }
  | { is: 'cast'; of: Expr; type: string }
  | { is: 'interval'; amount: Expr; unit: Unit }
  | { is: 'null-test'; of: Expr; not: boolean }
  | { is: 'in'; left: Expr; right: Expr; not: boolean }
  | { is: 'query'; query: SqlSelect }
  /** `*`, `t.*`. */
  | { is: 'star'; of: string | null }
  /** The placeholder `{filters}`. */
  | { is: 'filters' }
  /** An expression of the service itself, with a unique name. The parser never produces it. */
  | { is: 'own'; name: string; value: Fragment };

export const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type Unit = (typeof UNITS)[number];

export interface Order {
  by: Expr;
  descending: boolean;
  nulls: 'first' | 'last' | null;
}

/** A window specification. */
export interface Over {
  partitionBy: Expr[];
  orderBy: Order[];
  /** `rows between 1 preceding and current row`, generated from parsed numbers and keywords. */
  frame: string | null;
}

export interface Item {
  expr: Expr;
  alias: string | null;
  /** The source text: the column name if there is no alias. */
  text: string;
}

export type Source =
  | { is: 'table'; name: string; alias: string | null }
  | { is: 'rows'; query: SqlSelect; alias: string | null }
  | { is: 'numbers'; from: number; count: number; alias: string | null };

export interface SourceJoin {
  how: string;
  source: Source;
  on: Expr | null;
}

export interface From {
  first: Source;
  joins: SourceJoin[];
  unfold: { left: boolean; items: Item[] } | null;
}

export interface Select {
  distinct: boolean;
  items: Item[];
  from: From | null;
  where: Expr | null;
  groupBy: Expr[];
  having: Expr | null;
  orderBy: Order[];
  limitBy: { limit: number; by: Expr[] } | null;
  limit: number | null;
  offset: number | null;
}

/** Selects combined from left to right by union, intersect or except, with the `with` clause before them. */
export interface SqlSelect {
  named: ({ name: string; query: SqlSelect } | { name: string; expr: Expr })[];
  first: Select | SqlSelect;
  rest: { how: 'union all' | 'union distinct' | 'intersect' | 'except'; select: Select | SqlSelect }[];
}

/** User SQL is invalid or not allowed. The message is shown to its author. */
export class SqlFault extends Error {
  override name = 'SqlFault';
}

/** Runs work on user SQL. @throws ApiError invalid_input for the field `attr`, in place of a {@link SqlFault} */
export function orRefuse<T>(attr: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SqlFault) throw new ApiError('invalid_input', error.message, attr);
    throw error;
  }
}
