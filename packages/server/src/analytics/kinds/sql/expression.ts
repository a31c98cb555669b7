import type { Expr } from './ast.js';
import { findFunction } from './functions.js';
import { parseColumn } from './parse-select.js';
import { SqlFault } from './sql-fault.js';

/** An expression of SQL where the name of a column may stand: `toStartOfDay(timestamp) as day`. */
export interface Expression {
  /** As it was written. */
  name: string;
  alias: string | null;
  /** Whether it is computed of many rows, such as `count()`. */
  isAggregate: boolean;
  /** What was read of it. A function, and so no part of the key under which results are cached: `name` says the same. */
  expr: () => Expr;
}

/** Reads an expression. @returns a text that tells what is wrong with it */
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

/** Whether an aggregate is called in it, other than over a window or within a select of its own. */
function isAggregate(expr: object): boolean {
  if ('is' in expr && expr.is === 'query') return false;
  if (isCall(expr) && !expr.over && findFunction(expr.name)?.isAggregate) return true;
  return Object.values(expr).some((value) => typeof value === 'object' && value !== null && isAggregate(value));
}

const isCall = (expr: object): expr is Extract<Expr, { is: 'call' }> => 'is' in expr && expr.is === 'call';
