import { type Buckets, bucketsOf, type Span } from '../../buckets.js';
import { bitAt, bucketIndex, EVENT_MILLIS, maskType, placesIn } from '../../sql/bucket-index.js';
import { aboutScope, inScope } from '../../sql/filter.js';
import { bound, commaList, type Fragment, identifier, joining, some, sql, TRUE, whole } from '../../sql/fragment.js';
import { maskColumn } from '../../sql/person-columns.js';
import { numberOf } from '../../sql/property.js';
import { OWN_ID, selectFromEvents, selectFromGroups, selectFromPersons } from '../../sql/source.js';
import { actorFor, hasActor, isEvent, rowsByActor } from '../actor.js';
import type { KindContext } from '../kind.js';
import { type LifecycleQuery, type LifecycleStatus, STATUSES } from './lifecycle-schema.js';

/** Prepends the interval before the range: it decides who is returning or dormant in the first one. */
export function withOneBefore(buckets: Buckets, { interval }: LifecycleQuery, { moment, weekStart }: KindContext): Buckets {
  const [first] = buckets.starts;
  const before = first === undefined ? null : bucketsOf({ from: first - 1, to: first }, interval, moment.zone, weekStart);
  const joined = (name: 'starts' | 'ends') => [...(before?.[name] ?? []), ...buckets[name]];
  return { ...buckets, starts: joined('starts'), ends: joined('ends') };
}

/**
 * Selects a row for each actor, interval and status: `actor`, `period` (from 1; 0 is the interval before the range) and `status`:
 *
 *   active, created in this interval          new
 *   else active, also in the interval before  returning
 *   active, otherwise                         resurrecting
 *   not active, active in the interval before dormant
 */
export const lifecycleRows = (query: LifecycleQuery, span: Span, known: Buckets, context: KindContext): Fragment =>
  statuses(sql`actor`, lives(sql`a.actor as actor`, query, span, known, context), known);

/** Bits of the masks that {@link countedByBit} can count. */
const MAX_BITS = 64;

/** Selects a row for each interval and status: `start`, `status` and `people`. Actors with the same active intervals are aggregated first. */
export function lifecycleCounts(query: LifecycleQuery, span: Span, known: Buckets, context: KindContext): Fragment {
  const alike = sql`${lives(sql`count() as actors`, query, span, known, context)} group by active, began`;
  if (known.starts.length <= MAX_BITS) return countedByBit(alike, known);
  const start = sql`${bound('Array(Int64)', known.starts)}[period + 1] as start`;
  return sql`select ${start}, status, sum(actors) as people from (${statuses(sql`actors`, alike, known)}) group by period, status`;
}

/** The intervals of each status as a mask of bits; `before` is `active` one interval later. */
const MASKS: Record<LifecycleStatus, Fragment> = {
  new: sql`born`,
  returning: sql`bitAnd(bitAnd(active, before), bitNot(born))`,
  resurrecting: sql`bitAnd(active, bitNot(bitOr(before, born)))`,
  dormant: sql`bitAnd(before, bitNot(active))`,
};

/** Counts as {@link statuses} does, but with a sum for each bit of a mask instead of a row for each interval: a third of the time less. */
function countedByBit(rows: Fragment, { starts }: Buckets): Fragment {
  const born = sql`bitAnd(active, bitShiftLeft(toUInt64(began >= 0), greatest(began, 0)))`;
  const masks = STATUSES.map((status) => sql`${MASKS[status]} as ${identifier(status)}`);
  const masked = sql`select actors, ${commaList(masks)}
    from (select actors, active, bitShiftLeft(active, 1) as before, ${born} as born from (${rows}))`;
  const counted = STATUSES.flatMap((status) => starts.slice(1).map((start, index) => ({ status, start, bit: index + 1 })));
  const sums = counted.map(({ status, bit }) => sql`sumIf(actors, bitTest(${identifier(status)}, ${whole(bit)}))`);
  const names = bound(
    'Array(String)',
    counted.map(({ status }) => status),
  );
  const times = bound(
    'Array(Int64)',
    counted.map(({ start }) => start),
  );
  return sql`select of.1 as start, of.2 as status, of.3 as people
    from (select arrayJoin(arrayZip(${times}, ${names}, people)) as of
    from (select [${commaList(sums)}] as people
    from (${masked})))
    where people > 0`;
}

function statuses(carried: Fragment, rows: Fragment, known: Buckets): Fragment {
  const type = maskType(known.starts.length);
  const active = type ? placesIn(sql`active`) : sql`active`;
  const status = sql`multiIf(one = began, 'new', has(places, one - 1), 'returning', 'resurrecting')`;
  const present = sql`arrayMap(one -> (one, ${status}), places)`;
  const last = bound('Int64', known.starts.length - 1);
  const gone = sql`arrayMap(one -> (one + 1, 'dormant'), arrayFilter(one -> one < ${last} and not has(places, one + 1), places))`;
  const lists = sql`select ${carried}, began, ${active} as places from (${rows})`;
  return sql`select ${carried}, of.1 as period, of.2 as status
    from (select ${carried}, arrayJoin(arrayConcat(${present}, ${gone})) as of
    from (${lists}))
    where period > 0`;
}

/** Selects for each actor `carried`, `active` (intervals as a bit mask, or a sorted list if too many) and `began` (interval of creation; -1: none). */
function lives(carried: Fragment, query: LifecycleQuery, span: Span, known: Buckets, context: KindContext): Fragment {
  const from = known.starts[0] ?? span.from;
  const type = maskType(known.starts.length);
  const index = bucketIndex(EVENT_MILLIS, known);
  const where = [...inScope(query, { from, to: span.to }, context), isEvent(query.series, context), ...hasActor(query.actor)];
  const active = type
    ? rowsByActor(query.actor, { columns: [maskColumn(sql`active`, bitAt(index, type))], where }, context)
    : sql`select actor, arraySort(places) as active from (${rowsByActor(
        query.actor,
        {
          columns: [
            { name: sql`places`, of: sql`groupUniqArray(${index})`, united: (lists) => sql`groupUniqArrayArray(${lists})` },
          ],
          where,
        },
        context,
      )})`;
  const isWithin = sql`b.found = 1 and b.since >= ${bound('Int64', from)} and b.since < ${bound('Int64', span.to)}`;
  const began = sql`if(${isWithin}, toInt64(${bucketIndex(sql`b.since`, known)}), -1)`;
  return sql`select ${carried}, a.active as active, ${began} as began
    from (${active}) as a
    global any left join (${births(query, { from, to: span.to }, context)}) as b on b.id = a.actor`;
}

/** Selects when actors were created: `id`, `since` and `found`. By their profile, else by their first event. Those outside of the span may be missing. */
const births = (query: LifecycleQuery, span: Span, context: KindContext): Fragment =>
  sql`select id, argMax(created, known) as since, 1 as found
    from (${profiles(query, span, context)} union all ${firstEvents(query, context)})
    group by id`;

const CREATED = { alias: 'created', expression: sql`toUnixTimestamp64Milli(created_at)`, isCreation: true } as const;

function profiles({ actor }: LifecycleQuery, { from, to }: Span, context: KindContext): Fragment {
  const { projectId, namesActors } = context;
  if (actor.type === 'person') {
    const created = joining(sql`p.created`, { table: 'persons', column: CREATED });
    const isWithin = (time: Fragment) => sql`${time} >= ${bound('Int64', from)} and ${time} < ${bound('Int64', to)}`;
    const idOf = (uuid: Fragment) => (namesActors ? uuid : numberOf(uuid));
    // a profile from outside of the span matters only to somebody who has propertyless events, too
    const propertyless = selectFromEvents({
      projectId,
      select: [sql`${actorFor(actor, context)} as id`],
      where: [IS_PROPERTYLESS],
      groupBy: [sql`id`],
    });
    const isNeeded = (uuid: Fragment, time: Fragment) => some([isWithin(time), sql`${idOf(uuid)} global in (${propertyless})`]);
    return selectFromPersons(
      projectId,
      [sql`${idOf(OWN_ID)} as id`, sql`${created} as created`, sql`1 as known`],
      isNeeded(OWN_ID, created),
      // of which any version counts: reading the newest version of everybody takes ten times as long
      { among: isNeeded(sql`person_id`, CREATED.expression) },
    );
  }
  const table = identifier(`g${actor.index}`);
  const created = joining(sql`${table}.created`, { table: 'groups', index: actor.index, column: CREATED });
  return selectFromGroups(
    projectId,
    actor.index,
    [sql`${table}.group_key as id`, sql`${created} as created`, sql`1 as known`],
    TRUE,
  );
}

const IS_PROPERTYLESS = sql`e.person_mode = 'propertyless'`;

/** Selects the first event of actors. Persons without a profile have propertyless events only. */
function firstEvents(query: LifecycleQuery, context: KindContext): Fragment {
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${actorFor(query.actor, context)} as id`, sql`min(${EVENT_MILLIS}) as created`, sql`0 as known`],
    // unbounded in time: later first events fall into no interval, and an upper bound would only make the engine read more columns
    where: [...(query.actor.type === 'person' ? [IS_PROPERTYLESS] : hasActor(query.actor)), ...aboutScope(query, context)],
    groupBy: [sql`id`],
  });
}
