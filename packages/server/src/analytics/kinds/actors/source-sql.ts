import { ApiError } from '../../../kernel/errors.js';
import { BREAKDOWN_OTHER } from '../../breakdown.js';
import { bound, commaList, every, type Fragment, sql, whole } from '../../sql/fragment.js';
import type { FunnelActor } from '../actor.js';
import { areAmong } from '../breakdown.js';
import { OTHER, readLabel } from '../funnels/breakdown-label.js';
import { rankedValues } from '../funnels/conversion-trends.js';
import { entrances, funnelRuns } from '../funnels/funnel-runs-sql.js';
import type { FunnelsQuery } from '../funnels/funnels-schema.js';
import { stepValues } from '../funnels/steps.js';
import { hasOptional, requiredBefore, took } from '../funnels/steps-sql.js';
import type { Execute, KindContext } from '../kind.js';
import { lifecycleRows, withOneBefore } from '../lifecycle/lifecycle-sql.js';
import { requirePatterns } from '../paths/paths.js';
import { pathActors } from '../paths/paths-sql.js';
import { periodsOf } from '../retention/periods.js';
import { ALL_USERS } from '../retention/retention.js';
import { namedValues, type RequestedValue, retentionActors } from '../retention/retention-sql.js';
import { bucketsFor, comparedSpans, findInterval, spanFor, wholeSpan } from '../span.js';
import { actorOf, intervalsOf, periodsFor } from '../stickiness/stickiness.js';
import type { ActorsSource } from './actors-schema.js';
import { actorOfMath, trendsActors } from './trends-actors.js';

/** The actors behind a point: their kind, and a statement that selects `actor` and `event_count`. */
export interface ActorRows {
  actor: FunnelActor;
  statement: Fragment;
  /** The statement also selects `appearances`. */
  hasAppearances?: true;
}

/** Selects the actors behind a point of an insight. @throws ApiError invalid_input if there is no such point */
export async function actorsBehind(source: ActorsSource, given: KindContext, execute: Execute): Promise<ActorRows> {
  const context: KindContext = { ...given, namesActors: true };
  switch (source.of) {
    case 'trends':
      return trendsActors(source, context, execute);
    case 'funnels':
      return { actor: source.query.actor, statement: await funnelActors(source, context, execute) };
    case 'retention':
      return { actor: source.query.actor, statement: await retentionPoint(source, context, execute), hasAppearances: true };
    case 'stickiness':
      return stickinessActors(source, context, execute);
    case 'lifecycle':
      return { actor: source.query.actor, statement: await lifecycleActors(source, context, execute) };
    case 'paths': {
      requirePatterns(source.query, context);
      const span = await spanFor(source.query, 'day', context, execute);
      return { actor: source.query.actor, statement: pathActors(source.query, span, context) };
    }
  }
}

/** Who stands behind a point of an insight. */
export function actorBehind(source: ActorsSource): FunnelActor {
  if (source.of !== 'trends' && source.of !== 'stickiness') return source.query.actor;
  const math = source.query.series[source.series]?.math ?? { kind: 'total' };
  return actorOfMath(math);
}

type Point<Of extends ActorsSource['of']> = Extract<ActorsSource, { of: Of }>;

async function stickinessActors(
  { query, series, intervals, previous }: Point<'stickiness'>,
  context: KindContext,
  execute: Execute,
): Promise<ActorRows> {
  const own = query.series[series];
  if (!own) throw new Error('the schema lets no such series through');
  const spans = await comparedSpans(query, context, execute);
  const span = previous && spans.previous ? spans.previous : spans.current;
  const rows = intervalsOf(query, own, { span, buckets: periodsFor(query, span, context) }, context);
  const holds = query.cumulative ? sql`intervals >= ${whole(intervals)}` : sql`intervals = ${whole(intervals)}`;
  return { actor: actorOf(own), statement: sql`select actor, intervals as event_count from (${rows}) where ${holds}` };
}

async function lifecycleActors(
  { query, day, status }: Point<'lifecycle'>,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const span = await wholeSpan(query, context, execute);
  const buckets = bucketsFor(span, query.interval, context);
  const period = findInterval(day, buckets, context) + 1;
  const rows = lifecycleRows(query, span, withOneBefore(buckets, query, context), context);
  return sql`select actor, toUInt64(1) as event_count
    from (${rows})
    where period = ${whole(period)} and status = ${bound('String', status)}`;
}

type RetentionPoint = Extract<ActorsSource, { of: 'retention' }>;

/** Selects the actors behind a point of retention (see `retentionActors`). */
async function retentionPoint(
  { query, row, later, breakdown: given }: RetentionPoint,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const periods = await periodsOf(query, context, execute);
  if (row >= periods.buckets.starts.length) {
    throw new ApiError('invalid_input', 'There is no such row.', 'query__source__interval');
  }
  const { breakdown } = query;
  const valueOfGiven = async (): Promise<RequestedValue> => {
    if (given === null || !breakdown) return null;
    if (breakdown.by.type === 'cohorts') return { is: given.map((one) => (one === ALL_USERS ? 'all' : one)) };
    if (given.some((one) => one !== BREAKDOWN_OTHER)) return { is: given };
    return { isNone: await namedValues(query, breakdown, periods, context, execute) };
  };
  return retentionActors(query, { row, later, value: await valueOfGiven() }, periods, context, execute);
}

type FunnelPoint = Extract<ActorsSource, { of: 'funnels' }>;

/** Selects the actors behind a point of a funnel: `actor`, and `event_count`, the number of steps taken. */
async function funnelActors(
  { query, reached, breakdown }: FunnelPoint,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const span = await spanFor(query, query.interval, context, execute);
  if ('day' in reached) {
    const buckets = bucketsFor(span, query.interval, context);
    const index = findInterval(reached.day, buckets, context, 'funnelTrendsEntrancePeriodStart');
    const rows = entrances(query, span, buckets, context);
    const ofValue = await isOfValue(query, breakdown, () => rankedValues(query, rows, execute));
    const where = [sql`start = ${bound('Int64', buckets.starts[index])}`, ...ofValue];
    const { from, to } = query.view.type === 'trends' ? query.view : { from: 0, to: query.series.length - 1 };
    const converted = sql`event_count > ${whole(to)}`;
    const isChosen = reached.droppedOff ? sql`event_count > ${whole(from)} and not ${converted}` : converted;
    return sql`select actor, max(steps) as event_count from (${rows}) where ${every(where)} group by actor having ${isChosen}`;
  }
  const rows = funnelRuns(query, span, context);
  const ofValue = await isOfValue(query, breakdown, () => stepValues(query, rows, execute));
  const steps = hasOptional(query) ? sql`arrayCount(one -> one > 0, best)` : sql`length(best)`;
  const where = every([isReached(query, reached), ...ofValue]);
  return sql`select actor, max(event_count) as event_count
    from (select actor, toUInt64(${steps}) as event_count
    from (${rows})
    where ${where})
    group by actor`;
}

/** Condition on `best`. Drop-off at a step: took the required step before it, but not the step itself. */
function isReached(query: FunnelsQuery, reached: { step: number } | { exactly: readonly number[] }): Fragment {
  if ('exactly' in reached) return sql`length(best) in (${commaList(reached.exactly.map(whole))})`;
  const { step } = reached;
  const own = took(query, sql`best`, Math.abs(step) - 1);
  if (step > 0) return own;
  return every([took(query, sql`best`, requiredBefore(query, -step - 1)), sql`not (${own})`]);
}

/** Condition: the row has the breakdown value. "Other" means all values that the result does not list, unless it lists a value "Other". */
async function isOfValue(
  { breakdown }: FunnelsQuery,
  given: readonly string[] | null,
  namedValues: () => Promise<string[][]>,
): Promise<Fragment[]> {
  if (given === null || !breakdown) return [];
  const label = readLabel(given, breakdown);
  const isOne = [sql`value = ${bound('Array(String)', label)}`];
  const isMarked = label.every((text) => text === BREAKDOWN_OTHER);
  if (!isMarked && !label.every((text) => text === OTHER)) return isOne;
  const named = await namedValues();
  if (!isMarked && named.some((value) => value.join('\0') === label.join('\0'))) return isOne;
  const keys = (named[0] ?? label).map((_, index) => sql`value[${whole(index + 1)}]`);
  return [sql`not ${areAmong(keys, named)}`];
}
