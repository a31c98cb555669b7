import type { Breakdown } from '../../breakdown.js';
import type { Interval } from '../../buckets.js';
import type { EventsNode, InsightScope } from '../../query.js';
import type { FunnelActor } from './funnel-actor.js';

/** Events that void a run while it is between two steps (numbered from 0). */
export interface Exclusion {
  events: EventsNode;
  from: number;
  to: number;
}

/** Which event of a run gives its breakdown value; `step` is numbered from 0. */
export type Attribution = { type: 'first_touch' | 'last_touch' | 'all_events' } | { type: 'step'; step: number };

/** The view of a funnel; steps are numbered from 0. */
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
  /** Conversion window: milliseconds from the first step, inclusive. */
  window: number;
  exclusions: Exclusion[];
  breakdown: Breakdown | null;
  attribution: Attribution;
  actor: FunnelActor;
  view: FunnelView;
  /** Interval of the `trends` view. */
  interval: Interval;
  /** Ignored parts of the query, as sentences for the response. */
  warnings: string[];
}

/** The step (numbered from 0) whose event gives a run its breakdown value; null: no single step does. */
export const attributedStep = ({ breakdown, attribution }: FunnelsQuery): number | null =>
  breakdown?.by.type === 'properties' && attribution.type === 'step' ? attribution.step : null;
