import { z } from 'zod';
import { ApiError } from '../../../kernel/errors.js';
import type { Moment } from '../../dates.js';
import { exactText, refusal } from '../../fields.js';
import { type Fragment, type ProfileOwner, profilesRead, TRUE, userSql } from '../../sql/fragment.js';
import { UTC } from '../../zone.js';
import { isPlainName } from '../events/event-columns.js';
import { type Expr, orRefuse, SqlFault } from './ast.js';
import { findFunction } from './functions.js';
import { parseColumn } from './parse-select.js';
import { type ScopeSource, scopeFor } from './scope.js';
import { EVENTS, type Form } from './views.js';
import { write } from './write-select.js';

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
function readExpression(name: string): Expression | string {
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

/** Writes an expression as SQL. @throws ApiError invalid_input if the query becomes too long */
export type WriteExpression = (expression: Expression, form: Form) => Fragment;

/**
 * Creates the writer for the expressions in filters, breakdowns and maths of one query. They are evaluated over the events `e` of the
 * insight's own statement and share one size limit.
 */
export function expressionWriter(projectId: number, { zone, now }: Moment): WriteExpression {
  const scope = {
    ...scopeFor({ projectId, zone: zone.name, now, filters: TRUE, time: TRUE }),
    sources: [eventsOf(zone.name)],
  };
  return ({ expr }, form) => orRefuse('query', () => userSql(write(expr(), scope, form), zone.name));
}

/** The events `e` of the surrounding statement as a source of columns. */
const eventsOf = (zone: string): ScopeSource => ({
  name: 'events',
  columns: EVENTS.columns,
  read: (chain, form) => EVENTS.column(chain, form, zone),
  filters: () => null,
  own: () => null,
  rows: () => TRUE,
  keep: null,
  raw: () => null,
});

const writeForNobody = (): WriteExpression => expressionWriter(0, { zone: UTC, now: 0 });

/** Whose profiles an expression over events reads. */
export const profilesOfExpression = (expression: Expression): ReadonlySet<ProfileOwner> =>
  profilesRead(writeForNobody()(expression, 'text'));

/** Parses and checks an expression over single events. @returns an error message if it is not valid */
export function readEventExpression(text: string): Expression | string {
  const read = readInsightExpression(text);
  if (typeof read !== 'string' && read.isAggregate) return 'Aggregates such as count() are not allowed there.';
  return read;
}

/** Parses and checks an aggregate expression. @returns an error message if it is not valid */
export function readAggregateExpression(text: string): Expression | string {
  const read = readInsightExpression(text);
  if (typeof read !== 'string' && !read.isAggregate) return 'An aggregate such as sum(properties.price) is required.';
  return read;
}

function readInsightExpression(text: string): Expression | string {
  const read = readExpression(text);
  if (typeof read === 'string') return read;
  try {
    writeForNobody()(read, 'text');
    return read;
  } catch (error) {
    if (error instanceof ApiError) return error.body.detail;
    throw error;
  }
}

/**
 * Parses an item of `select`: an unambiguous column name, else an SQL expression, else a property whose name is not valid SQL.
 * @returns an error message if it is none of them
 */
export function readSelected<Column>(name: string, column: Column | null): Column | Expression | string {
  if (column && isPlainName(name)) return column;
  const expression = readExpression(name);
  return typeof expression === 'string' ? (column ?? expression) : expression;
}

/** Schema of a column or an expression, by {@link readSelected}. */
export const selectedText = <Column extends object>(readColumn: (name: string) => Column | null) =>
  exactText().transform((name, ctx) => {
    const found = readSelected(name, readColumn(name));
    if (typeof found !== 'string') return found;
    ctx.addIssue(refusal(found, 'invalid_choice'));
    return z.NEVER;
  });

/** Schema of an SQL expression. */
export const expressionText = exactText().transform((text, ctx) => {
  const found = readExpression(text);
  if (typeof found !== 'string') return found;
  ctx.addIssue(refusal(found));
  return z.NEVER;
});
