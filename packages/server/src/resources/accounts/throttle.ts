import { clientNetwork } from '../../http/client-network.js';
import type { RequestContext } from '../../http/route.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { countFailures, forgetFailures, forgetFailuresBelow, takeBackFailures } from './throttle-store.js';

const PAUSE_MS = 10 * 60_000;
/** Failures within the pause: of one account from one network, of one account from all of them, and from one network. */
const LIMITS = { pair: 30, account: 100, network: 300 };

/**
 * Runs one try of a password. Every try counts as failed before its outcome is known, so that many at once get no more tries
 * than many in a row. An account that is locked for one network is open to others, and the network to other accounts.
 * @throws ApiError too_many_failed_attempts
 */
export async function throttled<T>({ deps, request }: RequestContext, email: string, attempt: () => Promise<T>): Promise<T> {
  const account = email.trim().toLowerCase();
  const network = clientNetwork(request.ip);
  const [pair, total, all] = [`login:${account} ${network}`, accountSubject(account), `ip:${network}`];
  const now = deps.clock.now();
  const exceeded = await countFailures(
    deps.db,
    [
      { subject: pair, limit: LIMITS.pair, ms: PAUSE_MS },
      { subject: all, limit: LIMITS.network, ms: PAUSE_MS },
      { subject: total, limit: LIMITS.account, ms: PAUSE_MS },
    ],
    now,
  );
  if (exceeded) throw new ApiError('too_many_failed_attempts', undefined, null, PAUSE_MS / 1000);
  const result = await attempt();
  await forgetFailures(deps.db, [pair], new Date(now - PAUSE_MS));
  await takeBackFailures(deps.db, [total, all]);
  return result;
}

/** Opens an account that failed log-ins locked. */
export async function unlockAccount(db: Db, email: string): Promise<void> {
  const account = email.trim().toLowerCase();
  await forgetFailures(db, [accountSubject(account)]);
  await forgetFailuresBelow(db, `login:${account} `);
}

/** What counts the failures of an account from everywhere. */
const accountSubject = (account: string): string => `email:${account}`;
