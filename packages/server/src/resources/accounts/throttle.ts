import type { RequestContext } from '../../http/route.js';
import { ApiError } from '../../kernel/errors.js';
import { countFailures, forgiveFailures } from './throttle-store.js';

const LIMIT = 30;
const PAUSE_MS = 10 * 60_000;

/**
 * Runs one try of a password. Every try counts as failed before its outcome is known, so that many at once get no more tries
 * than many in a row.
 * @throws ApiError too_many_failed_attempts after 30 failures for the address or from the client's IP address
 */
export async function throttled<T>({ deps, request }: RequestContext, email: string, attempt: () => Promise<T>): Promise<T> {
  const [address, ip] = [`email:${email.trim().toLowerCase()}`, `ip:${request.ip}`];
  const now = deps.clock.now();
  const windowStart = new Date(now - PAUSE_MS);
  const failures = await countFailures(deps.db, [address, ip], LIMIT, new Date(now), windowStart);
  if (failures > LIMIT) throw new ApiError('too_many_failed_attempts', undefined, null, PAUSE_MS / 1000);
  const result = await attempt();
  await forgiveFailures(deps.db, address, ip, windowStart);
  return result;
}
