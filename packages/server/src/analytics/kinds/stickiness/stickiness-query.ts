import type { Interval } from '../../buckets.js';
import type { EventsNode, InsightScope } from '../../query.js';

/** On how many intervals people do something. */
export interface StickinessQuery extends InsightScope {
  kind: 'StickinessQuery';
  series: EventsNode[];
  interval: Interval;
  /** How many of them are one period, counted back from the end. */
  intervalCount: number;
  /** How often they have to do it in an interval for that to count; null: once. */
  criteria: { operator: 'gte' | 'lte' | 'exact'; value: number } | null;
  /** Whether each number holds those too who do it on more intervals. */
  cumulative: boolean;
  /** As of trends. */
  compare: 'previous' | { back: string } | null;
}
