import type { Breakdown } from '../../breakdown.js';
import type { Interval } from '../../buckets.js';
import type { EventsNode, InsightScope } from '../../query.js';
import type { FunnelActor } from './funnel-actor.js';

/** Events that make a run void while it stands between two steps (numbered from 0). */
export interface Exclusion {
  events: EventsNode;
  from: number;
  to: number;
}

/** Which event of a run says what the run is told apart by; `step` is numbered from 0. */
export type Attribution = { type: 'first_touch' | 'last_touch' | 'all_events' } | { type: 'step'; step: number };

/** What is shown of the runs; steps are numbered from 0. */
export type FunnelView =
  | { type: 'steps' }
  | { type: 'time_to_convert'; from: number; to: number; bins: number | null }
  | { type: 'trends'; from: number; to: number };

/** How far people come through a series of steps. */
export interface FunnelsQuery extends InsightScope {
  kind: 'FunnelsQuery';
  series: EventsNode[];
  /**
   * `ordered`: other events may lie between steps; `strict`: none may; `unordered`: steps in any order.
   */
  order: 'ordered' | 'strict' | 'unordered';
  /** Milliseconds from the first step within which the others count, the last of them included. */
  window: number;
  exclusions: Exclusion[];
  breakdown: Breakdown | null;
  attribution: Attribution;
  actor: FunnelActor;
  view: FunnelView;
  /** Into what time is cut for `trends`. */
  interval: Interval;
  /** What of the query was ignored, in sentences for the answer. */
  warnings: string[];
}
