import { BREAKDOWN_OTHER, type Breakdown, shownValues } from '../../breakdown.js';
import { bitAt, bucketIndex, EVENT_MILLIS, maskType, placesIn } from '../../sql/bucket-index.js';
import { bound, commaList, EMPTY, type Fragment, sql, whole } from '../../sql/fragment.js';
import { selectFromEvents } from '../../sql/source.js';
import { actorKey, isEvent } from '../actor.js';
import { type Execute, instantSql, type KindContext } from '../kind.js';
import { cohortStartRows, type RequestedValue, startsIn, startValue } from './cohort-start-sql.js';
import type { Periods } from './periods.js';
import { isSameEvent, relevant } from './relevant-sql.js';
import { columnEnds, type RetentionQuery } from './retention-query.js';

/** Whether masks or lists of periods are enough: nothing has to be known of single events but in which period they are. */
const isPlain = ({ begins, minimum, isRolling, breakdown }: RetentionQuery): boolean =>
  begins !== 'first_ever' && minimum === 1 && !isRolling && breakdown === null;

/**
 * A row for each actor: `actor`, `begun` (numbers of the periods in which they begin), `returned` (in which they come).
 */
function returns(query: RetentionQuery, periods: Periods, context: KindContext): Fragment {
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
  const bit = bitAt(query.begins === 'first_time' ? sql`if(${isBefore}, 0, ${index})` : index, type);
  const masks = isSameEvent(query.target, query.returning)
    ? [sql`groupBitOr(${bit}) as targets`, sql`targets as comings`]
    : [sql`groupBitOrIf(${bit}, ${target}) as targets`, sql`groupBitOrIf(${bit}, ${returning}) as comings`];
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${actorKey(query.actor)} as actor`, ...masks],
    where: relevant(query, span, context),
    groupBy: [sql`actor`],
    small: true,
  });
}

/** Of the masks: `begun` and `returned`. Who did it before does not begin for the first time. */
function listsIn({ begins }: RetentionQuery): Fragment {
  const places = (mask: Fragment) => sql`arrayFilter(place -> place >= 0, arrayMap(place -> place - 1, ${mask}))`;
  const begun = begins === 'first_time' ? sql`arraySlice(${placesIn(sql`targets`)}, 1, 1)` : placesIn(sql`targets`);
  return sql`${places(begun)} as begun, ${places(placesIn(sql`comings`))} as returned`;
}

/** As {@link returns}, of more periods than a mask has bits. */
function returnLists(query: RetentionQuery, { span, buckets }: Periods, context: KindContext): Fragment {
  const [target, returning] = [isEvent(query.target, context), isEvent(query.returning, context)];
  const isRecent = sql`e.timestamp >= ${instantSql(span.from)}`;
  const index = bucketIndex(EVENT_MILLIS, buckets);
  const first = sql`minIf(${EVENT_MILLIS}, ${target})`;
  const isNew = sql`countIf(${target}) > 0 and ${first} >= ${bound('Int64', span.from)}`;
  const isOnce = query.begins === 'first_time';
  const begun = isOnce
    ? sql`if(${isNew}, [${bucketIndex(first, buckets)}], emptyArrayInt64())`
    : sql`groupUniqArrayIf(${index}, ${target})`;
  const returned = sql`groupUniqArrayIf(${index}, ${isOnce ? sql`${returning} and ${isRecent}` : returning})`;
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${actorKey(query.actor)} as actor`, sql`${begun} as begun`, sql`${returned} as returned`],
    where: relevant(query, span, context),
    groupBy: [sql`actor`],
  });
}

/** Of a row and one of its beginnings, `start`: in which columns after it they came, that of the beginning (0) included. */
function offsets(query: RetentionQuery, isCumulative = query.cumulative): Fragment {
  const ends = columnEnds(query);
  const columns = bound('Int64', ends.length);
  const periods = sql`arrayFilter(later -> later > 0, arrayMap(one -> one - start, returned))`;
  const later = query.brackets ? inBrackets(periods, ends) : periods;
  if (isCumulative) return sql`range(toInt64(least(${columns}, 1 + arrayMax(arrayPushBack(${later}, 0)))))`;
  return sql`arrayPushBack(arrayFilter(later -> later < ${columns}, ${later}), 0)`;
}

/** The columns of periods, each once; those behind the last one have the number after it. */
function inBrackets(periods: Fragment, ends: readonly number[]): Fragment {
  const column = sql`arrayFirstIndex(end -> end >= later, ${bound('Array(Int64)', ends)})`;
  const last = whole(ends.length);
  return sql`arrayDistinct(arrayMap(later -> toInt64(if(${column} = 0, ${last}, ${column} - 1)), ${periods}))`;
}

/** How many columns a row has. */
const columnsOf = (query: RetentionQuery): Fragment => bound('Int64', columnEnds(query).length);

export type { RequestedValue } from './cohort-start-sql.js';

/** Who is asked for: those who began in a period (its number), with a value, and are in a column (null: or not). */
export interface RetentionPoint {
  row: number;
  later: number | null;
  value: RequestedValue;
}

/**
 * A row for each actor behind a point: `actor`, `appearances` (the columns in which they are, ascending), and `event_count`, how many
 * these are.
 */
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
    ? [returns(query, periods, context), sql`has(begun, start)`]
    : [
        cohortStartRows(query, await startValue(query, periods, context, execute), periods, context),
        startsIn(sql`start`, query.breakdown, value),
      ];
  const appearances = sql`arraySort(${offsets(query, false)}) as appearances`;
  return sql`select actor, toUInt64(length(appearances)) as event_count, ${appearances} from (select *, ${start} as start from (${rows})) where ${begins} and ${came}`;
}

/** A row for each beginning and number of periods after it: `start`, `later`, `people`. Those who came alike are counted at once. */
export function retentionStatement(query: RetentionQuery, periods: Periods, context: KindContext): Fragment {
  const type = maskType(periods.buckets.starts.length + 1);
  const rows = type
    ? sql`select ${listsIn(query)}, actors from (select targets, comings, count() as actors from (${returnMasks(query, type, periods, context)}) group by targets, comings)`
    : sql`select begun, returned, 1 as actors from (${returnLists(query, periods, context)})`;
  const plain = isPlain(query)
    ? sql`select returned, actors, arrayJoin(begun) as start from (${rows})`
    : sql`select returned, 1 as actors, arrayJoin(begun).1 as start from (${cohortStartRows(query, sql`emptyArrayString()`, periods, context)})`;
  return sql`select start, later, sum(actors) as people from (select start, actors, arrayJoin(${offsets(query)}) as later from (${plain})) group by start, later`;
}

/**
 * As {@link retentionStatement} with a breakdown. A row for each value, that with most beginnings first: `shown`, and the lists
 * `cells` (`start` times the number of periods, plus `later`) and `people`.
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
  const beginnings = sql`select returned, one.1 as start, ${value} as value from (select returned, arrayJoin(begun) as one from (${rows}))`;
  const total = columnsOf(query);
  const cells = sql`select value, start * ${total} + later as cell, count() as people from (select value, start, arrayJoin(${offsets(query)}) as later from (${beginnings})) group by value, cell`;
  const each = sql`select value, groupArray(cell) as cells, groupArray(people) as numbers, sumIf(people, cell % ${total} = 0) as size from (${cells}) group by value`;
  const ranked = sql`select *, row_number() over (order by size desc, value) as place from (${each})`;
  const isShown = sql`place <= ${bound('Int64', shownValues(breakdown))}`;
  const others = sql`arrayMap(one -> ${bound('String', BREAKDOWN_OTHER)}, value)`;
  const sums = sql`select if(${isShown}, value, ${others}) as shown, sumMap(cells, numbers) as sums, min(place) as first from (${ranked}) ${hideOther ? sql`where ${isShown}` : EMPTY} group by shown`;
  return sql`select ${commaList([sql`shown`, sql`sums.1 as cells`, sql`sums.2 as people`])} from (${sums}) order by first`;
}

/** The values that have a table of their own. */
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
