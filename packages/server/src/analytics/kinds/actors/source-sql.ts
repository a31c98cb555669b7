import { bound, type Fragment, sql, whole } from '../../sql/fragment.js';
import type { FunnelActor } from '../funnels/funnel-actor.js';
import type { Execute, KindContext } from '../kind.js';
import { lifecycleRows, withOneBefore } from '../lifecycle/lifecycle-sql.js';
import { requirePatterns } from '../paths/paths.js';
import { pathActors } from '../paths/paths-sql.js';
import { bucketsFor, comparedSpans, spanFor, wholeSpan } from '../span.js';
import { actorOf, intervalsOf, periodsFor } from '../stickiness/stickiness.js';
import type { ActorsSource } from './actors-query.js';
import { findInterval } from './find-interval.js';
import { funnelActors } from './funnel-actors.js';
import { retentionPoint } from './retention-actors.js';
import { trendsActors } from './trends-actors.js';

/** The actors behind a point: their kind, and a statement that selects `actor` and `event_count`. */
export interface ActorRows {
  actor: FunnelActor;
  statement: Fragment;
  /** The statement also selects `appearances`. */
  hasAppearances?: true;
}

/** Selects the actors behind a point of an insight. @throws ApiError invalid_input if there is no such point */
export async function actorsBehind(source: ActorsSource, context: KindContext, execute: Execute): Promise<ActorRows> {
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
