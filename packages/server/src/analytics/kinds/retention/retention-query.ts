import type { Breakdown } from '../../breakdown.js';
import type { Interval } from '../../buckets.js';
import type { MathActor } from '../../math.js';
import type { EventsNode, InsightScope } from '../../query.js';

/** Counts actors with a start event in a period, and how many of them have a return event in later periods. */
export interface RetentionQuery extends InsightScope {
  kind: 'RetentionQuery';
  /** What people begin with, and what counts as coming back. */
  target: EventsNode;
  returning: EventsNode;
  /**
   * Which of those events count as beginnings: one in `every_period`, the `first_time` ever, or the `first_ever` event of that name
   * where it is also the first that the target's filters hold of.
   */
  begins: 'every_period' | 'first_time' | 'first_ever';
  period: Exclude<Interval, 'minute'>;
  /** How many columns are shown of each beginning, its own period included; without `date_from` also how many rows. */
  total: number;
  /** How many periods each column after the first stands for, in place of one in each of `total` columns; null: no such. */
  brackets: number[] | null;
  /** Whether those count too who came back only later. */
  cumulative: boolean;
  /** How often they have to come in a period for that to count. */
  minimum: number;
  /** Whether periods are counted from the event that people begin with, by its time of day; else they are those of the calendar. */
  isRolling: boolean;
  /** Splits the cohorts by a value of the start event. */
  breakdown: Breakdown | null;
  actor: MathActor;
}

/** The last period of each column, numbered from that in which people begin. */
export const columnEnds = ({ brackets, total }: Pick<RetentionQuery, 'brackets' | 'total'>): number[] => {
  let end = 0;
  return brackets ? [0, ...brackets.map((periods) => (end += periods))] : Array.from({ length: total }, (_, index) => index);
};
