import type { Query } from '../query.js';
import type { CachedResult } from './result-cache.js';

/** Duration of a computation up to which it counts as cheap, milliseconds. */
export const CHEAP_MS = 50;
/** How old the result of a cheap computation may be: so many times its duration, and a second at most. */
const CHEAP_FACTOR = 40;
const CHEAP_STALENESS = 1_000;
/** Share of the staleness that a result has at most when its renewal ends, so that the next caller need not wait. */
const RENEW_AT = 0.92;
/** Share of the staleness from which on a result counts as watched when somebody looks at it. */
const WATCHED_AT = 0.5;
/** Share of a core that the computations of one slow result may take. One that would take more may be older. */
const MAX_SHARE = 0.05;
/**
 * A result that takes longer to compute is slow, milliseconds: the first look after a pause does not wait for it either. Quick results of a
 * dashboard whose first look computes all of them at once stay below.
 */
const SLOW_MS = 3_000;
/** A result that takes longer to compute is costly, milliseconds. */
export const COSTLY_MS = 1_000;
/** No such result is older than this, milliseconds. */
const MAX_COSTLY_STALENESS = 600_000;

/** Kinds whose results always contain every event that was acknowledged before the request. */
const ALWAYS_CURRENT: ReadonlySet<Query['kind']> = new Set(['EventsQuery', 'ActorsQuery', 'HogQLQuery']);

/** How old a result may be. */
export interface Staleness {
  /** 0: it contains everything that was acknowledged before the request. */
  milliseconds: number;
  /** The request says so, whatever the computation costs. */
  isExact: boolean;
}

/** How old a result of a query may be: lists of events and people and SQL are always current. */
export const stalenessOf = ({ kind }: Pick<Query, 'kind'>, { milliseconds, isExact }: Staleness): Staleness =>
  ALWAYS_CURRENT.has(kind) ? { milliseconds: 0, isExact: true } : { milliseconds, isExact };

/**
 * How old a result may be whose computation takes `cost` milliseconds. Small projects see an event within a second, and yet many viewers
 * do not have the same result computed again at every look. A result that takes seconds may be older, which it says.
 * @param isComing a new result will be there when it is its turn: nobody waits for a costly one meanwhile
 */
export function lifetimeOf(cost: number, { milliseconds, isExact }: Staleness, isComing = false): number {
  if (cost < CHEAP_MS) return Math.min(cost * CHEAP_FACTOR, CHEAP_STALENESS, milliseconds);
  if (isExact || milliseconds === 0) return milliseconds;
  if (isComing && cost >= COSTLY_MS) return MAX_COSTLY_STALENESS;
  return cost < SLOW_MS ? milliseconds : Math.max(milliseconds, Math.min(cost / MAX_SHARE, MAX_COSTLY_STALENESS));
}

/**
 * Decides about a cached result whose project has new data since.
 * @param staleness how old it may be
 * @param now epoch milliseconds
 * @param isComing it is being renewed, or waits for its turn
 * @returns whether it is good enough (else the caller waits for a new one), and in how many milliseconds it is to be renewed (null: not yet)
 */
export function freshnessOf(
  { cost, completeUntil }: Pick<CachedResult, 'cost' | 'completeUntil'>,
  staleness: Staleness,
  now: number,
  isComing = false,
): { isUsable: boolean; renewIn: number | null } {
  const age = now - completeUntil;
  // a negative age: the clock was set back
  if (age < 0 || age >= lifetimeOf(cost, staleness, isComing)) return { isUsable: false, renewIn: null };
  const due = Math.max(0, staleness.milliseconds * RENEW_AT - cost - age);
  const isWatched = due === 0 || age >= staleness.milliseconds * WATCHED_AT;
  return { isUsable: true, renewIn: cost >= CHEAP_MS && isWatched ? due : null };
}
