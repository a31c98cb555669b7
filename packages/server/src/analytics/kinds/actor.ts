import { matchesAction } from '../fields.js';
import type { EventsNode, MathActor } from '../series-schema.js';
import { condition } from '../sql/filter.js';
import { bound, every, type Fragment, identifier, sql } from '../sql/fragment.js';
import { PERSON_ID, PERSON_NUMBER, property } from '../sql/property.js';
import { type PersonsSelect, selectByPerson, selectFromEvents } from '../sql/source.js';
import type { KindContext } from './kind.js';
import type { Expression } from './sql/expression.js';

/** Whose events are aggregated together: a person's, a group's or a session's. */
export type Actor = MathActor | { type: 'session' };

/** The actor of an event: uuid of the person, key of the group or id of the session. */
export function actorKey(actor: Actor): Fragment {
  if (actor.type === 'person') return PERSON_ID;
  if (actor.type === 'session') return sql`ifNull(${property({ type: 'event' }, '$session_id').text}, '')`;
  return sql`e.${identifier(`group_${actor.index}`)}`;
}

/** As {@link actorKey}, for statements that count actors and never name them. */
export const actorNumber = (actor: Actor): Fragment => (actor.type === 'person' ? PERSON_NUMBER : actorKey(actor));

/** The actor of an event, as the statement needs it: named or only counted. */
export const actorFor = (actor: Actor, { namesActors }: KindContext): Fragment =>
  namesActors ? actorKey(actor) : actorNumber(actor);

/** Whether a row for each actor is one for each person, by number. */
export const isNumberOfPerson = (actor: Actor | FunnelActor, { namesActors }: KindContext): boolean =>
  actor.type === 'person' && !namesActors;

/** Conditions: the event has an actor. Events may have no group or session. */
export const hasActor = (actor: Actor): Fragment[] => (actor.type === 'person' ? [] : [sql`${actorKey(actor)} != ''`]);

/** Condition: the event has the name and matches the filters of a series, step or entity. */
export const isEvent = ({ event, properties }: Pick<EventsNode, 'event' | 'properties'>, context: KindContext): Fragment =>
  every([...(event === null ? [] : [sql`e.event = ${bound('String', event)}`]), condition(properties, context)]);

/** Condition: the event has the name or matches the action of a series or step, regardless of its filters. */
export const isNamed = ({ event, action }: EventsNode, context: KindContext): Fragment =>
  isEvent({ event, properties: matchesAction(action) }, context);

/** The display name of a series. */
export function nameOf({ name, event, action }: EventsNode, { actions }: KindContext): string {
  const known = action === undefined ? null : (actions.get(action)?.name ?? `Action ${action}`);
  return name ?? known ?? event ?? 'All events';
}

/** Whose events form a run: a person, a group, a session, or all events with the same value of an SQL expression. */
export type FunnelActor = Actor | { type: 'value'; expression: Expression };

/** The key of an event's actor; empty: none. */
export const funnelActorKey = (counted: FunnelActor, context: KindContext): Fragment =>
  counted.type === 'value'
    ? sql`ifNull(toString(${context.writeExpression(counted.expression, 'text')}), '')`
    : actorFor(counted, context);

/** Selects a row for each actor with events that meet the conditions, which have to require an actor: `actor`, keys and columns. */
export function rowsByActor(
  counted: FunnelActor,
  { columns, keys = [], ...rest }: Omit<PersonsSelect, 'projectId' | 'byDistinctId'>,
  context: KindContext,
): Fragment {
  const { projectId, hasDenseEvents: byDistinctId } = context;
  if (isNumberOfPerson(counted, context)) return selectByPerson({ projectId, columns, keys, byDistinctId, ...rest });
  return selectFromEvents({
    projectId,
    select: [
      sql`${funnelActorKey(counted, context)} as actor`,
      ...[...keys, ...columns].map(({ name, of }) => sql`${of} as ${name}`),
    ],
    groupBy: [sql`actor`, ...keys.map(({ name }) => name)],
    ...rest,
  });
}

/** Conditions: the event has an actor. */
export const hasFunnelActor = (counted: FunnelActor, context: KindContext): Fragment[] =>
  counted.type === 'person' ? [] : [sql`${funnelActorKey(counted, context)} != ''`];
