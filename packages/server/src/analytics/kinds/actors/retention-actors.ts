import { ApiError } from '../../../kernel/errors.js';
import { BREAKDOWN_OTHER } from '../../breakdown.js';
import type { Fragment } from '../../sql/fragment.js';
import type { Execute, KindContext } from '../kind.js';
import { periodsOf } from '../retention/periods.js';
import { ALL_USERS } from '../retention/retention.js';
import type { RequestedValue } from '../retention/retention-sql.js';
import { namedValues, retentionActors } from '../retention/retention-sql.js';
import type { ActorsSource } from './actors-query.js';

type RetentionPoint = Extract<ActorsSource, { of: 'retention' }>;

/** Selects the actors behind a point of retention (see `retentionActors`). */
export async function retentionPoint(
  { query, row, later, breakdown: given }: RetentionPoint,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const periods = await periodsOf(query, context, execute);
  if (row >= periods.buckets.starts.length) {
    throw new ApiError('invalid_input', 'There is no such row.', 'query__source__interval');
  }
  const { breakdown } = query;
  const valueOfGiven = async (): Promise<RequestedValue> => {
    if (given === null || !breakdown) return null;
    if (breakdown.by.type === 'cohorts') return { is: given.map((one) => (one === ALL_USERS ? 'all' : one)) };
    if (given.some((one) => one !== BREAKDOWN_OTHER)) return { is: given };
    return { isNone: await namedValues(query, breakdown, periods, context, execute) };
  };
  return retentionActors(query, { row, later, value: await valueOfGiven() }, periods, context, execute);
}
