import type { Ports } from '../deps.js';
import { readBody } from '../http/body.js';
import { createRateCounter } from '../http/rate-counter.js';
import type { RequestContext } from '../http/route.js';
import { ApiError } from '../kernel/errors.js';
import { isObject } from '../kernel/json.js';
import type { Principal } from './context.js';

/** Requests by their cost for the service, which decides how many of them a key may make. */
type Kind = 'general' | 'analytics' | 'sql';

interface KeyLimit {
  perMinute: number;
  perHour: number;
}

const STANDARD: Record<Kind, KeyLimit> = {
  general: { perMinute: 480, perHour: 4800 },
  analytics: { perMinute: 240, perHour: 1200 },
  sql: { perMinute: 120, perHour: 120 },
};

const createCounter = ({ perMinute, perHour }: KeyLimit) =>
  createRateCounter([
    { limit: perMinute, ms: 60_000 },
    { limit: perHour, ms: 3_600_000 },
  ]);

type Counter = ReturnType<typeof createCounter>;

/** Counters of the requests of each key; null: nothing is limited. */
export type RateLimits = Record<Kind, Counter> | null;

export function createRateLimits({ config: { rateLimits } }: Pick<Ports, 'config'>): RateLimits {
  if (rateLimits === 'off') return null;
  return rateLimits === 'on' ? standardCounters() : sameForAll(createCounter(rateLimits));
}

const standardCounters = (): Record<Kind, Counter> => ({
  general: createCounter(STANDARD.general),
  analytics: createCounter(STANDARD.analytics),
  sql: createCounter(STANDARD.sql),
});

const sameForAll = (counter: Counter): Record<Kind, Counter> => ({ general: counter, analytics: counter, sql: counter });

/**
 * Counts a request against the limits of its key. Login sessions are not limited. Each process counts for itself.
 * `path`: the route's pattern below its prefix.
 * @throws ApiError throttled, with the seconds to wait
 */
export async function enforceRateLimit(
  { deps, request }: Pick<RequestContext, 'deps' | 'request'>,
  { key }: Pick<Principal, 'key'>,
  path: string,
): Promise<void> {
  const { rateLimits } = deps.services;
  if (!key || !rateLimits) return;
  const kind = await kindOf(request, path);
  const wait = rateLimits[kind](key.id, deps.clock.now());
  if (wait === 0) return;
  const seconds = Math.ceil(wait / 1000);
  const text = `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`;
  throw new ApiError('throttled', text, null, seconds);
}

async function kindOf(request: RequestContext['request'], path: string): Promise<Kind> {
  if (path === '/query/') return (await isSqlQuery(request)) ? 'sql' : 'analytics';
  return request.method === 'GET' && /^\/(insights|events|persons|session_recordings)\//.test(path) ? 'analytics' : 'general';
}

async function isSqlQuery(request: RequestContext['request']): Promise<boolean> {
  // a body that cannot be parsed has no query; its error comes after the guard
  const body = await readBody(request).catch(() => null);
  const query = isObject(body) ? body['query'] : null;
  const source = isObject(query) && isObject(query['source']) ? query['source'] : query;
  return isObject(source) && source['kind'] === 'HogQLQuery';
}
