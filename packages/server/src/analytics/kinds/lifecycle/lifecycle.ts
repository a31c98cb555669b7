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
  const known = withOneBefore(buckets, query, context);
  const rows =
    buckets.starts.length > 0
      ? await execute<{ period: number; status: string; people: number }>(lifecycleCounts(query, span, known, context))
      : [];
  const people = new Map(rows.map((row) => [`${row.status}${row.period}`, row.people]));
  const scaled = scaledBy(query);
  const action = actionOf(query.series, 0, context);
  const results = STATUSES.map((status) => {
    const sign = status === 'dormant' ? -1 : 1;
    // `|| 0` turns -0 into 0
    const data = buckets.starts.map((_, index) => sign * scaled(people.get(`${status}${index + 1}`) ?? 0) || 0);
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
