import type { Buckets, Span } from '../../buckets.js';
import type { IntervalRow, IntervalStatement } from '../../cache/interval-parts.js';
import { type Execute, type Kind, type KindContext, scaledBy } from '../kind.js';
import { bucketsFor, wholeSpan } from '../span.js';
import { actionOf, type SeriesAction } from '../trends/line.js';
import { type LifecycleQuery, type LifecycleStatus, STATUSES } from './lifecycle-schema.js';
import { lifecycleCounts, withOneBefore } from './lifecycle-sql.js';

/** People with a status in each interval; dormant people count negative. */
export interface LifecycleSeries {
  action: SeriesAction;
  label: string;
  status: LifecycleStatus;
  count: number;
  data: number[];
  labels: string[];
  days: string[];
}

export interface LifecycleResult {
  results: LifecycleSeries[];
  hasMore: false;
}

export const LIFECYCLE: Kind<LifecycleQuery, LifecycleResult> = {
  filters: ({ properties, series }) => ({ properties, series__0__properties: series.properties }),
  run: runLifecycle,
};

async function runLifecycle(query: LifecycleQuery, context: KindContext, execute: Execute): Promise<LifecycleResult> {
  const span = await wholeSpan(query, context, execute);
  const buckets = bucketsFor(span, query.interval, context);
  const rows = buckets.starts.length > 0 ? await countsOf(query, span, buckets, context, execute) : [];
  const people = new Map(rows.map((row) => [`${row.status}${row.start}`, row.people]));
  const scaled = scaledBy(query);
  const action = actionOf(query.series, 0, context);
  const results = STATUSES.map((status) => {
    const sign = status === 'dormant' ? -1 : 1;
    // `|| 0` turns -0 into 0
    const data = buckets.starts.map((start) => sign * scaled(people.get(`${status}${start}`) ?? 0) || 0);
    return {
      action,
      label: `${action.custom_name ?? action.name} - ${status}`,
      status,
      count: data.reduce((all, one) => all + one, 0),
      data,
      labels: buckets.labels,
      days: buckets.days,
    };
  });
  return { results, hasMore: false };
}

interface Row extends IntervalRow {
  status: string;
  people: number;
}

/**
 * An interval depends on its events, those of the interval before and who came to be in it. Groups without a row of their own come to be
 * with their first event, of which no version of days tells.
 */
async function countsOf(
  query: LifecycleQuery,
  span: Span,
  buckets: Buckets,
  context: KindContext,
  execute: Execute,
): Promise<Row[]> {
  const statement: IntervalStatement = (within, some) =>
    lifecycleCounts(query, within, withOneBefore(some, query, context), context);
  const since = withOneBefore(buckets, query, context).starts;
  const found =
    query.actor.type === 'person' ? await execute.byInterval<Row>({ statement, span, buckets, since, readsBirths: true }) : null;
  return found ?? execute<Row>(statement(span, buckets));
}
