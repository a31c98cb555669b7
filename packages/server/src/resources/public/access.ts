import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Access, type AccessResource, accessOfUser } from '../../access/index.js';
import type { Deps } from '../../deps.js';
import { readCookie, setCookie } from '../../http/cookies.js';
import { clientNetwork, createRateCounter } from '../../http/rate-counter.js';
import type { Clock } from '../../ports/system.js';
import { countFailures, forgetFailures, takeBackFailures } from '../accounts/index.js';
import type { LoadQueryAccess } from '../results/index.js';
import { readPasswords, type Share, type StoredPassword } from './store.js';

/** A public page with the insights that the user who published it may see. */
export interface PublishedShare extends Share {
  /** Access of the publisher to insights: the page leaves out tiles that are hidden from them. */
  insights: Access;
  /** Their access to what queries show: the page shows no results that are hidden from them. */
  queryAccess: LoadQueryAccess;
  /** Whether the publisher may see annotations. */
  seesAnnotations: boolean;
}

const RESOURCES = [
  'dashboard',
  'insight',
  'session_recording',
  'annotation',
  'experiment',
  'person',
  'group',
] as const satisfies readonly AccessResource[];

/**
 * Adds the current access of the user who published a page, because a page shows no more than they may see.
 * Undefined: the object of the page is hidden from them.
 */
export async function withPublisher(deps: Deps, share: Share): Promise<PublishedShare | undefined> {
  const accessTo = await accessOfUser(deps, share.projectId, share.publishedBy, RESOURCES);
  const { dashboardId, insightId, recording, createdBy: created_by } = share;
  const insights = accessTo('insight');
  const levels = [
    dashboardId === null ? null : accessTo('dashboard').levelOn({ id: dashboardId, created_by }),
    insightId === null ? null : insights.levelOn({ id: insightId, created_by }),
    recording === null ? null : accessTo('session_recording').levelOn({ id: recording.id, created_by }),
  ];
  const seesAnnotations = accessTo('annotation').levelOn({ id: 0, created_by: null }) !== 'none';
  const queryAccess: LoadQueryAccess = async (resource) => accessTo(resource);
  return levels.includes('none') ? undefined : { ...share, insights, queryAccess, seesAnnotations };
}

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
  const cookie = readCookie(request, NAME);
  if (!cookie) return false;
  const passwords = await readPasswords(db, share.id);
  const [id, until] = cookie.split('.');
  const password = passwords.find((one) => String(one.id) === id);
  if (!password || !until || !(Number(until) > clock.now())) return false;
  return isSame(cookie, signed(share, password, until));
}

/** The outcome of an attempt: the seconds to wait after too many, or whether the password was right. */
type Attempt = { wait: number } | { isRight: boolean };

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
  // RFC 6265 matches paths by segment: `/shared/token` does not cover `/shared/token.png`
  for (const end of ['', '.json', '.png']) {
    setCookie(request, reply, NAME, value, { path: `${path}${end}`, maxAge: UNLOCKED_S });
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

const WINDOW_MS = 60_000;
/** Requests a minute from one network: for one page, and for all of them. */
const FOR_PAGE = 60;
const FOR_ALL = 240;

/** Limits requests to public pages, per network and page. */
interface Limit {
  /** Counts a request. Returns the seconds to wait when it exceeds the limit, else 0. */
  wait(ip: string, token: string): number;
}

/** Creates the limits of this process. They protect its load; guessing of passwords has its own limit in PostgreSQL. */
export function createLimit(clock: Clock): Limit {
  const countNetwork = createRateCounter([{ limit: FOR_ALL, ms: WINDOW_MS }]);
  const countPage = createRateCounter([{ limit: FOR_PAGE, ms: WINDOW_MS }]);
  return {
    wait: (ip, token) => {
      const now = clock.now();
      const network = clientNetwork(ip);
      return Math.ceil((countNetwork(network, now) || countPage(`${network} ${token.slice(0, 40)}`, now)) / 1000);
    },
  };
}
