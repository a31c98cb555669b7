import type { MathActor } from '../math.js';
import type { EventsNode } from '../query.js';
import { condition } from '../sql/filter.js';
import { bound, every, type Fragment, identifier, sql } from '../sql/fragment.js';
import { PERSON_ID } from '../sql/source.js';
import type { KindContext } from './kind.js';

/** Who is counted: the uuid of the person, or the key of the group, of an event. */
export const actorKey = (actor: MathActor): Fragment =>
  actor.type === 'person' ? PERSON_ID : sql`e.${identifier(`group_${actor.index}`)}`;

/** That an event has somebody to count: events without a group are nobody's. */
export const hasActor = (actor: MathActor): Fragment[] => (actor.type === 'person' ? [] : [sql`${actorKey(actor)} != ''`]);

/** That an event is one of those that a series, a step or an entity names. */
export const isEvent = ({ event, properties }: Pick<EventsNode, 'event' | 'properties'>, context: KindContext): Fragment =>
  every([...(event === null ? [] : [sql`e.event = ${bound('String', event)}`]), condition(properties, context)]);

/** What to call the events of a series. */
export const nameOf = ({ name, event }: EventsNode): string => name ?? event ?? 'All events';
