import type { Interval } from '../../buckets.js';
import type { MathActor } from '../../math.js';
import type { EventsNode, InsightScope } from '../../query.js';

/** Of those who did something in a period, who came back in the periods after it. */
export interface RetentionQuery extends InsightScope {
  kind: 'RetentionQuery';
  /** What people begin with, and what counts as coming back. */
  target: EventsNode;
  returning: EventsNode;
  /** Whether only the first time ever counts as a beginning; else every period with such an event. */
  isFirstTime: boolean;
  period: Interval;
  /** How many periods are shown of each beginning, its own included. */
  total: number;
  /** Whether those count too who came back only later. */
  cumulative: boolean;
  actor: MathActor;
}
