import { matchesAction } from '../entity.js';
import type { MathActor } from '../math.js';
import type { EventsNode } from '../query.js';
import { condition } from '../sql/filter.js';
import { bound, every, type Fragment, identifier, sql } from '../sql/fragment.js';
import { PERSON_ID } from '../sql/person-id.js';
import { property } from '../sql/property.js';
import type { KindContext } from './kind.js';

/** Whose events are counted together: those of a person, a group or a session. */
export type Actor = MathActor | { type: 'session' };

/** Who is counted: the uuid of the person, the key of the group, or the id of the session, of an event. */
export function actorKey(actor: Actor): Fragment {
  if (actor.type === 'person') return PERSON_ID;
  if (actor.type === 'session') return sql`ifNull(${property({ type: 'event' }, '$session_id').text}, '')`;
  return sql`e.${identifier(`group_${actor.index}`)}`;
}

/** That an event has somebody to count: events without a group, or a session, are nobody's. */
export const hasActor = (actor: Actor): Fragment[] => (actor.type === 'person' ? [] : [sql`${actorKey(actor)} != ''`]);

/** That an event is one of those that a series, a step or an entity names. */
export const isEvent = ({ event, properties }: Pick<EventsNode, 'event' | 'properties'>, context: KindContext): Fragment =>
  every([...(event === null ? [] : [sql`e.event = ${bound('String', event)}`]), condition(properties, context)]);

/** That an event has the name, or matches the action, of a series or step, whatever their filters say of it. */
export const isNamed = ({ event, action }: EventsNode, context: KindContext): Fragment =>
  isEvent({ event, properties: matchesAction(action) }, context);

/** What to call the events of a series. */
export function nameOf({ name, event, action }: EventsNode, { actions }: KindContext): string {
  const known = action === undefined ? null : (actions.get(action)?.name ?? `Action ${action}`);
  return name ?? known ?? event ?? 'All events';
}
