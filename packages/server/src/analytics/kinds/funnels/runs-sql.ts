import { BREAKDOWN_NULL } from '../../breakdown.js';
import type { Span } from '../../buckets.js';
import { breakdownValues } from '../../sql/breakdown.js';
import { condition } from '../../sql/filter.js';
import { bound, commaList, EMPTY, every, type Fragment, identifier, some, sql, TRUE, whole } from '../../sql/fragment.js';
import { inScope } from '../../sql/scope.js';
import { selectFromEvents } from '../../sql/source.js';
import { isEvent } from '../actor.js';
import type { KindContext } from '../kind.js';
import { attributedStep } from './attribution.js';
import { chainsOf, hasChains } from './chains-sql.js';
import { foldOf } from './fold-sql.js';
import { funnelActorKey, hasFunnelActor } from './funnel-actor.js';
import type { FunnelsQuery } from './funnels-query.js';
import { hasOptional, withPlaces } from './optional-sql.js';
import { isFirstTime, isStepEvent } from './step-sql.js';

/** An event is one number: milliseconds since `origin`, then a bit for each step and exclusion that it matches. */
export const MAX_MARKS = 23;
const LONGEST = 2 ** 40;

/** Offsets begin here; one earlier than the first event, so that none is 0. */
export const originOf = (span: Span): number => Math.max(span.from, span.to - LONGEST) - 1;

/**
 * A row for each actor (with a breakdown by `all_events` or cohorts: and value) with any run: `actor`, `value` (a list; empty
 * without a breakdown), `best` (offsets of the steps of the run that gets furthest, of several the first to get there; 0 for a step
 * that it skips) or, with `everyRun`, `runs` (of each its beginning, and the number of the last step that it takes, from 1).
 * With a breakdown by the value of a step, runs also have the time of that step and the value (an empty list: the run does not take
 * the step), and there is no row for who does not take it with the best run.
 */
export function funnelRuns(query: FunnelsQuery, span: Span, context: KindContext, everyRun = false): Fragment {
  const origin = originOf(span);
  const steps = query.series.map((step) => isStepEvent(step, query, span, context));
  const exclusions = query.exclusions.map(({ events }) => isEvent(events, context));
  const isMarked = some([...steps, ...exclusions]);
  const sinceOrigin = sql`toUInt64(toUnixTimestamp64Milli(e.timestamp) - ${bound('Int64', origin)})`;
  const packed = sql`bitShiftLeft(${sinceOrigin}, ${whole(steps.length + exclusions.length)}) + ${marksOf(query, steps, context)}`;
  const value = valueFor(query, context, some(steps), everyRun);
  const events = selectFromEvents({
    projectId: context.projectId,
    select: [
      sql`${funnelActorKey(query.actor, context)} as actor`,
      ...value.select,
      sql`arrayReverseSort(groupArray(${packed} as ${PACKED})) as events`,
    ],
    where: [
      ...inScope(query, { from: origin + 1, to: span.to }, context),
      ...hasFunnelActor(query.actor, context),
      query.order === 'strict' ? TRUE : isMarked,
    ],
    groupBy: [sql`actor`, ...value.groupBy],
  });
  const found = everyRun ? sql`${value.ofRuns ?? FOLDED} as runs` : sql`folded as best`;
  const folded = hasChains(query)
    ? chainsOf(query, everyRun, events)
    : hasOptional(query) && !everyRun
      ? sql`select *, ${withPlaces(sql`list`)} as folded from (select *, ${foldOf(query, everyRun)} as list from (${events}))`
      : sql`select *, ${foldOf(query, everyRun)} as folded from (${events})`;
  const isCounted = attributedStep(query) !== null && !everyRun ? sql`notEmpty(value)` : sql`notEmpty(folded)`;
  return sql`select actor, ${value.of} as value, ${found} from (${folded}) where ${isCounted}`;
}

const FOLDED = sql`folded`;
const NO_VALUE = sql`emptyArrayString()`;

/** A bit for each step and exclusion that an event matches. */
function marksOf({ series, exclusions }: FunnelsQuery, steps: readonly Fragment[], context: KindContext): Fragment {
  const nodes = [...series, ...exclusions.map(({ events }) => events)];
  const names = nodes.map(({ event }) => event);
  const isByName =
    names.every((name) => name !== null) &&
    nodes.every((node) => condition(node.properties, context) === TRUE && !isFirstTime(node));
  if (isByName) {
    // looked up once for each name in a block of events, and not for each event
    const known = [...new Set(names)];
    const bits = known.map((one) => names.reduce((all, name, index) => (name === one ? all + 2 ** index : all), 0));
    return sql`toUInt64(transform(e.event, ${bound('Array(String)', known)}, ${bound('Array(Int64)', bits)}, toInt64(0)))`;
  }
  return [...steps, ...exclusions.map(({ events }) => isEvent(events, context))]
    .map((fits, index) => sql`bitShiftLeft(toUInt64(${fits}), ${whole(index)})`)
    .reduce((all, next) => sql`${all} + ${next}`);
}

/** An event as its number, named where `events` are collected: to read and resolve the words again takes the engine longer than a name. */
const PACKED = sql`packed`;

interface Value {
  /** What is selected of the events, and by what they are told apart beside their actor. */
  select: Fragment[];
  groupBy: Fragment[];
  /** Of that, and of `folded`: the value. */
  of: Fragment;
  /** Where runs have values of their own: `folded` with them. */
  ofRuns?: Fragment;
}

function valueFor(query: FunnelsQuery, context: KindContext, isStep: Fragment, everyRun: boolean): Value {
  const { breakdown, attribution } = query;
  if (!breakdown) return { select: [], groupBy: [], of: NO_VALUE };
  const own = breakdownValues(breakdown, context);
  const names = own.map((_, index) => identifier(`value_${index}`));
  const values = sql`[${commaList(own.map((one, index) => sql`${one} as ${names[index] ?? EMPTY}`))}]`;
  const none = bound('String', BREAKDOWN_NULL);
  const fallback = sql`[${commaList(own.map(() => none))}]`;
  if (breakdown.by.type === 'cohorts' || attribution.type === 'all_events') {
    return { select: [sql`${values} as own`], groupBy: [sql`own`], of: sql`own` };
  }
  if (attribution.type === 'step') {
    const bits = query.series.length + query.exclusions.length;
    // without an order any step may be the first
    const isIt = query.order === 'unordered' ? TRUE : sql`bitTest(at.1, ${whole(attribution.step)})`;
    const valueAt = (time: Fragment): Fragment =>
      sql`arrayFirst(at -> ${isIt} and bitShiftRight(at.1, ${whole(bits)}) = ${time}, owns).2`;
    return {
      select: [sql`arraySort(groupArrayIf((${PACKED}, ${values}), ${isStep})) as owns`],
      groupBy: [],
      of: everyRun ? NO_VALUE : valueAt(sql`folded[${whole(attribution.step + 1)}]`),
      ofRuns: sql`arrayMap(run -> (run.1, run.2, run.3, ${valueAt(sql`run.3`)}), folded)`,
    };
  }
  const isThere = every([isStep, some(names.map((one) => sql`${one} != ${none}`))]);
  const isFirst = attribution.type === 'first_touch';
  if (own.length === 1) {
    // one text with the time before the value: the engine compares lists and tuples ten times as slowly
    const dated = sql`concat(reinterpret(byteSwap(${PACKED}), 'FixedString(8)'), ${values}[1])`;
    const touch = sql`${isFirst ? sql`minIf` : sql`maxIf`}(${dated}, ${isThere}) as own`;
    return { select: [touch], groupBy: [], of: sql`if(empty(own), ${fallback}, [substring(own, 9)])` };
  }
  const touch = sql`${isFirst ? sql`argMinIf` : sql`argMaxIf`}(${values}, (${PACKED}, [${commaList(names)}]), ${isThere}) as own`;
  return { select: [touch], groupBy: [], of: sql`if(empty(own), ${fallback}, own)` };
}
