import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.js';
import { clientNetwork } from '../../http/client-network.js';
import { countFailures, forgetFailures, takeBackFailures } from '../accounts/index.js';
import { readPasswords, type Share, type StoredPassword } from './store.js';

const NAME = 'tidemark_share';
/** Lifetime of the cookie of a visitor who entered a password; seconds. */
const UNLOCKED_S = 24 * 60 * 60;
/** Attempts from one network. */
const ATTEMPTS = [
  { limit: 5, ms: 60_000 },
  { limit: 15, ms: 10 * 60_000 },
] as const;
/** Attempts at one page from all networks together. */
const ALL_ATTEMPTS = { limit: 100, ms: 10 * 60_000 };

/** Whether a visitor may see a page: it has no password, or their cookie was signed by one that still exists. */
export async function isUnlocked({ db, clock }: Deps, request: FastifyRequest, share: Share): Promise<boolean> {
  if (!share.passwordRequired) return true;
  const cookie = request.cookies[NAME];
  if (!cookie) return false;
  const passwords = await readPasswords(db, share.id);
  const [id, until] = cookie.split('.');
  const password = passwords.find((one) => String(one.id) === id);
  if (!password || !until || !(Number(until) > clock.now())) return false;
  return isSame(cookie, signed(share, password, until));
}

/** The outcome of an attempt: the seconds to wait after too many, or whether the password was right. */
export type Attempt = { wait: number } | { isRight: boolean };

/** Checks a password. When it is right, the visitor gets a cookie for the addresses of this page. */
export async function tryPassword(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  share: Share,
  path: string,
  given: string,
): Promise<Attempt> {
  const now = deps.clock.now();
  const network = clientNetwork(request.ip);
  const own = ATTEMPTS.map(({ limit, ms }) => ({ subject: `share:${share.id}:${ms}:${network}`, limit, ms }));
  const all = { subject: `share:${share.id}`, ...ALL_ATTEMPTS };
  const exceeded = await countFailures(deps.db, [...own, all], now);
  if (exceeded) return { wait: exceeded.ms / 1000 };
  const password = await findPassword(deps, await readPasswords(deps.db, share.id), given);
  deps.log.info({ share: share.id, ip: request.ip, isRight: password !== null }, 'password of a public page');
  if (!password) return { isRight: false };
  await forgetFailures(
    deps.db,
    own.map(({ subject }) => subject),
  );
  await takeBackFailures(deps.db, [all.subject]);
  const value = signed(share, password, String(now + UNLOCKED_S * 1000));
  const secure = request.protocol === 'https';
  // RFC 6265 matches paths by segment: `/shared/token` does not cover `/shared/token.png`
  for (const end of ['', '.json', '.png']) {
    reply.setCookie(NAME, value, { path: `${path}${end}`, maxAge: UNLOCKED_S, httpOnly: true, sameSite: 'lax', secure });
  }
  return { isRight: true };
}

/** Compares with every password, so that the time tells neither which one matched nor whether there are any. */
async function findPassword(
  { services }: Deps,
  passwords: readonly StoredPassword[],
  given: string,
): Promise<StoredPassword | null> {
  let found: StoredPassword | null = null;
  for (const password of passwords) {
    if (await services.passwords.match(given, password.password_hash)) found = password;
  }
  if (passwords.length === 0) await services.passwords.match(given, null);
  return found;
}

/** The value of the cookie: signed by one password for one token until a time, and void without any of them. */
function signed({ token }: Share, { id, password_hash }: StoredPassword, until: string): string {
  const mac = createHmac('sha256', password_hash).update(`${token} ${id} ${until}`).digest('base64url');
  return `${id}.${until}.${mac}`;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
