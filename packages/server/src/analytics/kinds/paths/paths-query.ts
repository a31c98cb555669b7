import type { MathActor } from '../../math.js';
import type { InsightScope } from '../../query.js';
import type { Expression } from '../sql/expression.js';

/** What a step of a path can be: the address of a page, the name of a screen, the name of an event of one's own, or the value of an expression. */
export const PATH_TYPES = ['$pageview', '$screen', 'custom_event', 'hogql'] as const;
export type PathType = (typeof PATH_TYPES)[number];

/** Who is asked for by {@link ActorsQuery}: those who went from a step, to a step, or stopped at one, such as `2_/pricing`. */
export interface PathPoint {
  startKey: string | null;
  endKey: string | null;
  dropoffKey: string | null;
}

/** Which way people go, from step to step. */
export interface PathsQuery extends InsightScope {
  kind: 'PathsQuery';
  /** Whose paths. */
  actor: MathActor;
  /** Empty: all events. */
  include: PathType[];
  /** What `hogql` calls an event; null: it is not asked for. */
  expression: Expression | null;
  /** Where paths begin and end; null: anywhere. */
  start: string | null;
  end: string | null;
  exclude: string[];
  /** Steps of which `*` stands for anything: all that fit become one. */
  groupings: string[];
  /** Parts of steps that are written differently: regular expressions, and what stands in their place. */
  cleanings: { regex: string; alias: string }[];
  /** Steps of a path at most. */
  stepLimit: number;
  /** Edges at most, and how often one has to (may) be gone. */
  edgeLimit: number;
  minWeight: number | null;
  maxWeight: number | null;
  point: PathPoint;
}
