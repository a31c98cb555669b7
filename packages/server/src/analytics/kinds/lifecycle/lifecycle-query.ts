import type { Interval } from '../../buckets.js';
import type { MathActor } from '../../math.js';
import type { EventsNode, InsightScope } from '../../query.js';

/** What becomes of people from one interval to the next. */
export const STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const;
export type LifecycleStatus = (typeof STATUSES)[number];

/** Who is new, who stays, who comes back and who goes. */
export interface LifecycleQuery extends InsightScope {
  kind: 'LifecycleQuery';
  series: EventsNode;
  interval: Interval;
  actor: MathActor;
}
