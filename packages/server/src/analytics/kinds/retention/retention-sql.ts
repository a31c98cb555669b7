import { BREAKDOWN_OTHER, type Breakdown, shownValues } from '../../breakdown.js';
import { bitAt, bucketIndex, EVENT_MILLIS, maskType, placesIn } from '../../sql/bucket-index.js';
import { bound, byPerson, commaList, EMPTY, type Fragment, sql, whole } from '../../sql/fragment.js';
import { maskColumn } from '../../sql/person-columns.js';
import { selectFromEvents } from '../../sql/source.js';
import { before, notBefore } from '../../sql/time.js';
import { actorFor, isEvent, isNumberOfPerson, rowsByActor } from '../actor.js';
import type { Execute, KindContext } from '../kind.js';
import { cohortStartRows, isSameEvent, type RequestedValue, relevant, startsIn, startValue } from './cohort-start-sql.js';
import type { Periods } from './periods.js';
import { columnEnds, type RetentionQuery } from './retention-schema.js';

/** Whether the set of periods with an event is enough to know for each actor. */
const isPlain = ({ begins, minimum, isRolling, breakdown }: RetentionQuery): boolean =>
  begins !== 'first_ever' && minimum === 1 && !isRolling && breakdown === null;

/** Selects a row for each actor: `actor`, `starts` (periods in which they start a cohort) and `returned` (periods with a returning event). */
function returns(query: RetentionQuery, periods: Periods, context: KindContext): Fragment {
  const type = maskType(periods.buckets.starts.length + 1);
  if (!type) return returnLists(query, periods, context);
  return sql`select actor, ${listsIn(query)} from (${returnMasks(query, type, periods, context)})`;
}

/**
 * Selects a row for each actor: `target_mask` and `return_mask`, with a bit for each period with such an event. Bit 0 stands for the time
 * before all periods.
 */
function returnMasks(query: RetentionQuery, type: Fragment, { span, buckets }: Periods, context: KindContext): Fragment {
  const [target, returning] = [isEvent(query.target, context), isEvent(query.returning, context)];
  const index = sql`1 + ${bucketIndex(EVENT_MILLIS, buckets)}`;
  const bit = bitAt(query.begins === 'first_time' ? sql`if(${before(span.from)}, 0, ${index})` : index, type);
  const isSame = isSameEvent(query.target, query.returning);
  const columns = isSame
    ? [maskColumn(sql`target_mask`, bit)]
    : [maskColumn(sql`target_mask`, bit, target), maskColumn(sql`return_mask`, bit, returning)];
  const rows = rowsByActor(query.actor, { columns, where: relevant(query, span, context), small: true }, context);
  const masks = isSame ? sql`select actor, target_mask, target_mask as return_mask from (${rows})` : rows;
  return isNumberOfPerson(query.actor, context) ? byPerson(masks) : masks;
}

/** `starts` and `returned` from the masks. For `first_time`, an event before all periods (bit 0) leaves no start. */
function listsIn({ begins }: RetentionQuery): Fragment {
  const places = (mask: Fragment) => sql`arrayFilter(place -> place >= 0, arrayMap(place -> place - 1, ${mask}))`;
  const starts = begins === 'first_time' ? sql`arraySlice(${placesIn(sql`target_mask`)}, 1, 1)` : placesIn(sql`target_mask`);
  return sql`${places(starts)} as starts, ${places(placesIn(sql`return_mask`))} as returned`;
}

/** As {@link returns}, for more periods than a mask has bits. */
function returnLists(query: RetentionQuery, { span, buckets }: Periods, context: KindContext): Fragment {
  const [target, returning] = [isEvent(query.target, context), isEvent(query.returning, context)];
  const index = bucketIndex(EVENT_MILLIS, buckets);
  const first = sql`minIf(${EVENT_MILLIS}, ${target})`;
  const isNew = sql`countIf(${target}) > 0 and ${first} >= ${bound('Int64', span.from)}`;
  const isOnce = query.begins === 'first_time';
  const starts = isOnce
    ? sql`if(${isNew}, [${bucketIndex(first, buckets)}], emptyArrayInt64())`
    : sql`groupUniqArrayIf(${index}, ${target})`;
  const returned = sql`groupUniqArrayIf(${index}, ${isOnce ? sql`${returning} and ${notBefore(span.from)}` : returning})`;
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${actorFor(query.actor, context)} as actor`, sql`${starts} as starts`, sql`${returned} as returned`],
    where: relevant(query, span, context),
    groupBy: [sql`actor`],
  });
}

/** The columns in which an actor counts, for a row with a cohort start `start`. Column 0, the start itself, is included. */
function offsets(query: RetentionQuery, isCumulative = query.cumulative): Fragment {
  const ends = columnEnds(query);
  const columns = bound('Int64', ends.length);
  const periods = sql`arrayFilter(later -> later > 0, arrayMap(one -> one - start, returned))`;
  const later = query.brackets ? inBrackets(periods, ends) : periods;
  if (isCumulative) return sql`range(toInt64(least(${columns}, 1 + arrayMax(arrayPushBack(${later}, 0)))))`;
  return sql`arrayPushBack(arrayFilter(later -> later < ${columns}, ${later}), 0)`;
}

/** Maps period offsets to columns of several periods, without duplicates. Later periods map to the number after the last column. */
function inBrackets(periods: Fragment, ends: readonly number[]): Fragment {
  const column = sql`arrayFirstIndex(end -> end >= later, ${bound('Array(Int64)', ends)})`;
  const last = whole(ends.length);
  return sql`arrayDistinct(arrayMap(later -> toInt64(if(${column} = 0, ${last}, ${column} - 1)), ${periods}))`;
}

/** Number of columns. */
const columnsOf = (query: RetentionQuery): Fragment => bound('Int64', columnEnds(query).length);

export type { RequestedValue } from './cohort-start-sql.js';

/** A cell of the table: actors with a cohort start in period `row`, with a breakdown value, who are in column `later` (null: any). */
export interface RetentionPoint {
  row: number;
  later: number | null;
  value: RequestedValue;
}

/** Selects the actors behind a cell: `actor`, `appearances` (the columns in which they count, ascending) and `event_count`, their number. */
export async function retentionActors(
  query: RetentionQuery,
  { row, later, value }: RetentionPoint,
  periods: Periods,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const start = bound('Int64', row);
  const came = later === null ? sql`1` : sql`has(${offsets(query)}, ${bound('Int64', later)})`;
  const [rows, begins] = isPlain(query)
    ? [returns(query, periods, context), sql`has(starts, start)`]
    : [
        cohortStartRows(query, await startValue(query, periods, context, execute), periods, context),
        startsIn(sql`start`, query.breakdown, value),
      ];
  const appearances = sql`arraySort(${offsets(query, false)}) as appearances`;
  return sql`select actor, toUInt64(length(appearances)) as event_count, ${appearances}
    from (select *, ${start} as start
    from (${rows}))
    where ${begins} and ${came}`;
}

/** Selects a row for each cell: `start`, `later` (the column) and `people`. Actors with the same masks are aggregated first. */
export function retentionStatement(query: RetentionQuery, periods: Periods, context: KindContext): Fragment {
  const type = maskType(periods.buckets.starts.length + 1);
  const rows = type
    ? sql`select ${listsIn(query)}, actors
      from (select target_mask, return_mask, count() as actors
      from (${returnMasks(query, type, periods, context)})
      group by target_mask, return_mask)`
    : sql`select starts, returned, 1 as actors from (${returnLists(query, periods, context)})`;
  const plain = isPlain(query)
    ? sql`select returned, actors, arrayJoin(starts) as start from (${rows})`
    : sql`select returned, 1 as actors, arrayJoin(starts).1 as start
      from (${cohortStartRows(query, sql`emptyArrayString()`, periods, context)})`;
  return sql`select start, later, sum(actors) as people
    from (select start, actors, arrayJoin(${offsets(query)}) as later
    from (${plain}))
    group by start, later`;
}

/**
 * As {@link retentionStatement}, with a breakdown. A row for each value, the one with the most starts first: `shown`, and the parallel lists
 * `cells` (`start` × number of columns + `later`) and `people`.
 */
export async function brokenDownStatement(
  query: RetentionQuery,
  breakdown: Breakdown,
  periods: Periods,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const rows = cohortStartRows(query, await startValue(query, periods, context, execute), periods, context);
  const { by, hideOther } = breakdown;
  const value = by.type === 'cohorts' ? sql`[arrayJoin(one.2)]` : sql`one.2`;
  const beginnings = sql`select returned, one.1 as start, ${value} as value
    from (select returned, arrayJoin(starts) as one
    from (${rows}))`;
  const total = columnsOf(query);
  const cells = sql`select value, start * ${total} + later as cell, count() as people
    from (select value, start, arrayJoin(${offsets(query)}) as later
    from (${beginnings}))
    group by value, cell`;
  const each = sql`select value, groupArray(cell) as cells, groupArray(people) as numbers, sumIf(people, cell % ${total} = 0) as size
    from (${cells})
    group by value`;
  const ranked = sql`select *, row_number() over (order by size desc, value) as place from (${each})`;
  const isShown = sql`place <= ${bound('Int64', shownValues(breakdown))}`;
  const others = sql`arrayMap(one -> ${bound('String', BREAKDOWN_OTHER)}, value)`;
  const sums = sql`select if(${isShown}, value, ${others}) as shown, sumMap(cells, numbers) as sums, min(place) as first
    from (${ranked}) ${hideOther ? sql`where ${isShown}` : EMPTY}
    group by shown`;
  return sql`select ${commaList([sql`shown`, sql`sums.1 as cells`, sql`sums.2 as people`])} from (${sums}) order by first`;
}

/** The breakdown values with their own table. */
export async function namedValues(
  query: RetentionQuery,
  breakdown: Breakdown,
  periods: Periods,
  context: KindContext,
  execute: Execute,
): Promise<string[][]> {
  const rows = await execute<{ shown: string[] }>(await brokenDownStatement(query, breakdown, periods, context, execute));
  return rows.map(({ shown }) => shown).filter((shown) => !shown.every((text) => text === BREAKDOWN_OTHER));
}
