import { ApiError } from '../../../kernel/errors.js';
import { BREAKDOWN_OTHER } from '../../breakdown.js';
import type { MathActor } from '../../math.js';
import { bound, every, type Fragment, sql, whole } from '../../sql/fragment.js';
import { hasOptional, requiredBefore, took } from '../funnels/optional-sql.js';
import { funnelRuns, originOf } from '../funnels/runs-sql.js';
import type { Execute, KindContext } from '../kind.js';
import { lifecycleRows, withOneBefore } from '../lifecycle/lifecycle-sql.js';
import { requirePatterns } from '../paths/paths.js';
import { pathActors } from '../paths/paths-sql.js';
import { periodsOf } from '../retention/periods.js';
import { retentionActors } from '../retention/retention-sql.js';
import { bucketsFor, spanFor, timeBefore } from '../span.js';
import { actorOf, intervalsOf, periodsFor } from '../stickiness/stickiness.js';
import type { ActorsSource } from './actors-query.js';
import { intervalAsked } from './interval-asked.js';
import { trendsActors } from './trends-actors.js';

/** Who is behind a point: of which kind, and a row for each, `actor` and `event_count`. */
export interface FoundActors {
  actor: MathActor;
  statement: Fragment;
}

/** @throws ApiError invalid_input when there is no such point */
export async function actorsBehind(source: ActorsSource, context: KindContext, execute: Execute): Promise<FoundActors> {
  if ('breakdown' in source && source.breakdown?.includes(BREAKDOWN_OTHER)) {
    throw new ApiError('invalid_input', 'Those behind "other" cannot be listed.', 'query__source__breakdown');
  }
  switch (source.of) {
    case 'trends':
      return trendsActors(source, context, execute);
    case 'funnels':
      return { actor: source.query.actor, statement: await funnelActors(source, context, execute) };
    case 'retention':
      return { actor: source.query.actor, statement: await retentionPoint(source, context, execute) };
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

type Point<Of extends ActorsSource['of']> = Extract<ActorsSource, { of: Of }>;

async function funnelActors(
  { query, step, breakdown, entrance }: Point<'funnels'>,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const span = await spanFor(query, query.interval, context, execute);
  const ofValue = breakdown ? [sql`value = ${bound('Array(String)', breakdown)}`] : [];
  if (!entrance || query.view.type !== 'trends') {
    const rows = funnelRuns(query, span, context);
    const steps = hasOptional(query) ? sql`arrayCount(one -> one > 0, best)` : sql`length(best)`;
    const reached = hasOptional(query) ? reachedSkipping(query, step) : reachedStep(step);
    return sql`select actor, max(event_count) as event_count from (select actor, toUInt64(${steps}) as event_count from (${rows}) where ${every([reached, ...ofValue])}) group by actor`;
  }
  const buckets = bucketsFor(span, query.interval, context);
  const index = intervalAsked(entrance.day, buckets, context, 'funnelTrendsEntrancePeriodStart');
  const begins = sql`toInt64(run.1) + ${bound('Int64', originOf(span))}`;
  const within = every([
    sql`${begins} >= ${bound('Int64', buckets.starts[index])}`,
    sql`${begins} < ${bound('Int64', buckets.ends[index])}`,
    ...ofValue,
  ]);
  const { from, to } = query.view;
  const converted = sql`event_count > ${whole(to)}`;
  const asked = entrance.droppedOff ? sql`event_count > ${whole(from)} and not ${converted}` : converted;
  const rows = sql`select actor, value, arrayJoin(runs) as run from (${funnelRuns(query, span, context, true)})`;
  return sql`select actor, max(run.2) as event_count from (${rows}) where ${within} group by actor having ${asked}`;
}

const reachedStep = (step: number): Fragment =>
  step > 0 ? sql`length(best) >= ${whole(step)}` : sql`length(best) = ${whole(-step - 1)}`;

/** Who left before a step took the last one before it that is not optional, and not the step itself. */
function reachedSkipping(query: Point<'funnels'>['query'], step: number): Fragment {
  const own = took(query, sql`best`, Math.abs(step) - 1);
  return step > 0 ? own : every([took(query, sql`best`, requiredBefore(query, -step - 1)), sql`not (${own})`]);
}

async function retentionPoint(
  { query, ...point }: Point<'retention'>,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const periods = await periodsOf(query, context, execute);
  if (point.row >= periods.buckets.starts.length) {
    throw new ApiError('invalid_input', 'There is no such row.', 'query__source__interval');
  }
  return retentionActors(query, point, periods, context, execute);
}

async function stickinessActors(
  { query, series, intervals, previous }: Point<'stickiness'>,
  context: KindContext,
  execute: Execute,
): Promise<FoundActors> {
  const own = query.series[series];
  if (!own) throw new Error('the schema lets no such series through');
  const present = await spanFor(query, query.interval, context, execute);
  const span = previous ? timeBefore(present, query, context) : present;
  const rows = intervalsOf(query, own, { span, buckets: periodsFor(query, span, context) }, context);
  const holds = query.cumulative ? sql`intervals >= ${whole(intervals)}` : sql`intervals = ${whole(intervals)}`;
  return { actor: actorOf(own), statement: sql`select actor, intervals as event_count from (${rows}) where ${holds}` };
}

async function lifecycleActors(
  { query, day, status }: Point<'lifecycle'>,
  context: KindContext,
  execute: Execute,
): Promise<Fragment> {
  const span = await spanFor(query, query.interval, context, execute);
  const buckets = bucketsFor(span, query.interval, context);
  const period = intervalAsked(day, buckets, context) + 1;
  const rows = lifecycleRows(query, span, withOneBefore(buckets, query, context), context);
  return sql`select actor, toUInt64(1) as event_count from (${rows}) where period = ${whole(period)} and status = ${bound('String', status)}`;
}
