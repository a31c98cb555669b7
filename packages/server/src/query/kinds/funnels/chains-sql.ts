import { commaList, type Fragment, identifier, sql, whole } from '../../sql/fragment.js';
import type { FunnelsQuery } from './funnels-query.js';

/*
 * The runs of funnels whose steps come one after another, without exclusions: the same runs as in fold-sql, found for all of an
 * actor's events at once. For each event the engine knows by which events a run would go on that waits there for a step: those lists
 * are filled from each event of that step to those before it, which costs a tenth of a lambda that is called event by event.
 */

/** Lists grow with the square of the steps; from here on the fold is cheaper. */
const MAX_STEPS = 8;

export const hasChains = ({ order, exclusions, series }: FunnelsQuery): boolean =>
  order !== 'unordered' && exclusions.length === 0 && series.length <= MAX_STEPS;

/** No event, of all steps; its time is later than any window reaches. */
const NONE = sql`toUInt64(18446744073709551615)`;
const EVENTS = sql`events`;
/** The events with {@link NONE} after the last: each stands where the one before it in time has its own place in `events`. */
const LATER = sql`later`;

const chain = (waiting: number, step: number): Fragment => identifier(`c${waiting}_${step}`);

/** `rows` (see runs-sql) and `folded`, as of `foldOf`. */
export function chainsOf(query: FunnelsQuery, everyRun: boolean, rows: Fragment): Fragment {
  const { series, window } = query;
  const time = (packed: Fragment): Fragment => sql`bitShiftRight(${packed}, ${whole(series.length)})`;
  const steps = series.slice(1).map((_, index) => index + 1);
  const next = steps.map((step) => chain(1, step));
  const names = steps.map((step) => identifier(`n${step}`));
  const zipped = commaList([EVENTS, ...next.map((list) => sql`arrayPopBack(${list})`)]);
  const arguments_ = commaList([sql`x`, ...names]);
  const taken = names.map((name) => sql` + (${time(name)} <= ${time(sql`x`)} + ${whole(window)})`);
  const lengths = sql`arrayMap((${arguments_}) -> if(bitTest(x, 0), toUInt8(1${taken.reduce((all, one) => sql`${all}${one}`, sql``)}), toUInt8(0)), ${zipped})`;
  const chained = sql`select *, arrayPushFront(${EVENTS}, ${NONE}) as ${LATER}${chainLists(query)}, ${lengths} as lengths from (${rows})`;
  if (everyRun) {
    const runs = sql`arrayFilter(run -> run.2 > 0, arrayMap((x, taken) -> (${time(sql`x`)}, toUInt64(taken)), ${EVENTS}, lengths))`;
    return sql`select *, ${runs} as folded from (${chained})`;
  }
  const longest = sql`select *, arrayMax(lengths) as most from (${chained}) where most > 0`;
  const last = sql`multiIf(${names.map((name, index) => sql`most = ${whole(index + 2)}, ${name}, `).reduce((all, one) => sql`${one}${all}`, sql``)}x)`;
  // the first to get there, and of those who get there together the last to begin, which comes first here
  const ends = sql`arrayMap((${commaList([sql`taken`, arguments_])}) -> if(taken = most, ${time(names.length > 0 ? last : sql`x`)}, ${NONE}), lengths, ${zipped})`;
  const best = sql`select *, ${ends} as ends, indexOf(ends, arrayMin(ends)) as at from (${longest})`;
  const times = [EVENTS, ...next].map((list) => time(sql`${list}[at]`));
  return sql`select *, arraySlice([${commaList(times)}], 1, most) as folded from (${best})`;
}

/** For each step that a run waits for, and each step from there on, a list beside `later`: the event that the run would take. */
function chainLists({ series, order }: FunnelsQuery): Fragment {
  const last = series.length - 1;
  const lists: Fragment[] = [];
  for (let waiting = last; waiting > 0; waiting--) {
    for (let step = waiting; step <= last; step++) {
      const taken = step === waiting ? LATER : sql`arrayPushFront(arrayPopBack(${chain(waiting + 1, step)}), ${NONE})`;
      const isTaken = sql`bitTest(x, ${whole(waiting)})`;
      const list =
        order === 'strict'
          ? sql`arrayMap((one, x) -> if(${isTaken}, one, ${NONE}), ${taken}, ${LATER})`
          : sql`arrayFill((one, x) -> ${isTaken}, ${taken}, ${LATER})`;
      lists.push(sql`, ${list} as ${chain(waiting, step)}`);
    }
  }
  return lists.reduce((all, one) => sql`${all}${one}`, sql``);
}
