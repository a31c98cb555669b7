import { commaList, EMPTY, type Fragment, identifier, sequence, sql, whole } from '../../sql/fragment.js';
import { attributedStep } from './attribution.js';
import type { FunnelsQuery } from './funnels-query.js';
import { hasOptional } from './optional-sql.js';

/*
 * The runs of funnels whose steps come one after another, without exclusions: the same runs as in fold-sql, found for all of an
 * actor's events at once. For each event the engine knows by which events a run would go on that waits there for a step: those lists
 * are filled from each event of that step to those before it, which costs a tenth of a lambda that is called event by event.
 */

/** Lists grow with the square of the steps; from here on the fold is cheaper. */
const MAX_STEPS = 8;

export const hasChains = (query: FunnelsQuery): boolean =>
  query.order !== 'unordered' && query.exclusions.length === 0 && query.series.length <= MAX_STEPS && !hasOptional(query);

/** No event, of all steps; its time is later than any window reaches. */
const NONE = sql`toUInt64(18446744073709551615)`;
const EVENTS = sql`events`;

/** Lists beside the events, from the last event to the first. */
interface Lists {
  /** What the lists are filled beside: the events, or {@link NONE} and then the events. */
  later: Fragment;
  /** A filled list, a place for each event. */
  beside(list: Fragment): Fragment;
  /** A filled list as one to fill from. */
  onward(list: Fragment): Fragment;
}

/** Where an event may be several steps, those after it are in the place after its own. */
const SHIFTED: Lists = {
  later: sql`later`,
  beside: (list) => sql`arrayPopBack(${list})`,
  onward: (list) => sql`arrayPushFront(arrayPopBack(${list}), ${NONE})`,
};

/** Where an event is one step at most, none goes on to itself, and a list begins with the last event until there is a right one. */
const IN_PLACE: Lists = { later: EVENTS, beside: (list) => list, onward: (list) => list };

function listsOf({ order, series }: FunnelsQuery): Lists {
  const names = new Set(series.map(({ event }) => event));
  const isApart = names.size === series.length && !names.has(null);
  return order === 'ordered' && isApart ? IN_PLACE : SHIFTED;
}

const chain = (waiting: number, step: number): Fragment => identifier(`c${waiting}_${step}`);
const isStep = (packed: Fragment, step: number): Fragment => sql`bitAnd(${packed}, ${whole(2 ** step)}) != 0`;

/** `rows` (see runs-sql) and `folded`, as of `foldOf`. */
export function chainsOf(query: FunnelsQuery, everyRun: boolean, rows: Fragment): Fragment {
  const { series, window } = query;
  const lists = listsOf(query);
  const time = (packed: Fragment): Fragment => sql`bitShiftRight(${packed}, ${whole(series.length)})`;
  const steps = series.slice(1).map((_, index) => index + 1);
  const next = steps.map((step) => chain(1, step));
  const names = steps.map((step) => identifier(`n${step}`));
  const taken = [sql`x`, ...names];
  /** Of each event what a run makes that begins with it and ends with the step `of` is given; 0 where none does. */
  const ofRuns = (of: (last: Fragment, steps: number) => Fragment): Fragment => {
    const ends = names.map((name, index) => {
      const isTaken = sql`${isStep(name, index + 1)} and ${time(name)} <= ${time(sql`x`)} + ${whole(window)}`;
      return sql`not (${isTaken}), ${of(taken[index] ?? name, index + 1)}, `;
    });
    const value = sql`multiIf(not (${isStep(sql`x`, 0)}), ${of(EMPTY, 0)}, ${sequence(ends)}${of(taken.at(-1) ?? EMPTY, taken.length)})`;
    return sql`arrayMap((${commaList(taken)}) -> ${value}, ${commaList([EVENTS, ...next.map(lists.beside)])})`;
  };
  const later = lists === SHIFTED ? sql`, arrayPushFront(${EVENTS}, ${NONE}) as later` : EMPTY;
  const chained = sql`select *${later}${chainLists(query, lists)} from (${rows})`;
  if (everyRun) {
    const counts = ofRuns((_, count) => whole(count));
    const step = attributedStep(query);
    const timeOfStep = (count: number): Fragment =>
      step !== null && count > step ? time(taken[step] ?? EMPTY) : sql`toUInt64(0)`;
    const runs =
      step === null
        ? sql`arrayMap((x, taken) -> (${time(sql`x`)}, toUInt64(taken)), ${EVENTS}, ${counts})`
        : sql`arrayMap((x, taken, at) -> (${time(sql`x`)}, toUInt64(taken), at), ${EVENTS}, ${counts}, ${ofRuns((_, count) => timeOfStep(count))})`;
    return sql`select *, arrayFilter(run -> run.2 > 0, ${runs}) as folded from (${chained})`;
  }
  // how many steps, then how early the last of them is: the highest is the best, and of equals the last to begin comes first here
  const score = (last: Fragment, count: number): Fragment =>
    count === 0 ? sql`toUInt64(0)` : sql`bitOr(bitShiftLeft(toUInt64(${whole(count)}), 60), bitXor(${time(last)}, ${LATEST}))`;
  const scored = sql`select *, ${ofRuns(score)} as scores, arrayMax(scores) as top from (${chained})`;
  const best = sql`select *, indexOf(scores, top) as at from (${scored}) where top > 0`;
  const times = [EVENTS, ...next.map(lists.beside)].map((list) => time(sql`${list}[at]`));
  return sql`select *, arraySlice([${commaList(times)}], 1, bitShiftRight(top, 60)) as folded from (${best})`;
}

/** All bits of a score below those of the number of steps. */
const LATEST = sql`1152921504606846975`;

/** For each step that a run waits for, and each step from there on, a list: the event that the run would take. */
function chainLists({ series, order }: FunnelsQuery, { later, onward }: Lists): Fragment {
  const last = series.length - 1;
  const lists: Fragment[] = [];
  for (let waiting = last; waiting > 0; waiting--) {
    for (let step = waiting; step <= last; step++) {
      const taken = step === waiting ? later : onward(chain(waiting + 1, step));
      const isTaken = isStep(sql`x`, waiting);
      const list =
        order === 'strict'
          ? sql`arrayMap((one, x) -> if(${isTaken}, one, ${NONE}), ${taken}, ${later})`
          : sql`arrayFill((one, x) -> ${isTaken}, ${taken}, ${later})`;
      lists.push(sql`, ${list} as ${chain(waiting, step)}`);
    }
  }
  return sequence(lists);
}
