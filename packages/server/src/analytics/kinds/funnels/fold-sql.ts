import { commaList, EMPTY, type Fragment, some, sql, whole } from '../../sql/fragment.js';
import { attributedStep } from './attribution.js';
import type { FunnelsQuery } from './funnels-query.js';
import { hasOptional, nextSteps, reachOf, taken, timeOf, timeOfStep } from './optional-sql.js';

/*
 * Runs are found by going through an actor's events from the last to the first. While doing so it is known, for each step, by
 * which events a run that waits for this step would go on: so every event that a run can begin with has its whole run at hand, and
 * each event is looked at once.
 */

/** Later than all: there is none. */
const NEVER = sql`toUInt64(4611686018427387904)`;
const NO_TIMES = sql`emptyArrayUInt64()`;

/**
 * Over `events` (see runs-sql): the offsets of the steps of the best run, or `(beginning, steps taken)` of every run; with a
 * breakdown by the value of a step also the time of that step, 0 where it is not taken. Empty when there is no run, or none that is
 * not void.
 */
export function foldOf(query: FunnelsQuery, everyRun: boolean): Fragment {
  const state = query.order === 'unordered' ? unordered(query) : inOrder(query);
  const { slots, initial, run, isRun } = state;
  const last = whole(slots.length + 1);
  const [reach, isBetter] = hasOptional(query) ? [reachOf, betterTaken] : [lengthOf, better];
  const step = attributedStep(query);
  const timeOfAttributed =
    step === null ? EMPTY : sql`, ${hasOptional(query) ? timeOfStep(run, step) : sql`${run}[${whole(step + 1)}]`}`;
  const kept = everyRun
    ? sql`if(${isRun}, arrayPushBack(acc.${last}, (${time(query)}, toUInt64(${reach(run)})${timeOfAttributed})), acc.${last})`
    : sql`if(${isRun} and ${isBetter(run, sql`acc.${last}`)}, ${run}, acc.${last})`;
  const none = everyRun ? sql`emptyArrayUInt64()` : NO_TIMES;
  const noRuns = everyRun ? sql`arrayMap(one -> (one, one${step === null ? EMPTY : sql`, one`}), ${none})` : none;
  return sql`arrayFold((acc, x) -> (${commaList([...slots, kept])}), events, (${commaList([...initial, noRuns])})).${last}`;
}

/** What is known while going back: a slot each, its first value, and of the event at hand whether a run begins with it, and which. */
interface State {
  slots: Fragment[];
  initial: Fragment[];
  run: Fragment;
  isRun: Fragment;
}

const bits = ({ series, exclusions }: FunnelsQuery): Fragment => whole(series.length + exclusions.length);
const time = (query: FunnelsQuery): Fragment => sql`bitShiftRight(x, ${bits(query)})`;
const end = (query: FunnelsQuery): Fragment => sql`${time(query)} + ${whole(query.window)}`;
const isStep = (index: number): Fragment => sql`bitTest(x, ${whole(index)})`;
const slot = (number: number): Fragment => sql`acc.${whole(number)}`;

/** Of equally long runs the first to get there; of those who get there together the last to begin, which comes first here. */
const better = (run: Fragment, best: Fragment): Fragment =>
  sql`(length(${run}) > length(${best}) or length(${run}) = length(${best}) and ${run}[-1] < ${best}[-1])`;

const lengthOf = (run: Fragment): Fragment => sql`length(${run})`;

/** As {@link better}, of runs that skip steps. */
const betterTaken = (run: Fragment, best: Fragment): Fragment =>
  sql`(${reachOf(run)} > ${reachOf(best)} or ${reachOf(run)} = ${reachOf(best)} and ${run}[-1] < ${best}[-1])`;

/**
 * For each step but the first: the times of the steps to come for a run that waits for it; and, where there are exclusions, when
 * the first of them would make that run void.
 */
function inOrder(query: FunnelsQuery): State {
  const waiting = query.series.slice(1).map((_, index) => index + 1);
  const hasExclusions = query.exclusions.length > 0;
  const isStrict = query.order === 'strict';
  if (hasOptional(query)) return skipping(query, waiting);
  const times = waiting.map((step) => {
    const next = step === waiting.length ? sql`[${time(query)}]` : sql`arrayPushFront(${slot(step + 1)}, ${time(query)})`;
    return sql`if(${isStep(step)}, ${next}, ${isStrict ? NO_TIMES : slot(step)})`;
  });
  const voids = waiting.map((step) => {
    const own = slot(waiting.length + step);
    const next = step === waiting.length ? NEVER : slot(waiting.length + step + 1);
    const otherwise = isStrict ? NEVER : own;
    return sql`multiIf(${isStep(step)}, ${next}, ${isExcluded(query, step)}, ${time(query)}, ${otherwise})`;
  });
  const isVoid = sql`${slot(waiting.length + 1)} <= ${end(query)}`;
  return {
    slots: hasExclusions ? [...times, ...voids] : times,
    initial: [...waiting.map(() => NO_TIMES), ...(hasExclusions ? waiting.map(() => NEVER) : [])],
    run: sql`arrayFilter(at -> at <= ${end(query)}, arrayPushFront(acc.1, ${time(query)}))`,
    isRun: hasExclusions ? sql`${isStep(0)} and not ${isVoid}` : isStep(0),
  };
}

/** As {@link inOrder} where steps may be skipped: an event that fits several of those that a run waits for takes the last of them. */
function skipping(query: FunnelsQuery, waiting: readonly number[]): State {
  const hasExclusions = query.exclusions.length > 0;
  const isStrict = query.order === 'strict';
  const all = waiting.length;
  const choose = (step: number, of: (next: number) => Fragment, otherwise: readonly Fragment[]): Fragment => {
    const branches = nextSteps(query, step)
      .toReversed()
      .flatMap((next) => [isStep(next), of(next)]);
    return sql`multiIf(${commaList([...branches, ...otherwise])})`;
  };
  const times = waiting.map((step) => {
    const of = (next: number): Fragment =>
      next === all ? sql`[${taken(time(query), next)}]` : sql`arrayPushFront(${slot(next + 1)}, ${taken(time(query), next)})`;
    return choose(step, of, [isStrict ? NO_TIMES : slot(step)]);
  });
  const voids = waiting.map((step) => {
    const of = (next: number): Fragment => (next === all ? NEVER : slot(all + next + 1));
    return choose(step, of, [isExcluded(query, step), time(query), isStrict ? NEVER : slot(all + step)]);
  });
  return {
    slots: hasExclusions ? [...times, ...voids] : times,
    initial: [...waiting.map(() => NO_TIMES), ...(hasExclusions ? waiting.map(() => NEVER) : [])],
    run: sql`arrayFilter(one -> ${timeOf(sql`one`)} <= ${end(query)}, arrayPushFront(acc.1, ${taken(time(query), 0)}))`,
    isRun: hasExclusions ? sql`${isStep(0)} and not ${slot(all + 1)} <= ${end(query)}` : isStep(0),
  };
}

/** That an event makes a run void that waits for a step. */
function isExcluded({ series, exclusions }: FunnelsQuery, step: number): Fragment {
  const marks = exclusions.flatMap(({ from, to }, index) => (from < step && step <= to ? [isStep(series.length + index)] : []));
  return some(marks);
}

/**
 * For each step when its next event is, and when the next exclusion. An event that matches several steps counts for the one
 * whose next event is furthest away.
 */
function unordered(query: FunnelsQuery): State {
  const steps = query.series.map((_, index) => index);
  const matches = sql`[${commaList(steps.map((step) => sql`if(${isStep(step)}, ${sql`acc.1[${whole(step + 1)}]`}, toUInt64(0))`))}]`;
  const isAny = some(steps.map(isStep));
  const taken = sql`indexOf(${matches}, arrayMax(${matches}))`;
  const next = sql`if(${isAny}, arrayMap((at, number) -> if(number = ${taken}, ${time(query)}, at), acc.1, arrayEnumerate(acc.1)), acc.1)`;
  const run = sql`arraySort(arrayFilter(at -> at <= ${end(query)}, ${next}))`;
  const exclusion = some(query.exclusions.map((_, index) => isStep(query.series.length + index)));
  const excluded = sql`if(${exclusion} and not ${isAny}, ${time(query)}, acc.2)`;
  const isComplete = sql`length(${run}) = ${whole(steps.length)}`;
  const isVoid = sql`acc.2 <= ${end(query)} and (not ${isComplete} or acc.2 < ${run}[-1])`;
  return {
    slots: [next, excluded],
    initial: [sql`[${commaList(steps.map(() => NEVER))}]`, NEVER],
    run,
    isRun: query.exclusions.length > 0 ? sql`${isAny} and not (${isVoid})` : isAny,
  };
}
