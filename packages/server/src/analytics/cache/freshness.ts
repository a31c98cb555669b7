import type { Query } from '../query.js';
import type { CachedResult } from './result-cache.js';

/** Duration of a computation up to which it counts as cheap, milliseconds. */
export const CHEAP_MS = 50;
/** How old the result of a cheap computation may be: so many times its duration, and a second at most. */
const CHEAP_FACTOR = 40;
const CHEAP_STALENESS = 1_000;
/** Share of the staleness at which a result is renewed in the background, so that the next caller need not wait. */
const RENEW_AT = 0.7;

/** Kinds whose results always contain every event that was acknowledged before the request. */
const ALWAYS_CURRENT: ReadonlySet<Query['kind']> = new Set(['EventsQuery', 'ActorsQuery', 'HogQLQuery']);

/** How old a result of a query may be, in milliseconds: 0 for lists of events and people and for SQL. */
export const stalenessOf = ({ kind }: Pick<Query, 'kind'>, milliseconds: number): number =>
  ALWAYS_CURRENT.has(kind) ? 0 : milliseconds;

/**
 * How old a result may be whose computation takes `cost` milliseconds. Small projects see an event within a second, and yet many viewers
 * do not have the same result computed again at every look.
 */
export const lifetimeOf = (cost: number, staleness: number): number =>
  cost < CHEAP_MS ? Math.min(cost * CHEAP_FACTOR, CHEAP_STALENESS, staleness) : staleness;

/**
 * Decides about a cached result whose project has new data since.
 * @param staleness how old it may be, milliseconds
 * @param now epoch milliseconds
 * @returns `compute`: the caller waits for a new one; `use`: it is good enough; `renew`: so it is, and a new one is due
 */
export function freshnessOf(
  { cost, completeUntil }: Pick<CachedResult, 'cost' | 'completeUntil'>,
  staleness: number,
  now: number,
): 'compute' | 'use' | 'renew' {
  const age = now - completeUntil;
  // a negative age: the clock was set back
  if (age < 0 || age >= lifetimeOf(cost, staleness)) return 'compute';
  return cost >= CHEAP_MS && age + cost >= staleness * RENEW_AT ? 'renew' : 'use';
}
