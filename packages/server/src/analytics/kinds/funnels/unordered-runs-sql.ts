import { commaList, EMPTY, type Fragment, some, sql, whole } from '../../sql/fragment.js';
import { attributedStep, type FunnelsQuery } from './funnels-schema.js';

/*
 * Finds the runs of funnels whose steps come in any order. The events of an actor are folded from the last to the first:
 *
 *   state = (next, excluded, runs)     next: for each step when its next event is; excluded: when the next exclusion is
 *
 * An event that matches several steps counts for the one whose next event is furthest away. That choice depends on the choices for all
 * later events, so the lists of ordered-runs-sql.ts cannot tell it.
 */

/** Later than all events. */
const NEVER = sql`toUInt64(4611686018427387904)`;
const NEXT = sql`state.1`;
const EXCLUDED = sql`state.2`;
const RUNS = sql`state.3`;

/** Adds `runs_found` to rows with `events`, as `orderedRuns` does. */
export function unorderedRuns(query: FunnelsQuery, everyRun: boolean, rows: Fragment): Fragment {
  const steps = query.series.map((_, index) => index);
  const bits = whole(query.series.length + query.exclusions.length);
  const isStep = (index: number): Fragment => sql`bitTest(event, ${whole(index)})`;
  const time = sql`bitShiftRight(event, ${bits})`;
  const end = sql`${time} + ${whole(query.window)}`;

  const matches = commaList(steps.map((step) => sql`if(${isStep(step)}, ${NEXT}[${whole(step + 1)}], toUInt64(0))`));
  const chosen = sql`indexOf([${matches}], arrayMax([${matches}]))`;
  const isAny = some(steps.map(isStep));
  const withEvent = sql`arrayMap((at, number) -> if(number = ${chosen}, ${time}, at), ${NEXT}, arrayEnumerate(${NEXT}))`;
  const next = sql`if(${isAny}, ${withEvent}, ${NEXT})`;
  const isExclusion = some(query.exclusions.map((_, index) => isStep(query.series.length + index)));
  const excluded = sql`if(${isExclusion} and not ${isAny}, ${time}, ${EXCLUDED})`;

  const run = sql`arraySort(arrayFilter(at -> at <= ${end}, ${next}))`;
  const isComplete = sql`length(${run}) = ${whole(steps.length)}`;
  const isVoid = sql`${EXCLUDED} <= ${end} and (not ${isComplete} or ${EXCLUDED} < ${run}[-1])`;
  const isRun = query.exclusions.length > 0 ? sql`${isAny} and not (${isVoid})` : isAny;

  const step = attributedStep(query);
  const timeOfStep = step === null ? EMPTY : sql`, ${run}[${whole(step + 1)}]`;
  const runs = everyRun
    ? sql`if(${isRun}, arrayPushBack(${RUNS}, (${time}, toUInt64(length(${run}))${timeOfStep})), ${RUNS})`
    : sql`if(${isRun} and ${isBetter(run, RUNS)}, ${run}, ${RUNS})`;
  const none = sql`emptyArrayUInt64()`;
  const noRuns = everyRun ? sql`arrayMap(one -> (one, one${step === null ? EMPTY : sql`, one`}), ${none})` : none;
  const noNext = sql`[${commaList(steps.map(() => NEVER))}]`;
  return sql`select *, arrayFold((state, event) -> (${commaList([next, excluded, runs])}),
  events, (${commaList([noNext, NEVER, noRuns])})).3 as runs_found
from (${rows})`;
}

/** More steps are better, then an earlier last step; of equal runs the one that begins last, which comes first. */
const isBetter = (run: Fragment, best: Fragment): Fragment =>
  sql`(length(${run}) > length(${best}) or length(${run}) = length(${best}) and ${run}[-1] < ${best}[-1])`;
