import type { Span } from '../../buckets.js';
import type { SeriesMath, Statistic } from '../../series-schema.js';
import { commaList, type Fragment, sql } from '../../sql/fragment.js';
import { PERSON_NUMBER, property } from '../../sql/property.js';
import { LONGEST_SESSION, selectFromEvents } from '../../sql/source.js';
import { within as isWithin } from '../../sql/time.js';
import { type Actor, actorKey } from '../actor.js';
import type { KindContext } from '../kind.js';
import type { TrendsQuery } from './trends-schema.js';

/** Maths that aggregate events directly. The others need a subquery by actor or session, or a longer time span. */
type EventMath = Exclude<SeriesMath, { kind: (typeof OTHERS)[number] }>;

const OTHERS = [
  'weekly_active',
  'monthly_active',
  'first_time_for_user',
  'first_matching_event_for_user',
  'hogql',
  'count_per_actor',
  'session_duration',
] as const;

export const isEventMath = (math: SeriesMath): math is EventMath => !OTHERS.some((kind) => kind === math.kind);

/** The aggregate of a math over the events that match `only` (null: all). A finite number. */
export function aggregate(math: EventMath, only: Fragment | null): Fragment {
  if (math.kind === 'total') return only ? sql`countIf(${only})` : sql`count()`;
  if (math.kind === 'dau') return only ? sql`uniqExactIf(${PERSON_NUMBER}, ${only})` : sql`uniqExact(${PERSON_NUMBER})`;
  if (math.kind === 'unique_group') return different(actorKey({ type: 'group', index: math.index }), only);
  if (math.kind === 'unique_session') return different(SESSION, only);
  const { number } = property(math.property.owner, math.property.key);
  return statistic(math.kind, only ? sql`if(${only}, ${number}, null)` : number);
}

const different = (key: Fragment, only: Fragment | null): Fragment =>
  only ? sql`uniqExactIf(${key}, ${only} and ${key} != '')` : sql`uniqExactIf(${key}, ${key} != '')`;

/** Whether a math counts unique persons, groups or sessions. */
export const isUnique = ({ kind }: SeriesMath): boolean => kind === 'dau' || kind === 'unique_group' || kind === 'unique_session';

/** What a unique math counts. */
export function ownerOf(math: SeriesMath): Actor {
  if (math.kind === 'unique_session') return { type: 'session' };
  return math.kind === 'unique_group' ? { type: 'group', index: math.index } : { type: 'person' };
}

/**
 * The math for an interval. Weekly active users by week, and monthly active users by month, are the unique persons of each interval; by other
 * intervals they are the unique persons of the 7 or 30 days that end with it.
 */
export function mathForInterval(math: SeriesMath, { interval, trends }: Pick<TrendsQuery, 'interval' | 'trends'>): SeriesMath {
  const isOfInterval =
    (math.kind === 'weekly_active' && interval === 'week') || (math.kind === 'monthly_active' && interval === 'month');
  return isOfInterval && !trends.isTotal ? { kind: 'dau' } : math;
}

const FUNCTIONS: Record<Statistic, Fragment> = {
  sum: sql`sum`,
  avg: sql`avg`,
  min: sql`min`,
  max: sql`max`,
  median: sql`quantileExactInclusive(0.5)`,
  p75: sql`quantileExactInclusive(0.75)`,
  p90: sql`quantileExactInclusive(0.9)`,
  p95: sql`quantileExactInclusive(0.95)`,
  p99: sql`quantileExactInclusive(0.99)`,
};

/** A statistic of numbers: ignores null, 0 if there are none. Quantiles are interpolated. */
export const statistic = (kind: Statistic, number: Fragment): Fragment =>
  sql`ifNotFinite(ifNull(${FUNCTIONS[kind]}(${number}), 0), 0)`;

const SESSION = actorKey({ type: 'session' });
const SESSION_HASH = sql`cityHash64(${SESSION})`;

/**
 * Selects a statistic of session durations in seconds for each interval and breakdown value. A session counts once in each interval with an
 * event of the series, with its whole duration: from its first event of any name to its last.
 */
export function sessionLengths(
  kind: Statistic,
  span: Span,
  { select, within, groups }: { select: readonly Fragment[]; within: readonly Fragment[]; groups: readonly Fragment[] },
  { projectId }: KindContext,
): Fragment {
  const sessions = selectFromEvents({
    projectId,
    select: [sql`${SESSION_HASH} as session`, ...select],
    where: [...within, sql`${SESSION} != ''`],
    groupBy: [sql`session`, ...groups],
  });
  const lengths = selectFromEvents({
    projectId,
    select: [sql`${SESSION_HASH} as session`, sql`dateDiff('second', min(e.timestamp), max(e.timestamp)) as seconds`],
    where: [...isWithin({ from: span.from - LONGEST_SESSION, to: span.to + LONGEST_SESSION }), sql`${SESSION} != ''`],
    groupBy: [sql`session`],
  });
  return sql`select ${commaList(groups)}, ${statistic(kind, sql`l.seconds`)} as v
    from (${sessions}) as s
    global any left join (${lengths}) as l on l.session = s.session
    group by ${commaList(groups)}`;
}
