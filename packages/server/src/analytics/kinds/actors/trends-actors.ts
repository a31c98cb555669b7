import { BREAKDOWN_OTHER, shownValues } from '../../breakdown.js';
import { daysBefore, type Span } from '../../buckets.js';
import type { MathActor, SeriesMath } from '../../series-schema.js';
import { EVENT_MILLIS } from '../../sql/bucket-index.js';
import { aboutScope, condition, inScope } from '../../sql/filter.js';
import { every, type Fragment, sql } from '../../sql/fragment.js';
import { selectFromEvents } from '../../sql/source.js';
import { before } from '../../sql/time.js';
import { actorKey, hasActor, isEvent, isNamed } from '../actor.js';
import { areAmong, binsOf, type Keys, keysOf } from '../breakdown.js';
import { type Execute, instantSql, type KindContext } from '../kind.js';
import { bucketsFor, type ComparedSpans, comparedSpans, findInterval } from '../span.js';
import { mathForInterval } from '../trends/aggregate.js';
import { shownKeys } from '../trends/broken-down.js';
import { timeOf, withIntervalMath } from '../trends/plan.js';
import type { ActorsSource } from './actors-schema.js';

type TrendsPoint = Extract<ActorsSource, { of: 'trends' }>;

/** Whose events a series counts together. */
export function actorOfMath(math: SeriesMath): MathActor {
  if (math.kind === 'unique_group') return { type: 'group', index: math.index };
  return math.kind === 'count_per_actor' ? math.actor : { type: 'person' };
}

/** Selects the persons or groups behind a point of a trend: `actor`, `event_count`. */
export async function trendsActors(
  point: TrendsPoint,
  context: KindContext,
  execute: Execute,
): Promise<{ actor: MathActor; statement: Fragment }> {
  const { query, breakdown } = point;
  const series = query.series[point.series];
  if (!series) throw new Error('the schema lets no such series through');
  const actor = actorOfMath(series.math);
  const spans = await comparedSpans({ ...query, isTotal: query.trends.isTotal }, context, execute);
  const span = spanOfPoint(point, spans, context);
  const keys = query.breakdown
    ? keysOf(
        query.breakdown,
        await binsOf(query, query.breakdown, [spans.current, ...(spans.previous ? [spans.previous] : [])], context, execute),
        context,
      )
    : [];
  const isOther = breakdown?.includes(BREAKDOWN_OTHER) ?? false;
  const chosen = breakdown && (isOther ? await shownBeside(point, spans, keys, context, execute) : [breakdown]);
  const isChosen = chosen && (isOther ? sql`not ${areAmong(keys, chosen)}` : areAmong(keys, chosen));
  const where = [...hasActor(actor), ...(isChosen ? [isChosen] : [])];
  const select = [sql`${actorKey(actor)} as actor`, sql`count() as event_count`];
  const groupBy = [sql`actor`];
  const { projectId } = context;
  const isMatching = series.math.kind === 'first_matching_event_for_user';
  if (series.math.kind !== 'first_time_for_user' && !isMatching) {
    const own = [...inScope(query, span, context), isEvent(series, context), ...where];
    return { actor, statement: selectFromEvents({ projectId, select, where: own, groupBy }) };
  }
  const filters = [...aboutScope(query, context), condition(series.properties, context)];
  const holds = every([...(isMatching ? [] : filters), ...where]);
  const order = sql`(e.timestamp, e.uuid)`;
  const firsts = selectFromEvents({
    projectId,
    select: [...select, sql`min(${EVENT_MILLIS}) as at`, sql`argMin(${holds}, ${order}) as holds`],
    where: [before(span.to), isNamed(series, context), ...(isMatching ? filters : [])],
    groupBy,
  });
  const isNew = sql`fromUnixTimestamp64Milli(at, 'UTC') >= ${instantSql(span.from)}`;
  return { actor, statement: sql`select actor, toUInt64(1) as event_count from (${firsts}) where holds and ${isNew}` };
}

/** The breakdown values with their own lines, without "other". */
async function shownBeside(
  point: TrendsPoint,
  spans: ComparedSpans,
  keys: readonly Fragment[],
  context: KindContext,
  execute: Execute,
): Promise<Keys[]> {
  const query = withIntervalMath(point.query);
  const series = query.series[point.series];
  if (!series || !query.breakdown) return [];
  const time = timeOf(query, point.previous && spans.previous ? spans.previous : spans.current, context);
  return shownKeys(query, { series, keys, time, shown: shownValues(query.breakdown) }, context, execute);
}

const DAYS: Partial<Record<string, number>> = { weekly_active: 7, monthly_active: 30 };

/** The span that a point counts: the interval, or the 7 or 30 days before its end for weekly and monthly active users. */
function spanOfPoint(point: TrendsPoint, spans: ComparedSpans, context: KindContext): Span {
  const { query, day, previous } = point;
  const time = previous && spans.previous ? spans.previous : spans.current;
  const buckets = day === null ? null : bucketsFor(time, query.interval, context);
  const index = buckets && day !== null ? findInterval(day, buckets, context) : 0;
  // a running total includes all earlier intervals
  const start = query.trends.cumulative ? time.from : buckets?.starts[index];
  const from = Math.max(start ?? time.from, time.from);
  const to = Math.min(buckets?.ends[index] ?? time.to, time.to);
  const math = query.series[point.series]?.math;
  const days = math && DAYS[mathForInterval(math, query).kind];
  return days === undefined ? { from, to } : { from: daysBefore(to, days, context.moment.zone), to };
}
