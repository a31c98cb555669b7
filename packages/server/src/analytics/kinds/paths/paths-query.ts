import type { MathActor } from '../../math.js';
import type { InsightScope } from '../../query.js';
import type { Expression } from '../sql/expression.js';

/** Kinds of steps: URLs of page views, names of screens, names of custom events, values of an SQL expression. */
export const PATH_TYPES = ['$pageview', '$screen', 'custom_event', 'hogql'] as const;
export type PathType = (typeof PATH_TYPES)[number];

/** Selects actors for {@link ActorsQuery}: went on from a step, came to a step, or dropped off at one. Steps are named `2_/pricing`. */
export interface PathPoint {
  startKey: string | null;
  endKey: string | null;
  dropoffKey: string | null;
}

/** Paths of actors through pages, screens and events. */
export interface PathsQuery extends InsightScope {
  kind: 'PathsQuery';
  /** Whose paths. */
  actor: MathActor;
  /** Empty: all events. */
  include: PathType[];
  /** The step name of an event for the type `hogql`; null: type not included. */
  expression: Expression | null;
  /** Where paths begin and end; null: anywhere. */
  start: string | null;
  end: string | null;
  exclude: string[];
  /** Patterns with the wildcard `*`: matching steps become one step. */
  groupings: string[];
  /** Replacements in step names: regular expressions and aliases. */
  cleanings: { regex: string; alias: string }[];
  /** Maximum steps of a path. */
  stepLimit: number;
  /** Maximum number of edges, and bounds of their weights. */
  edgeLimit: number;
  minWeight: number | null;
  maxWeight: number | null;
  point: PathPoint;
}
