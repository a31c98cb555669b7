import { ApiError } from '../../../kernel/errors.js';
import type { Moment } from '../../dates.js';
import { type Fragment, TRUE, userSql } from '../../sql/fragment.js';
import { type Expression, readExpression } from './expression.js';
import { type ScopeSource, scopeFor } from './scope.js';
import { SqlFault } from './sql-fault.js';
import { EVENTS, type Form } from './views.js';
import { write } from './write-select.js';

/*
 * SQL expressions of users in filters, breakdowns and maths. They are evaluated over the events `e` of the insight's own statement.
 */

/** Writes an expression as SQL. @throws ApiError invalid_input if the query becomes too long */
export type WriteExpression = (expression: Expression, form: Form) => Fragment;

/** Creates the writer for the expressions of one query. They share one size limit. */
export function expressionWriter(projectId: number, { timezone, now }: Moment): WriteExpression {
  const scope = {
    ...scopeFor({ projectId, zone: timezone, now, filters: TRUE, time: TRUE }),
    sources: [eventsOf(timezone)],
  };
  return ({ expr }, form) => {
    try {
      return userSql(write(expr(), scope, form), timezone);
    } catch (error) {
      if (error instanceof SqlFault) throw new ApiError('invalid_input', error.message, 'query');
      throw error;
    }
  };
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

const writeForNobody = (): WriteExpression => expressionWriter(0, { timezone: 'UTC', now: 0 });

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
