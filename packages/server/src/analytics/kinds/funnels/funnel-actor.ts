import { type Fragment, sql } from '../../sql/fragment.js';
import { type Actor, actorKey } from '../actor.js';
import type { KindContext } from '../kind.js';
import type { Expression } from '../sql/expression.js';

/** Whose events form a run: a person, a group, a session, or all events with the same value of an SQL expression. */
export type FunnelActor = Actor | { type: 'value'; expression: Expression };

/** The key of an event's actor; empty: none. */
export const funnelActorKey = (counted: FunnelActor, { writeExpression: written }: KindContext): Fragment =>
  counted.type === 'value' ? sql`ifNull(toString(${written(counted.expression, 'text')}), '')` : actorKey(counted);

/** Conditions: the event has an actor. */
export const hasFunnelActor = (counted: FunnelActor, context: KindContext): Fragment[] =>
  counted.type === 'person' ? [] : [sql`${funnelActorKey(counted, context)} != ''`];
