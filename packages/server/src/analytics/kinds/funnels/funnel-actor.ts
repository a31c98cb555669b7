import { type Fragment, sql } from '../../sql/fragment.js';
import { type Actor, actorKey } from '../actor.js';
import type { KindContext } from '../kind.js';
import type { Expression } from '../sql/expression.js';

/** What goes through a funnel: persons, groups, sessions, or all events with one value of an expression. */
export type FunnelActor = Actor | { type: 'value'; expression: Expression };

/** Which one an event is of; empty: none. */
export const funnelActorKey = (counted: FunnelActor, { writeExpression: written }: KindContext): Fragment =>
  counted.type === 'value' ? sql`ifNull(toString(${written(counted.expression, 'text')}), '')` : actorKey(counted);

/** That an event is of any. */
export const hasFunnelActor = (counted: FunnelActor, context: KindContext): Fragment[] =>
  counted.type === 'person' ? [] : [sql`${funnelActorKey(counted, context)} != ''`];
