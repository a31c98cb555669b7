import type { Breakdown } from '../../breakdown.js';
import type { Span } from '../../buckets.js';
import type { EventsNode } from '../../series-schema.js';
import { bucketIndex, EVENT_MILLIS } from '../../sql/bucket-index.js';
import { aboutScope } from '../../sql/filter.js';
import { bound, commaList, every, type Fragment, some, sql, whole } from '../../sql/fragment.js';
import { selectFromEvents } from '../../sql/source.js';
import { before, notBefore } from '../../sql/time.js';
import { actorFor, hasActor, isEvent, isNamed } from '../actor.js';
import { areAmong, cohortNames, findBins, keysOf } from '../breakdown.js';
import type { Execute, KindContext } from '../kind.js';
import { windowOf } from '../span.js';
import type { Periods } from './periods.js';
import type { RetentionQuery } from './retention-schema.js';

/** The breakdown value of an event as a list of texts; for cohorts, all cohorts that the person is in. */
export async function startValue(
  query: RetentionQuery,
  { span }: Periods,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const { breakdown } = query;
  if (!breakdown) return sql`emptyArrayString()`;
  if (breakdown.by.type === 'cohorts') return cohortNames(breakdown.by.cohorts, context);
  const where = [...relevant(query, span, context), isEvent(query.target, context), notBefore(span.from)];
  return sql`[${commaList(keysOf(breakdown, await findBins(breakdown, where, context, execute), context))}]`;
}

/**
 * Selects a row for each actor: `actor`, `starts` (tuples of the period in which they start a cohort, the breakdown value of their first
 * event in it, and true) and `returned` (the periods with a returning event).
 */
export function cohortStartRows(query: RetentionQuery, value: Fragment, periods: Periods, context: KindContext): Fragment {
  return query.isRolling ? rollingRows(query, value, periods, context) : calendarRows(query, value, periods, context);
}

function calendarRows(query: RetentionQuery, value: Fragment, { span, buckets }: Periods, context: KindContext): Fragment {
  const [target, returning] = [isEvent(query.target, context), isEvent(query.returning, context)];
  const isOnce = query.begins !== 'every_period';
  const index = bucketIndex(EVENT_MILLIS, buckets);
  const inPeriods = selectFromEvents({
    projectId: context.projectId,
    select: [
      sql`${actorFor(query.actor, context)} as actor`,
      sql`${isOnce ? sql`if(${before(span.from)}, -1, ${index})` : index} as place`,
      sql`countIf(${returning}) as times`,
      sql`countIf(${isAnchor(query, context)}) > 0 as anchored`,
      sql`${holdsFirst(query, context)} as holds`,
      sql`${firstValue(value, target)} as value`,
    ],
    where: relevant(query, span, context),
    groupBy: [sql`actor`, sql`place`],
  });
  const all = sql`groupArrayIf((place, value, holds), anchored)`;
  // actors whose first event lies before all periods start no cohort
  const starts = sql`arrayFilter(one -> one.1 >= 0 and one.3, ${isOnce ? sql`arraySlice(arraySort(${all}), 1, 1)` : all})`;
  const returned = sql`groupArrayIf(place, place >= 0 and times >= ${bound('Int64', query.minimum)})`;
  return sql`select actor, ${starts} as starts, ${returned} as returned from (${inPeriods}) group by actor`;
}

/** Rolling periods count from the actor's first event, so each actor starts one cohort. */
function rollingRows(query: RetentionQuery, value: Fragment, { span, buckets }: Periods, context: KindContext): Fragment {
  const [target, returning] = [isEvent(query.target, context), isEvent(query.returning, context)];
  const lists = selectFromEvents({
    projectId: context.projectId,
    select: [
      sql`${actorFor(query.actor, context)} as actor`,
      sql`minIf(${EVENT_MILLIS}, ${target}) as first`,
      sql`countIf(${target}) > 0 and ${holdsFirst(query, context)} as holds`,
      sql`${firstValue(value, target)} as value`,
      sql`groupArrayIf(${EVENT_MILLIS}, ${returning} and ${notBefore(span.from)}) as return_times`,
    ],
    where: relevant(query, span, context),
    groupBy: [sql`actor`],
  });
  const start = bucketIndex(sql`first`, buckets);
  const begins = sql`one.3 and first >= ${bound('Int64', span.from)}`;
  const later = sql`arrayMap(at -> intDiv(at - first, ${whole(windowOf(1, query.period))}), arrayFilter(at -> at >= first, return_times))`;
  const often =
    query.minimum > 1
      ? sql`arrayFilter(one -> countEqual(later, one) >= ${bound('Int64', query.minimum)}, arrayDistinct(later))`
      : sql`arrayDistinct(later)`;
  return sql`select actor, arrayFilter(one -> ${begins}, [(start, value, holds)]) as starts, arrayMap(one -> one + start, ${often}) as returned
    from (select *, ${start} as start, ${later} as later
    from (${lists}))`;
}

/** The breakdown value of the first target event. Ties are broken by the value, so that results are stable. */
const firstValue = (value: Fragment, target: Fragment): Fragment => sql`argMinIf(${value}, (e.timestamp, ${value}), ${target})`;

/** `first_ever` only: the actor's first event of that name also matches the filters of the target. */
function holdsFirst(query: RetentionQuery, context: KindContext): Fragment {
  const [target, anchor] = [isEvent(query.target, context), isAnchor(query, context)];
  if (query.begins !== 'first_ever') return sql`1`;
  return sql`(countIf(${target}) > 0 and minIf(e.timestamp, ${target}) = minIf(e.timestamp, ${anchor}))`;
}

/** The requested breakdown value: this one, or none of those ("other"); null: any. */
export type RequestedValue = { is: readonly string[] } | { isNone: readonly (readonly string[])[] } | null;

/** Condition on a row of {@link cohortStartRows}: the actor starts a cohort in a period, with a breakdown value. */
export function startsIn(start: Fragment, breakdown: Breakdown | null, value: RequestedValue): Fragment {
  return sql`arrayExists(one -> one.1 = ${start} and ${isOfValue(breakdown, value)}, starts)`;
}

function isOfValue(breakdown: Breakdown | null, value: RequestedValue): Fragment {
  if (value === null) return sql`1`;
  if ('isNone' in value) {
    const keys = (value.isNone[0] ?? []).map((_, index) => sql`one.2[${whole(index + 1)}]`);
    return keys.length > 0 ? sql`not ${areAmong(keys, value.isNone)}` : sql`1`;
  }
  return breakdown?.by.type === 'cohorts'
    ? sql`has(one.2, ${bound('String', value.is[0])})`
    : sql`one.2 = ${bound('Array(String)', value.is)}`;
}

/** Conditions on the events that a retention query reads. */
export function relevant(query: RetentionQuery, span: Span, context: KindContext): Fragment[] {
  const [anchor, returning] = [isAnchor(query, context), isEvent(query.returning, context)];
  const either = isSameEvent(query.target, query.returning) ? anchor : some([anchor, returning]);
  const isRecent = notBefore(span.from);
  return [
    before(span.to),
    // whether an event is the first one depends on all earlier events
    query.begins === 'every_period' ? every([isRecent, either]) : some([anchor, every([isRecent, returning])]),
    ...aboutScope(query, context),
    ...hasActor(query.actor),
  ];
}

/** Condition: events to search for the first occurrence. For `first_ever` any event with the name, whether or not it matches the filters. */
const isAnchor = ({ begins, target }: RetentionQuery, context: KindContext): Fragment =>
  begins === 'first_ever' ? isNamed(target, context) : isEvent(target, context);

export const isSameEvent = (one: EventsNode, other: EventsNode): boolean =>
  one.event === other.event && JSON.stringify(one.properties) === JSON.stringify(other.properties);
