import type { Buckets, Span } from '../../buckets.js';
import { bound, type Fragment, sql } from '../../sql/fragment.js';
import type { KindContext } from '../kind.js';
import { funnelRuns, originOf } from './funnel-runs-sql.js';
import { attributedStep, type FunnelsQuery } from './funnels-query.js';

/**
 * Selects a row for each actor and interval in which one of the actor's runs starts (with a breakdown: and value): `actor`, `value`, `start`
 * (of the interval, milliseconds) and `steps`, the last step of the run that reaches the most. With a breakdown by the value of a step,
 * that run gives the value (of equal runs the first); actors whose run does not take the step have no row.
 */
export function entrances(query: FunnelsQuery, span: Span, buckets: Buckets, context: KindContext): Fragment {
  const begins = sql`toInt64(run.1) + ${bound('Int64', originOf(span))}`;
  const start = sql`roundDown(${begins}, ${bound('Array(Int64)', buckets.starts)}) as start`;
  const runs = sql`select actor, value, arrayJoin(runs) as run from (${funnelRuns(query, span, context, true)})`;
  if (attributedStep(query) === null) {
    return sql`select actor, value, ${start}, max(run.2) as steps from (${runs}) group by actor, value, start`;
  }
  const first = sql`(run.2, -toInt64(run.1), -toInt64(run.3))`;
  const furthest = sql`select actor, argMax(run.4, ${first}) as own, ${start}, max(run.2) as steps
    from (${runs})
    group by actor, start`;
  return sql`select actor, own as value, start, steps from (${furthest}) where notEmpty(own)`;
}
