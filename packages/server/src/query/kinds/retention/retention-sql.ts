import type { Span } from '../../buckets.js';
import type { EventsNode } from '../../query.js';
import { bitAt, bucketIndex, EVENT_MILLIS, maskType, placesIn } from '../../sql/bucket-index.js';
import { bound, type Fragment, some, sql } from '../../sql/fragment.js';
import { aboutScope } from '../../sql/scope.js';
import { selectFromEvents } from '../../sql/source.js';
import { actorKey, hasActor, isEvent } from '../actor.js';
import { instantSql, type KindContext } from '../kind.js';
import type { Periods } from './periods.js';
import type { RetentionQuery } from './retention-query.js';

/** A row for each actor: `actor`, `begun` (numbers of the periods in which they begin), `returned` (in which they come). */
export function returns(query: RetentionQuery, periods: Periods, context: KindContext): Fragment {
  const type = maskType(periods.buckets.starts.length + 1);
  if (!type) return returnLists(query, periods, context);
  return sql`select actor, ${listsIn(query)} from (${returnMasks(query, type, periods, context)})`;
}

/**
 * A row for each actor: `targets` and `comings`, a bit for each period with an event of that kind; the first bit (0) stands for all
 * the time before.
 */
function returnMasks(query: RetentionQuery, type: Fragment, { span, buckets }: Periods, context: KindContext): Fragment {
  const [target, returning] = [isEvent(query.target, context), isEvent(query.returning, context)];
  const index = sql`1 + ${bucketIndex(EVENT_MILLIS, buckets)}`;
  const isBefore = sql`e.timestamp < ${instantSql(span.from)}`;
  const bit = bitAt(query.isFirstTime ? sql`if(${isBefore}, 0, ${index})` : index, type);
  const isSame = isEqual(query.target, query.returning);
  const masks = isSame
    ? [sql`groupBitOr(${bit}) as targets`, sql`targets as comings`]
    : [sql`groupBitOrIf(${bit}, ${target}) as targets`, sql`groupBitOrIf(${bit}, ${returning}) as comings`];
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${actorKey(query.actor)} as actor`, ...masks],
    where: relevant(query, span, context),
    groupBy: [sql`actor`],
  });
}

/** Of the masks: `begun` and `returned`. Who did it before does not begin for the first time. */
function listsIn({ isFirstTime }: RetentionQuery): Fragment {
  const places = (mask: Fragment) => sql`arrayFilter(place -> place >= 0, arrayMap(place -> place - 1, ${mask}))`;
  const begun = isFirstTime ? sql`arraySlice(${placesIn(sql`targets`)}, 1, 1)` : placesIn(sql`targets`);
  return sql`${places(begun)} as begun, ${places(placesIn(sql`comings`))} as returned`;
}

/** The events that retention is about. */
function relevant(query: RetentionQuery, span: Span, context: KindContext): Fragment[] {
  const [target, returning] = [isEvent(query.target, context), isEvent(query.returning, context)];
  const either = isEqual(query.target, query.returning) ? target : some([target, returning]);
  const isRecent = sql`e.timestamp >= ${instantSql(span.from)}`;
  return [
    sql`e.timestamp < ${instantSql(span.to)}`,
    // that somebody begins for the first time is known only by all that was before
    query.isFirstTime ? some([target, sql`(${isRecent} and ${returning})`]) : sql`(${isRecent} and ${either})`,
    ...aboutScope(query, context),
    ...hasActor(query.actor),
  ];
}

/** As {@link returns}, of more periods than a mask has bits. */
function returnLists(query: RetentionQuery, { span, buckets }: Periods, context: KindContext): Fragment {
  const [target, returning] = [isEvent(query.target, context), isEvent(query.returning, context)];
  const isRecent = sql`e.timestamp >= ${instantSql(span.from)}`;
  const index = bucketIndex(EVENT_MILLIS, buckets);
  const first = sql`minIf(${EVENT_MILLIS}, ${target})`;
  const isNew = sql`countIf(${target}) > 0 and ${first} >= ${bound('Int64', span.from)}`;
  const begun = query.isFirstTime
    ? sql`if(${isNew}, [${bucketIndex(first, buckets)}], emptyArrayInt64())`
    : sql`groupUniqArrayIf(${index}, ${target})`;
  const returned = sql`groupUniqArrayIf(${index}, ${query.isFirstTime ? sql`${returning} and ${isRecent}` : returning})`;
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${actorKey(query.actor)} as actor`, sql`${begun} as begun`, sql`${returned} as returned`],
    where: relevant(query, span, context),
    groupBy: [sql`actor`],
  });
}

const isEqual = (one: EventsNode, other: EventsNode): boolean =>
  one.event === other.event && JSON.stringify(one.properties) === JSON.stringify(other.properties);

/** Of a row of {@link returns} and one of its beginnings, `start`: how many periods later they came, 0 included. */
export function offsets({ total, cumulative }: RetentionQuery): Fragment {
  const later = sql`arrayFilter(later -> later > 0, arrayMap(one -> one - start, returned))`;
  const periods = bound('Int64', total);
  if (cumulative) return sql`range(toInt64(least(${periods}, 1 + arrayMax(arrayPushBack(${later}, 0)))))`;
  return sql`arrayPushBack(arrayFilter(later -> later < ${periods}, ${later}), 0)`;
}

/** A row for each beginning and number of periods after it: `start`, `later`, `people`. Those who came alike are counted at once. */
export function retentionStatement(query: RetentionQuery, periods: Periods, context: KindContext): Fragment {
  const type = maskType(periods.buckets.starts.length + 1);
  const rows = type
    ? sql`select ${listsIn(query)}, actors from (select targets, comings, count() as actors from (${returnMasks(query, type, periods, context)}) group by targets, comings)`
    : sql`select begun, returned, 1 as actors from (${returnLists(query, periods, context)})`;
  const beginnings = sql`select returned, actors, arrayJoin(begun) as start from (${rows})`;
  return sql`select start, later, sum(actors) as people from (select start, actors, arrayJoin(${offsets(query)}) as later from (${beginnings})) group by start, later`;
}
