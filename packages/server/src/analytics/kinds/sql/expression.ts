import type { Expr } from './ast.js';
import { findFunction } from './functions.js';
import { parseColumn } from './parse-select.js';
import { SqlFault } from './sql-fault.js';

/** A parsed SQL expression, with an optional alias: `toStartOfDay(timestamp) as day`. */
export interface Expression {
  /** The source text. */
  name: string;
  alias: string | null;
  /** Contains an aggregate function such as `count()`. */
  isAggregate: boolean;
  /** The syntax tree. A function, so that JSON cache keys do not include it: `name` is part of the key. */
  expr: () => Expr;
}

/** Parses an expression. @returns an error message if it is not valid */
export function readExpression(name: string): Expression | string {
  try {
    const { expr, alias } = parseColumn(name);
    if (expr.is === 'star') return `"${name.slice(0, 200)}" is not a column.`;
    return { name, alias, isAggregate: isAggregate(expr), expr: () => expr };
  } catch (error) {
    if (error instanceof SqlFault) return error.message;
    throw error;
  }
}

/** Whether it calls an aggregate function, except as a window function or inside a subquery. */
function isAggregate(expr: object): boolean {
  if ('is' in expr && expr.is === 'query') return false;
  if (isCall(expr) && !expr.over && findFunction(expr.name)?.isAggregate) return true;
  return Object.values(expr).some((value) => typeof value === 'object' && value !== null && isAggregate(value));
}

const isCall = (expr: object): expr is Extract<Expr, { is: 'call' }> => 'is' in expr && expr.is === 'call';
