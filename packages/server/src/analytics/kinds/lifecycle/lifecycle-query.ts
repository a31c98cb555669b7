import type { Interval } from '../../buckets.js';
import type { MathActor } from '../../math.js';
import type { EventsNode, InsightScope } from '../../query.js';

/** Lifecycle statuses of a person in an interval. */
export const STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const;
export type LifecycleStatus = (typeof STATUSES)[number];

/** New, returning, resurrecting and dormant people over time. */
export interface LifecycleQuery extends InsightScope {
  kind: 'LifecycleQuery';
  series: EventsNode;
  interval: Interval;
  actor: MathActor;
}
