import { ApiError } from '../../../kernel/errors.js';
import type { Moment } from '../../dates.js';
import { type Fragment, TRUE, userSql } from '../../sql/fragment.js';
import { type Expression, readExpression } from './expression.js';
import { type ScopeSource, scopeFor } from './scope.js';
import { SqlFault } from './sql-fault.js';
import { EVENTS, type Form } from './views.js';
import { write } from './write-select.js';

/*
 * Expressions of SQL in the filters, breakdowns and maths of insights. They are written over the events of the insight's own statement,
 * which has these as `e`.
 */

/** Writes an expression for the engine. @throws ApiError invalid_input, where it is too long */
export type WriteExpression = (expression: Expression, form: Form) => Fragment;

/** What writes the expressions of one query; what they may take is counted together. */
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

/** The events of a statement that reads them as `e`. */
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

/** Reads an expression about each event for itself. @returns a text that says what is wrong with it */
export function readEventExpression(text: string): Expression | string {
  const read = readInsightExpression(text);
  if (typeof read !== 'string' && read.isAggregate) return 'Aggregates such as count() are not allowed there.';
  return read;
}

/** Reads an expression that makes one value of many events. @returns a text that says what is wrong with it */
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
