import type { Interval } from '../../buckets.js';
import type { EventsNode, InsightScope } from '../../query.js';

/** In how many intervals people performed an event. */
export interface StickinessQuery extends InsightScope {
  kind: 'StickinessQuery';
  series: EventsNode[];
  interval: Interval;
  /** Intervals per period, counted back from the end. */
  intervalCount: number;
  /** Condition on the number of events in an interval for it to count; null: at least one. */
  criteria: { operator: 'gte' | 'lte' | 'exact'; value: number } | null;
  /** Each number includes people with more intervals. */
  cumulative: boolean;
  /** As of trends. */
  compare: 'previous' | { back: string } | null;
}
