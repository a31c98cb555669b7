import { type Buckets, daysBefore, type Span } from '../../buckets.js';
import type { InsightScope } from '../../insight-schema.js';
import type { EventsNode, SeriesMath } from '../../series-schema.js';
import { bitAt, bucketIndex, EVENT_MILLIS, maskType } from '../../sql/bucket-index.js';
import { aboutScope, condition, inScope } from '../../sql/filter.js';
import { bound, commaList, every, type Fragment, identifier, sql, TRUE, whole } from '../../sql/fragment.js';
import { countColumn, leastColumn, maskColumn } from '../../sql/person-columns.js';
import { type PersonsSelect, selectByPerson, selectFromEvents } from '../../sql/source.js';
import { before } from '../../sql/time.js';
import { hasActor, isEvent, isNamed, rowsByActor } from '../actor.js';
import type { KindContext } from '../kind.js';
import { aggregate, isEventMath, ownerOf, sessionLengths, statistic } from './aggregate.js';

/** What to compute for one series. */
export interface NumbersPlan {
  scope: InsightScope;
  series: EventsNode;
  span: Span;
  buckets: Buckets;
  /** Breakdown values; empty: no breakdown. */
  keys: readonly Fragment[];
  /** The values belong to the person (cohorts), not to the event. A person can have several. */
  areOfPerson: boolean;
  /** Additional conditions on events. */
  where: readonly Fragment[];
  /** Each person, group or session counts once, in the interval of its first event (running totals of unique counts). */
  isOnce: boolean;
}

export const keyName = (index: number): Fragment => identifier(`k${index}`);

/** Start of the interval of an event. */
export const startOfEvent = ({ starts }: Pick<Buckets, 'starts'>): Fragment =>
  sql`roundDown(${EVENT_MILLIS}, ${bound('Array(Int64)', starts)})`;

/** Selects a row for each interval and breakdown value with events: `start`, `k0`, …, `v`. */
export function numbersStatement(plan: NumbersPlan, context: KindContext): Fragment {
  const { series, span, scope, buckets, where } = plan;
  const { math } = series;
  if (math.kind === 'first_time_for_user' || math.kind === 'first_matching_event_for_user') return firstTimes(plan, context);
  if (math.kind === 'weekly_active' || math.kind === 'monthly_active') return active(plan, DAYS[math.kind], context);
  const within = [...inScope(scope, span, context), isEvent(series, context), ...where];
  const start = sql`${startOfEvent(buckets)} as start`;
  const groups = [sql`start`, ...names(plan)];
  if (math.kind === 'session_duration') {
    return sessionLengths(math.statistic, span, { select: [start, ...named(plan)], within, groups }, context);
  }
  if (math.kind === 'hogql') {
    const value = sql`ifNotFinite(ifNull(toFloat64(${context.writeExpression(math.expression, 'number')}), 0), 0)`;
    return selectFromEvents({
      projectId: context.projectId,
      select: [start, ...named(plan), sql`${value} as v`],
      where: within,
      groupBy: groups,
    });
  }
  if (plan.isOnce) return firstInSpan(plan, within, context);
  if (isEventMath(math)) {
    const select = [start, ...named(plan), sql`${aggregate(math, null)} as v`];
    return selectFromEvents({ projectId: context.projectId, select, where: within, groupBy: groups });
  }
  return perActor(math, { within, groups }, plan, context);
}

/** Counts persons, groups or sessions by the interval of their first event within the span. */
function firstInSpan(plan: NumbersPlan, within: Fragment[], context: KindContext): Fragment {
  const owner = ownerOf(plan.series.math);
  const columns = [leastColumn(sql`start`, startOfEvent(plan.buckets))];
  const firsts = rowsByActor(owner, { keys: keysOf(plan), columns, where: [...within, ...hasActor(owner)] }, context);
  const groups = commaList([sql`start`, ...names(plan)]);
  return sql`select ${groups}, count() as v from (${firsts}) group by ${groups}`;
}

const DAYS = { weekly_active: 7, monthly_active: 30 } as const;

const named = ({ keys }: NumbersPlan): Fragment[] => keys.map((key, index) => sql`${key} as ${keyName(index)}`);
const keysOf = ({ keys }: NumbersPlan) => keys.map((of, index) => ({ name: keyName(index), of }));
const names = ({ keys }: NumbersPlan): Fragment[] => keys.map((_, index) => keyName(index));

/** A statistic of the number of events per actor. */
function perActor(
  { statistic: kind, actor }: Extract<SeriesMath, { kind: 'count_per_actor' }>,
  { within, groups }: { within: Fragment[]; groups: Fragment[] },
  plan: NumbersPlan,
  context: KindContext,
): Fragment {
  const counts = rowsByActor(
    actor,
    {
      keys: [{ name: sql`start`, of: startOfEvent(plan.buckets) }, ...keysOf(plan)],
      columns: [countColumn(sql`n`)],
      where: [...within, ...hasActor(actor)],
    },
    context,
  );
  return sql`select ${commaList(groups)}, ${statistic(kind, sql`n`)} as v from (${counts}) group by ${commaList(groups)}`;
}

/**
 * Counts the persons active in the `days` days that end with each interval. The time is cut wherever a window starts or ends. Each person
 * gets a bit mask of the pieces with events; persons with equal masks are aggregated.
 */
function active(plan: NumbersPlan, days: number, context: KindContext): Fragment {
  const { buckets, span } = plan;
  const ends = buckets.ends.map((end) => Math.min(end, span.to));
  const opens = ends.map((end) => daysBefore(end, days, context.moment.zone));
  const cuts = [...new Set([...opens, ...ends])].sort((a, b) => a - b);
  const windows = { opens, ends, cuts };
  const type = maskType(cuts.length + 1);
  if (!type) return activeInPieces(plan, windows, context);
  const bit = bitAt(bucketIndex(EVENT_MILLIS, { starts: cuts }), type);
  const persons = activePersons(plan, windows, { keys: [], columns: [maskColumn(sql`pieces`, bit)] }, context);
  const alike = sql`select ${commaList([...names(plan), sql`pieces`, sql`count() as persons`])}
    from (${persons})
    group by ${commaList([...names(plan), sql`pieces`])}`;
  const masks = ends.map((end, index) => {
    const low = cuts.indexOf(opens[index] ?? end);
    return sql`bitShiftLeft(bitShiftLeft(${type}(1), ${whole(cuts.indexOf(end) - low)}) - 1, ${whole(low)})`;
  });
  // one list per row is fastest, but with long masks it needs too much memory
  const counts =
    cuts.length < 64
      ? sql`sumForEach(arrayMap(window -> if(bitAnd(pieces, window) = 0, 0, persons), [${commaList(masks)}]))`
      : sql`[${commaList(masks.map((window) => sql`sumIf(persons, bitAnd(pieces, ${window}) != 0)`))}]`;
  const grouped = names(plan).length > 0 ? sql` group by ${commaList(names(plan))}` : sql``;
  const byWindow = sql`select ${commaList([...names(plan), sql`${counts} as counts`])} from (${alike})${grouped}`;
  return sql`select ${commaList([...names(plan), sql`number.1 as start`, sql`number.2 as v`])}
    from (select ${commaList([...names(plan), sql`arrayJoin(arrayZip(${list(buckets.starts)}, counts)) as number`])}
    from (${byWindow})
    where notEmpty(counts))
    where v > 0`;
}

interface Windows {
  opens: readonly number[];
  ends: readonly number[];
  cuts: readonly number[];
}

const list = (values: readonly number[]): Fragment => bound('Array(Int64)', values);

/** Selects a row for each person, breakdown value and key with events in any window. */
function activePersons(
  plan: NumbersPlan,
  { opens }: Windows,
  { keys, columns }: Required<Pick<PersonsSelect, 'keys' | 'columns'>>,
  context: KindContext,
): Fragment {
  const { series, scope, span, where } = plan;
  const from = opens[0] ?? span.from;
  return selectByPerson({
    projectId: context.projectId,
    byDistinctId: context.hasDenseEvents,
    keys: [...keys, ...keysOf(plan)],
    columns,
    where: [...inScope(scope, { from, to: span.to }, context), isEvent(series, context), ...where],
  });
}

/** As {@link active}, for more pieces than a mask has bits: groups by person and piece, and counts a piece in each window that contains it. */
function activeInPieces(plan: NumbersPlan, windows: Windows, context: KindContext): Fragment {
  const { opens, ends, cuts } = windows;
  const first = cuts.map((cut) => ends.filter((end) => end <= cut).length + 1);
  const last = cuts.map((cut) => opens.filter((open) => open <= cut).length);
  const piece = { name: sql`piece`, of: sql`roundDown(${EVENT_MILLIS}, ${list(cuts)})` };
  const pieces = activePersons(plan, windows, { keys: [piece], columns: [] }, context);
  const low = sql`transform(piece, ${list(cuts)}, ${list(first)}, 1)`;
  const high = sql`transform(piece, ${list(cuts)}, ${list(last)}, 0)`;
  const starts = sql`arraySlice(${list(plan.buckets.starts)}, ${low}, greatest(0, ${high} - ${low} + 1))`;
  const groups = commaList([sql`start`, ...names(plan)]);
  return sql`select arrayJoin(${starts}) as start, ${commaList([...names(plan), sql`uniqExact(actor) as v`])}
    from (${pieces})
    group by ${groups}`;
}

/**
 * Counts persons by their first event. `first_time_for_user`: the first event of that name ever, if it matches the filters;
 * `first_matching_event_for_user`: the first event that matches the filters.
 */
function firstTimes(plan: NumbersPlan, context: KindContext): Fragment {
  const { series, scope, buckets, span, where } = plan;
  const filters = [...aboutScope(scope, context), condition(series.properties, context)];
  const isMatching = series.math.kind === 'first_matching_event_for_user';
  const holds = every([...(isMatching ? [] : filters), ...where]);
  const order = sql`(e.timestamp, e.uuid)`;
  const ofFirst = (of: Fragment) => sql`argMin(${of}, ${order})`;
  const firsts = selectByPerson({
    projectId: context.projectId,
    byDistinctId: context.hasDenseEvents,
    keys: plan.areOfPerson ? keysOf(plan) : [],
    columns: [
      leastColumn(sql`at`, EVENT_MILLIS),
      // without filters there is no event of a person to look at
      ...(holds === TRUE ? [] : [{ name: sql`holds`, of: ofFirst(holds) }]),
      ...(plan.areOfPerson ? [] : keysOf(plan).map(({ name, of }) => ({ name, of: ofFirst(of) }))),
    ],
    where: [before(span.to), isNamed(series, context), ...(isMatching ? filters : [])],
  });
  const groups = commaList([sql`start`, ...names(plan)]);
  const start = sql`roundDown(at, ${bound('Array(Int64)', buckets.starts)}) as start`;
  return sql`select ${commaList([start, ...names(plan), sql`count() as v`])}
    from (${firsts})
    where ${holds === TRUE ? TRUE : sql`holds`} and at >= ${bound('Int64', span.from)}
    group by ${groups}`;
}
