import type { Span } from '../../buckets.js';
import type { EventsNode } from '../../series-schema.js';
import { every, type Fragment, selfContained, sql, whole } from '../../sql/fragment.js';
import { selectFromEvents } from '../../sql/source.js';
import { before } from '../../sql/time.js';
import { actorFor, hasActor, isEvent, isNamed } from '../actor.js';
import type { KindContext } from '../kind.js';
import type { FunnelsQuery } from './funnels-schema.js';

/** Whether only the first event of that name that an actor ever had counts as the step. */
export const isFirstTime = ({ math }: Pick<EventsNode, 'math'>): boolean => math.kind === 'first_time_for_user';

/** Condition: an event matches a step. */
export const isStepEvent = (step: EventsNode, query: FunnelsQuery, span: Span, context: KindContext): Fragment =>
  isFirstTime(step) ? every([isEvent(step, context), isFirst(step, query, span, context)]) : isEvent(step, context);

const PERSON = { type: 'person' } as const;

/** Condition: the event is the first of its name of its group, else its person, also before the range. Ties are broken by uuid. */
function isFirst(step: EventsNode, { actor: counted }: FunnelsQuery, { to }: Span, context: KindContext): Fragment {
  const actor = counted.type === 'group' ? counted : PERSON;
  const firsts = selectFromEvents({
    projectId: context.projectId,
    select: [sql`${actorFor(actor, context)} as actor`, sql`argMin(e.uuid, (e.timestamp, e.uuid)) as first`],
    where: [isNamed(step, context), before(to), ...hasActor(actor)],
    groupBy: [sql`actor`],
  });
  return sql`e.uuid global in (${selfContained(sql`select first from (${firsts})`)})`;
}

/** Whether runs may skip a step. */
export const hasOptional = ({ series }: FunnelsQuery): boolean => series.some(({ isOptional }) => isOptional);

/** The steps that a run waiting for a step may take next: that step and, while they are optional, the ones behind it. */
export function nextSteps({ series }: FunnelsQuery, waiting: number): number[] {
  const required = series.findIndex(({ isOptional }, index) => index >= waiting && !isOptional);
  const last = required < 0 ? series.length - 1 : required;
  return Array.from({ length: last - waiting + 1 }, (_, index) => waiting + index);
}

/** The last step before another that is not optional. */
export const requiredBefore = ({ series }: FunnelsQuery, step: number): number =>
  series.findLastIndex(({ isOptional }, index) => index < step && !isOptional);

/** Condition: the run took the step, counted from 0. In the times of a run a skipped step has the time 0. */
export const took = ({ series }: FunnelsQuery, run: Fragment, step: number): Fragment => {
  const isLongEnough = sql`length(${run}) > ${whole(step)}`;
  return series[step]?.isOptional ? every([isLongEnough, sql`${run}[${whole(step + 1)}] > 0`]) : isLongEnough;
};
