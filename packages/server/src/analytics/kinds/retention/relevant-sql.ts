import type { Span } from '../../buckets.js';
import type { EventsNode } from '../../query.js';
import { type Fragment, some, sql } from '../../sql/fragment.js';
import { aboutScope } from '../../sql/scope.js';
import { hasActor, isEvent, isNamed } from '../actor.js';
import { instantSql, type KindContext } from '../kind.js';
import type { RetentionQuery } from './retention-query.js';

/** Conditions on the events that a retention query reads. */
export function relevant(query: RetentionQuery, span: Span, context: KindContext): Fragment[] {
  const [anchor, returning] = [isAnchor(query, context), isEvent(query.returning, context)];
  const either = isSameEvent(query.target, query.returning) ? anchor : some([anchor, returning]);
  const isRecent = sql`e.timestamp >= ${instantSql(span.from)}`;
  return [
    sql`e.timestamp < ${instantSql(span.to)}`,
    // whether an event is the first one depends on all earlier events
    query.begins === 'every_period' ? sql`(${isRecent} and ${either})` : some([anchor, sql`(${isRecent} and ${returning})`]),
    ...aboutScope(query, context),
    ...hasActor(query.actor),
  ];
}

/** Condition: events to search for the first occurrence. For `first_ever` any event with the name, whether or not it matches the filters. */
export const isAnchor = ({ begins, target }: RetentionQuery, context: KindContext): Fragment =>
  begins === 'first_ever' ? isNamed(target, context) : isEvent(target, context);

export const isSameEvent = (one: EventsNode, other: EventsNode): boolean =>
  one.event === other.event && JSON.stringify(one.properties) === JSON.stringify(other.properties);
