import { commaList, EMPTY, type Fragment, identifier, some, sql, whole } from '../../sql/fragment.js';
import { attributedStep, type FunnelsQuery } from './funnels-schema.js';
import { nextSteps } from './steps-sql.js';

/*
 * Finds the runs of funnels whose steps have an order, for all events of an actor at once.
 *
 * `events` is sorted from the last event to the first, so "later" is to the left. For each step that a run can wait for, starting with
 * the last one, a list beside the events says which event the run would take from there on. Steps A, B, C:
 *
 *     time            ◄──────────────────────────────────────
 *     events               C6     A5     B4     C3     B2     A1
 *     waits for C         (C6)   (C6)   (C6)   (C3)   (C3)   (C3)     wait_3: filled from each C to the events before it
 *     waits for B           -      -   (B4,C6)(B4,C6)(B2,C3)(B2,C3)   wait_2: (B, wait_3 before that B), filled from each B
 *
 * The run that begins with A1 takes the steps that stand one place to the left of A1: B2, C3. Steps after the window do not count.
 *
 * - Strict order: nothing is filled, so a run goes on only if the very next event is its next step.
 * - Optional steps: an event takes the last of the steps that the run may take next. A step that was skipped is {@link SKIPPED}.
 * - Exclusions: one more list for each step (`wait_2_void`) has the event that would void the run.
 *
 * A lambda that is called event by event (`arrayFold`) takes ten times as long as filling lists: docs/decisions/0023.
 */

/** No event. Matches every step, at a time that no window reaches. */
const NONE = sql`toUInt64(18446744073709551615)`;
/** Matches no step, at time 0. */
const SKIPPED = sql`toUInt64(0)`;

const EVENT = sql`event`;
const list = (waiting: number): Fragment => identifier(`wait_${waiting + 1}`);
const voidList = (waiting: number): Fragment => identifier(`wait_${waiting + 1}_void`);

/** Condition: an event is any of these steps and exclusions. */
const bits = (packed: Fragment, marks: readonly number[]): Fragment =>
  sql`bitAnd(${packed}, ${whole(marks.reduce((all, mark) => all + 2 ** mark, 0))}) != 0`;
const time = (packed: Fragment, { series, exclusions }: FunnelsQuery): Fragment =>
  sql`bitShiftRight(${packed}, ${whole(series.length + exclusions.length)})`;

/** A list as it was before each event: without the event itself, which cannot be two steps of a run. */
const beforeEvent = (of: Fragment, none = NONE): Fragment => sql`arrayShiftRight(${of}, 1, ${none})`;

/** No event as any of the steps from `waiting` on. */
const noSteps = ({ series }: FunnelsQuery, waiting: number): Fragment =>
  sql`tuple(${commaList(series.slice(waiting).map(() => NONE))})`;

/** The event that a run takes as a later step, by `taken`: its entry of `wait_2`. */
const TAKEN = sql`taken`;
const step = (number: number): Fragment => sql`${TAKEN}.${whole(number)}`;

/**
 * Adds `runs_found` to rows with `events` (see funnel-runs-sql.ts): the times of the steps of the best run, 0 for a skipped one. With
 * `everyRun` a tuple for each run: when it begins, the number of its last step from 1 and, if a step is attributed, the time of that
 * step (0: not taken). Empty if there is no run.
 */
export function orderedRuns(query: FunnelsQuery, everyRun: boolean, rows: Fragment, columns: readonly Fragment[]): Fragment {
  const last = query.series.length - 1;
  let lists = rows;
  for (let waiting = last; waiting > 0; waiting--) {
    lists = sql`select ${commaList([...columns, ...listsOf(query, waiting)])}\nfrom (${lists})`;
  }
  return everyRun ? allRuns(query, lists) : bestRuns(query, lists);
}

function allRuns(query: FunnelsQuery, lists: Fragment): Fragment {
  const attributed = attributedStep(query);
  const timeOfStep = (count: number): Fragment =>
    attributed !== null && count > attributed ? time(attributed === 0 ? EVENT : step(attributed), query) : sql`toUInt64(0)`;
  const times = attributed === null ? EMPTY : sql`, ${forEachRun(query, (_, count) => timeOfStep(count))} as attributed_times`;
  const begins = sql`arrayMap(event -> ${time(EVENT, query)}, events)`;
  const tuples = sql`arrayZip(${commaList([begins, sql`counts`, ...(attributed === null ? [] : [sql`attributed_times`])])})`;
  return sql`select *, arrayFilter(run -> run.2 > 0, ${tuples}) as runs_found
from (select *, ${forEachRun(query, (_, count) => sql`toUInt64(${whole(count)})`)} as counts${times}
from (${lists}))`;
}

/** Scores: the number of steps above this bit; below it how early the last of them is. */
const SCORE_BITS = 48;

/** More steps are better, then an earlier last step, then a later beginning: `indexOf` finds the latest of equal scores. */
function bestRuns(query: FunnelsQuery, lists: Fragment): Fragment {
  const earliness = (taken: Fragment): Fragment => sql`bitXor(${time(taken, query)}, ${whole(2 ** SCORE_BITS - 1)})`;
  const score = (taken: Fragment, count: number): Fragment =>
    count === 0
      ? sql`toUInt64(0)`
      : sql`bitOr(bitShiftLeft(toUInt64(${whole(count)}), ${whole(SCORE_BITS)}), ${earliness(taken)})`;
  const times = [EVENT, ...laterSteps(query).map(step)].map((packed) => time(packed, query));
  const found = sql`arrayMap((event, taken) -> [${commaList(times)}], [events[best_at]], [(${beforeFirst(query)})[best_at]])[1]`;
  return sql`select *, arraySlice(${found}, 1, bitShiftRight(top, ${whole(SCORE_BITS)})) as runs_found
from (select *, arrayMax(scores) as top, indexOf(scores, top) as best_at
from (select *, ${forEachRun(query, score)} as scores
from (${lists})) where top > 0)`;
}

/** Beside the events: what a run that begins there takes as later steps. */
const beforeFirst = (query: FunnelsQuery): Fragment => beforeEvent(list(1), noSteps(query, 1));

const laterSteps = ({ series }: FunnelsQuery): number[] => series.slice(1).map((_, index) => index + 1);

/** A list beside `events`: `of` the last event and the number of steps of the run that begins there; `of` 0 steps if none does. */
function forEachRun(query: FunnelsQuery, of: (last: Fragment, count: number) => Fragment): Fragment {
  const steps = laterSteps(query);
  const hasVoid = query.exclusions.length > 0;
  const end = sql`${time(EVENT, query)} + ${whole(query.window)}`;
  const isInTime = (packed: Fragment): Fragment => sql`${time(packed, query)} <= ${end}`;
  const isNone = some([sql`not (${bits(EVENT, [0])})`, ...(hasVoid ? [isInTime(sql`void`)] : [])]);
  const reached = steps
    .toReversed()
    .flatMap((number) => [sql`${bits(step(number), [number])} and ${isInTime(step(number))}`, of(step(number), number + 1)]);
  const names = [EVENT, TAKEN, ...(hasVoid ? [sql`void`] : [])];
  const columns = [sql`events`, beforeFirst(query), ...(hasVoid ? [beforeEvent(voidList(1))] : [])];
  const value = sql`multiIf(${commaList([isNone, of(EMPTY, 0), ...reached, of(EVENT, 1)])})`;
  return sql`arrayMap((${commaList(names)}) -> ${value}, ${commaList(columns)})`;
}

/** The lists for runs that wait for a step: the events taken from that step on and, with exclusions, the event that voids the run. */
function listsOf(query: FunnelsQuery, waiting: number): Fragment[] {
  const next = nextSteps(query, waiting);
  const fill = (values: Fragment, changes: Fragment, none: Fragment): Fragment =>
    query.order === 'strict'
      ? sql`arrayMap((value, event) -> if(${changes}, value, ${none}), ${values}, events)`
      : sql`arrayFill((value, event) -> ${changes}, ${values}, events)`;
  const steps = sql`${fill(takenSteps(query, waiting), bits(EVENT, next), noSteps(query, waiting))} as ${list(waiting)}`;
  if (query.exclusions.length === 0) return [steps];
  const changes = bits(EVENT, [...next, ...exclusionsOf(query, waiting)]);
  return [steps, sql`${fill(voidedBy(query, waiting), changes, NONE)} as ${voidList(waiting)}`];
}

/** The exclusions that apply while a run waits for a step, as bits of an event. */
const exclusionsOf = ({ series, exclusions }: FunnelsQuery, waiting: number): number[] =>
  exclusions.flatMap(({ from, to }, index) => (from < waiting && waiting <= to ? [series.length + index] : []));

/** Condition: a run that waits for an optional step skips it with this event; null: the step cannot be skipped. */
function skips(query: FunnelsQuery, waiting: number): Fragment | null {
  const canSkip = query.series[waiting]?.isOptional && waiting < query.series.length - 1;
  return canSkip ? bits(EVENT, nextSteps(query, waiting + 1)) : null;
}

/** Beside the events: the steps taken from `waiting` on, if a run that waits for that step takes the event. */
function takenSteps(query: FunnelsQuery, waiting: number): Fragment {
  if (waiting === query.series.length - 1) return sql`arrayMap(event -> tuple(event), events)`;
  const next = list(waiting + 1);
  const none = noSteps(query, waiting + 1);
  const isSkipped = skips(query, waiting);
  const steps = sql`tupleConcat(tuple(event), after)`;
  return isSkipped
    ? withNext(next, none, sql`if(${isSkipped}, tupleConcat(tuple(${SKIPPED}), same), ${steps})`)
    : sql`arrayMap((event, after) -> ${steps}, events, ${beforeEvent(next, none)})`;
}

/**
 * Maps the events with the list of the next step at the event (`same`) and before it (`after`). The outer lambda names that list once: the
 * engine analyses a column anew at each use, which for twenty optional steps in a row would double twenty times.
 */
const withNext = (next: Fragment, none: Fragment, value: Fragment): Fragment =>
  sql`arrayMap(next -> arrayMap((event, same, after) -> ${value}, events, next, ${beforeEvent(sql`next`, none)}), [${next}])[1]`;

/** Beside the events: what voids a run that waits for a step, if it takes the event or the event is an exclusion. */
function voidedBy(query: FunnelsQuery, waiting: number): Fragment {
  const isExcluded = bits(EVENT, exclusionsOf(query, waiting));
  const isStep = bits(EVENT, [waiting]);
  if (waiting === query.series.length - 1) {
    return sql`arrayMap(event -> if(${isExcluded} and not ${isStep}, event, ${NONE}), events)`;
  }
  const next = voidList(waiting + 1);
  const isSkipped = skips(query, waiting);
  const otherwise = commaList([isStep, sql`after`, isExcluded, EVENT, NONE]);
  return isSkipped
    ? withNext(next, NONE, sql`multiIf(${isSkipped}, same, ${otherwise})`)
    : sql`arrayMap((event, after) -> multiIf(${otherwise}), events, ${beforeEvent(next)})`;
}
