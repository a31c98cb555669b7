import { BREAKDOWN_OTHER } from '../../breakdown.js';
import { bound, commaList, every, type Fragment, sql, whole } from '../../sql/fragment.js';
import { OTHER, readLabel } from '../funnels/breakdown-label.js';
import { rankedValues } from '../funnels/conversion-trends.js';
import { entrances } from '../funnels/entrances-sql.js';
import { funnelRuns } from '../funnels/funnel-runs-sql.js';
import type { FunnelsQuery } from '../funnels/funnels-query.js';
import { hasOptional, requiredBefore, took } from '../funnels/optional-steps.js';
import { stepValues } from '../funnels/steps.js';
import type { Execute, KindContext } from '../kind.js';
import { bucketsFor, spanFor } from '../span.js';
import { areAmong } from '../trends/keys.js';
import type { ActorsSource } from './actors-query.js';
import { findInterval } from './find-interval.js';

type FunnelPoint = Extract<ActorsSource, { of: 'funnels' }>;

/** Selects the actors behind a point of a funnel: `actor`, and `event_count`, the number of steps taken. */
export async function funnelActors(
  { query, reached, breakdown }: FunnelPoint,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const span = await spanFor(query, query.interval, context, execute);
  if ('day' in reached) {
    const buckets = bucketsFor(span, query.interval, context);
    const index = findInterval(reached.day, buckets, context, 'funnelTrendsEntrancePeriodStart');
    const rows = entrances(query, span, buckets, context);
    const ofValue = await isOfValue(query, breakdown, () => rankedValues(query, rows, execute));
    const where = [sql`start = ${bound('Int64', buckets.starts[index])}`, ...ofValue];
    const { from, to } = query.view.type === 'trends' ? query.view : { from: 0, to: query.series.length - 1 };
    const converted = sql`event_count > ${whole(to)}`;
    const isAsked = reached.droppedOff ? sql`event_count > ${whole(from)} and not ${converted}` : converted;
    return sql`select actor, max(steps) as event_count from (${rows}) where ${every(where)} group by actor having ${isAsked}`;
  }
  const rows = funnelRuns(query, span, context);
  const ofValue = await isOfValue(query, breakdown, () => stepValues(query, rows, execute));
  const steps = hasOptional(query) ? sql`arrayCount(one -> one > 0, best)` : sql`length(best)`;
  const where = every([isReached(query, reached), ...ofValue]);
  return sql`select actor, max(event_count) as event_count
    from (select actor, toUInt64(${steps}) as event_count
    from (${rows})
    where ${where})
    group by actor`;
}

/** Condition on `best`. Drop-off at a step: took the required step before it, but not the step itself. */
function isReached(query: FunnelsQuery, reached: { step: number } | { exactly: readonly number[] }): Fragment {
  if ('exactly' in reached) return sql`length(best) in (${commaList(reached.exactly.map(whole))})`;
  const { step } = reached;
  const own = took(query, sql`best`, Math.abs(step) - 1);
  if (step > 0) return own;
  return every([took(query, sql`best`, requiredBefore(query, -step - 1)), sql`not (${own})`]);
}

/** Condition: the row has the breakdown value. "Other" means all values that the result does not list, unless it lists a value "Other". */
async function isOfValue(
  { breakdown }: FunnelsQuery,
  given: readonly string[] | null,
  namedValues: () => Promise<string[][]>,
): Promise<Fragment[]> {
  if (given === null || !breakdown) return [];
  const asked = readLabel(given, breakdown);
  const isOne = [sql`value = ${bound('Array(String)', asked)}`];
  const isMarked = asked.every((text) => text === BREAKDOWN_OTHER);
  if (!isMarked && !asked.every((text) => text === OTHER)) return isOne;
  const named = await namedValues();
  if (!isMarked && named.some((value) => value.join('\0') === asked.join('\0'))) return isOne;
  const keys = (named[0] ?? asked).map((_, index) => sql`value[${whole(index + 1)}]`);
  return [sql`not ${areAmong(keys, named)}`];
}
