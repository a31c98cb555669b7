import type { Span } from '../../buckets.js';
import type { EventsNode } from '../../query.js';
import { every, type Fragment, selfContained, sql } from '../../sql/fragment.js';
import { selectFromEvents } from '../../sql/source.js';
import { actorKey, hasActor, isEvent, isNamed } from '../actor.js';
import { instantSql, type KindContext } from '../kind.js';
import type { FunnelsQuery } from './funnels-query.js';

/** Whether a step is only the first event ever of its name that an actor has. */
export const isFirstTime = ({ math }: Pick<EventsNode, 'math'>): boolean => math.kind === 'first_time_for_user';

/** That an event fits a step. */
export const isStepEvent = (step: EventsNode, query: FunnelsQuery, span: Span, context: KindContext): Fragment =>
  isFirstTime(step) ? every([isEvent(step, context), isFirst(step, query, span, context)]) : isEvent(step, context);

const PERSON = { type: 'person' } as const;

/** That an event is the first of its name that its group, or else its person, ever had, also before the range; of several at once it is one. */
function isFirst(step: EventsNode, { actor: counted }: FunnelsQuery, { to }: Span, context: KindContext): Fragment {
  const actor = counted.type === 'group' ? counted : PERSON;
  const firsts = selectFromEvents({
    projectId: context.projectId,
    select: [sql`${actorKey(actor)} as actor`, sql`argMin(e.uuid, (e.timestamp, e.uuid)) as first`],
    where: [isNamed(step, context), sql`e.timestamp < ${instantSql(to)}`, ...hasActor(actor)],
    groupBy: [sql`actor`],
  });
  return sql`e.uuid global in (${selfContained(sql`select first from (${firsts})`)})`;
}
