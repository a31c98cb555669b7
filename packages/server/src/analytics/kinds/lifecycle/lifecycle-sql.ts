import { type Buckets, bucketsOf, type Span } from '../../buckets.js';
import { bitAt, bucketIndex, EVENT_MILLIS, maskType, placesIn } from '../../sql/bucket-index.js';
import { aboutScope, inScope } from '../../sql/filter.js';
import { bound, type Fragment, identifier, joining, sql, TRUE } from '../../sql/fragment.js';
import { OWN_ID, selectFromEvents, selectFromGroups, selectFromPersons } from '../../sql/source.js';
import { actorKey, hasActor, isEvent } from '../actor.js';
import type { KindContext } from '../kind.js';
import type { LifecycleQuery } from './lifecycle-schema.js';

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

/** Selects a row for each interval and status: `start`, `status` and `people`. Actors with the same active intervals are aggregated first. */
export function lifecycleCounts(query: LifecycleQuery, span: Span, known: Buckets, context: KindContext): Fragment {
  const alike = sql`${lives(sql`count() as actors`, query, span, known, context)} group by active, began`;
  const start = sql`${bound('Array(Int64)', known.starts)}[period + 1] as start`;
  return sql`select ${start}, status, sum(actors) as people from (${statuses(sql`actors`, alike, known)}) group by period, status`;
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
  const active = selectFromEvents({
    projectId: context.projectId,
    select: [
      sql`${actorKey(query.actor)} as actor`,
      type ? sql`groupBitOr(${bitAt(index, type)}) as active` : sql`arraySort(groupUniqArray(${index})) as active`,
    ],
    where: [...inScope(query, { from, to: span.to }, context), isEvent(query.series, context), ...hasActor(query.actor)],
    groupBy: [sql`actor`],
  });
  const began = sql`if(since >= ${bound('Int64', from)} and since < ${bound('Int64', span.to)}, toInt64(${bucketIndex(sql`since`, known)}), -1)`;
  return sql`with ${SINCE} as since select ${carried}, a.active as active, ${began} as began
    from (${active}) as a ${births(query, context)}`;
}

/** Creation time: of the profile, else of the first event. */
const SINCE = sql`if(c.known = 1, c.created, f.first)`;

function births(query: LifecycleQuery, context: KindContext): Fragment {
  return sql`global any left join (${profiles(query, context)}) as c on c.id = a.actor
    global any left join (${firstEvents(query, context)}) as f on f.id = a.actor`;
}

const CREATED = { alias: 'created', expression: sql`toUnixTimestamp64Milli(created_at)`, isCreation: true } as const;

function profiles({ actor }: LifecycleQuery, { projectId }: KindContext): Fragment {
  if (actor.type === 'person') {
    const created = joining(sql`p.created`, { table: 'persons', column: CREATED });
    return selectFromPersons(projectId, [sql`${OWN_ID} as id`, sql`${created} as created`, sql`1 as known`], TRUE);
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

/** Selects the first event of actors. Persons without a profile have propertyless events only. */
function firstEvents(query: LifecycleQuery, context: KindContext): Fragment {
  return selectFromEvents({
    projectId: context.projectId,
    select: [sql`${actorKey(query.actor)} as id`, sql`min(${EVENT_MILLIS}) as first`],
    // unbounded in time: later first events fall into no interval, and an upper bound would only make the engine read more columns
    where: [
      ...(query.actor.type === 'person' ? [sql`e.person_mode = 'propertyless'`] : hasActor(query.actor)),
      ...aboutScope(query, context),
    ],
    groupBy: [sql`id`],
  });
}
