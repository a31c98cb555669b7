import { BREAKDOWN_NULL } from '../../breakdown.js';
import type { Buckets, Span } from '../../buckets.js';
import { condition, inScope } from '../../sql/filter.js';
import {
  bound,
  byPerson,
  commaList,
  EMPTY,
  every,
  type Fragment,
  identifier,
  some,
  sql,
  TRUE,
  whole,
} from '../../sql/fragment.js';
import { listColumn } from '../../sql/person-columns.js';
import type { PersonColumn, PersonsSelect } from '../../sql/source.js';
import { hasFunnelActor, isEvent, isNumberOfPerson, rowsByActor } from '../actor.js';
import { breakdownValues } from '../breakdown.js';
import type { KindContext } from '../kind.js';
import { attributedStep, type FunnelsQuery } from './funnels-schema.js';
import { orderedRuns } from './ordered-runs-sql.js';
import { isFirstTime, isStepEvent } from './steps-sql.js';
import { unorderedRuns } from './unordered-runs-sql.js';

/** An event is packed into one number: milliseconds since `origin`, then a bit for each step and exclusion that it matches. */
const LONGEST = 2 ** 40;

/** Offsets count from here: one millisecond before the span, so that no offset is 0. */
const originOf = (span: Span): number => Math.max(span.from, span.to - LONGEST) - 1;

/**
 * Selects the runs of a funnel: a row for each actor with any run; with a breakdown by `all_events` or cohorts, for each actor and value.
 *
 * - `actor`
 * - `value`: the breakdown values as a list; empty without a breakdown
 * - `best`: offsets of the steps of the best run (most steps, then the earliest last step); 0 for a skipped step
 * - `runs`, instead of `best` with `everyRun`: a tuple for each run with its beginning and the number of its last step, from 1
 *
 * With a breakdown by the value of a step, the tuples also have the time of that step and its value (an empty list if the run does not
 * take the step), and actors whose best run does not take the step have no row.
 */
export function funnelRuns(query: FunnelsQuery, span: Span, context: KindContext, everyRun = false): Fragment {
  const origin = originOf(span);
  const steps = query.series.map((step) => isStepEvent(step, query, span, context));
  const exclusions = query.exclusions.map(({ events }) => isEvent(events, context));
  const isMarked = some([...steps, ...exclusions]);
  const sinceOrigin = sql`toUInt64(toUnixTimestamp64Milli(e.timestamp) - ${bound('Int64', origin)})`;
  const packed = sql`bitShiftLeft(${sinceOrigin}, ${whole(steps.length + exclusions.length)}) + ${marksOf(query, steps, context)}`;
  const value = valueFor(query, context, some(steps), everyRun);
  const where = [
    ...inScope(query, { from: origin + 1, to: span.to }, context),
    ...hasFunnelActor(query.actor, context),
    query.order === 'strict' ? TRUE : isMarked,
  ];
  const unsorted = listColumn(sql`unsorted`, sql`${packed} as ${PACKED}`);
  const actors = rowsByActor(query.actor, { keys: value.keys, columns: [...value.columns, unsorted], where }, context);
  const events = sql`select ${commaList([sql`actor`, sql`arrayReverseSort(unsorted) as events`, ...value.select])} from (${actors})`;
  const columns = [sql`actor`, sql`events`, ...value.names];
  const found =
    query.order === 'unordered' ? unorderedRuns(query, everyRun, events) : orderedRuns(query, everyRun, events, columns);
  const runs = everyRun ? sql`${value.ofRuns ?? RUNS_FOUND} as runs` : sql`runs_found as best`;
  const isCounted = attributedStep(query) !== null && !everyRun ? sql`notEmpty(value)` : sql`notEmpty(runs_found)`;
  const rows = sql`select actor, ${value.of} as value, ${runs}
from (${found})
where ${isCounted}`;
  return isNumberOfPerson(query.actor, context) ? byPerson(rows) : rows;
}

const RUNS_FOUND = sql`runs_found`;
const NO_VALUE = sql`emptyArrayString()`;

/** The bits of an event: one for each step and exclusion that it matches. */
function marksOf({ series, exclusions }: FunnelsQuery, steps: readonly Fragment[], context: KindContext): Fragment {
  const nodes = [...series, ...exclusions.map(({ events }) => events)];
  const names = nodes.map(({ event }) => event);
  const isByName =
    names.every((name) => name !== null) &&
    nodes.every((node) => condition(node.properties, context) === TRUE && !isFirstTime(node));
  if (isByName) {
    // `transform` on a LowCardinality column runs once for each distinct name of a block, not for each event
    const known = [...new Set(names)];
    const bits = known.map((one) => names.reduce((all, name, index) => (name === one ? all + 2 ** index : all), 0));
    return sql`toUInt64(transform(e.event, ${bound('Array(String)', known)}, ${bound('Array(Int64)', bits)}, toInt64(0)))`;
  }
  return [...steps, ...exclusions.map(({ events }) => isEvent(events, context))]
    .map((fits, index) => sql`bitShiftLeft(toUInt64(${fits}), ${whole(index)})`)
    .reduce((all, next) => sql`${all} + ${next}`);
}

/** Alias of the packed event: repeating the expression would cost parsing and analysis at each use. */
const PACKED = sql`packed`;

interface Value {
  /** The grouping beside the actor, and columns of the select over the events. */
  keys: NonNullable<PersonsSelect['keys']>;
  columns: PersonColumn[];
  /** What is selected from these, and its names. */
  select: Fragment[];
  names: Fragment[];
  /** The value, from these columns and `runs_found`. */
  of: Fragment;
  /** `runs_found` with a value for each run, if runs have values of their own. */
  ofRuns?: Fragment;
}

const OWN = { select: [sql`own`], names: [sql`own`] };

function valueFor(query: FunnelsQuery, context: KindContext, isStep: Fragment, everyRun: boolean): Value {
  const { breakdown, attribution } = query;
  if (!breakdown) return { keys: [], columns: [], select: [], names: [], of: NO_VALUE };
  const own = breakdownValues(breakdown, context);
  const names = own.map((_, index) => identifier(`value_${index}`));
  const values = sql`[${commaList(own.map((one, index) => sql`${one} as ${names[index] ?? EMPTY}`))}]`;
  const none = bound('String', BREAKDOWN_NULL);
  const fallback = sql`[${commaList(own.map(() => none))}]`;
  if (breakdown.by.type === 'cohorts' || attribution.type === 'all_events') {
    return { ...OWN, keys: [{ name: sql`own`, of: values }], columns: [], of: sql`own` };
  }
  if (attribution.type === 'step') {
    const bits = query.series.length + query.exclusions.length;
    // without an order, any step may come at this place
    const isIt = query.order === 'unordered' ? TRUE : sql`bitTest(at.1, ${whole(attribution.step)})`;
    const valueAt = (time: Fragment): Fragment =>
      sql`arrayFirst(at -> ${isIt} and bitShiftRight(at.1, ${whole(bits)}) = ${time}, owns).2`;
    return {
      keys: [],
      columns: [listColumn(sql`unsorted_owns`, sql`(${PACKED}, ${values})`, isStep)],
      select: [sql`arraySort(unsorted_owns) as owns`],
      names: [sql`owns`],
      of: everyRun ? NO_VALUE : valueAt(sql`runs_found[${whole(attribution.step + 1)}]`),
      ofRuns: sql`arrayMap(run -> (run.1, run.2, run.3, ${valueAt(sql`run.3`)}), runs_found)`,
    };
  }
  const isThere = every([isStep, some(names.map((one) => sql`${one} != ${none}`))]);
  const isFirst = attribution.type === 'first_touch';
  if (own.length === 1) {
    // time and value in one text: the engine compares lists and tuples ten times as slowly
    const dated = sql`concat(reinterpret(byteSwap(${PACKED}), 'FixedString(8)'), ${values}[1])`;
    const extreme = isFirst ? sql`minIf` : sql`maxIf`;
    const column: PersonColumn = {
      name: sql`own`,
      of: sql`${extreme}(${dated}, ${isThere})`,
      united: (touches) => sql`${extreme}(${touches}, notEmpty(${touches}))`,
    };
    return { ...OWN, keys: [], columns: [column], of: sql`if(empty(own), ${fallback}, [substring(own, 9)])` };
  }
  const touch = sql`${isFirst ? sql`argMinIf` : sql`argMaxIf`}(${values}, (${PACKED}, [${commaList(names)}]), ${isThere})`;
  return { ...OWN, keys: [], columns: [{ name: sql`own`, of: touch }], of: sql`if(empty(own), ${fallback}, own)` };
}

/**
 * Selects a row for each actor and interval in which one of the actor's runs starts (with a breakdown: and value): `actor`, `value`, `start`
 * (of the interval, milliseconds) and `steps`, the last step of the run that reaches the most. With a breakdown by the value of a step,
 * that run gives the value (of equal runs the first); actors whose run does not take the step have no row.
 */
export function entrances(query: FunnelsQuery, span: Span, buckets: Buckets, context: KindContext): Fragment {
  const begins = sql`toInt64(run.1) + ${bound('Int64', originOf(span))}`;
  const start = sql`roundDown(${begins}, ${bound('Array(Int64)', buckets.starts)}) as start`;
  const runs = sql`select actor, value, arrayJoin(runs) as run from (${funnelRuns(query, span, context, true)})`;
  if (attributedStep(query) === null) {
    return sql`select actor, value, ${start}, max(run.2) as steps from (${runs}) group by actor, value, start`;
  }
  const first = sql`(run.2, -toInt64(run.1), -toInt64(run.3))`;
  const furthest = sql`select actor, argMax(run.4, ${first}) as own, ${start}, max(run.2) as steps
    from (${runs})
    group by actor, start`;
  return sql`select actor, own as value, start, steps from (${furthest}) where notEmpty(own)`;
}
