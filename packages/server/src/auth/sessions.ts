import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, setCookie } from '../http/cookies.js';
import type { RequestContext } from '../http/route.js';
import type { Db } from '../ports/db.js';
import {
  deleteSession,
  deleteSessionOf,
  deleteSessionsOf,
  identityBySession,
  insertSession,
  type SessionIdentity,
  secretHash,
  sessionsOf,
  touchSession,
} from './store.js';

const COOKIE = 'tidemark_session';
const DAY_MS = 86_400_000;
const LIFETIME_MS = 30 * DAY_MS;
/** How exactly the last use of a session is known, milliseconds. */
const USE_MS = 60_000;
const MAX_USER_AGENT = 300;

/** The token of the session cookie, or null. */
const readToken = (request: FastifyRequest): string | null => readCookie(request, COOKIE) || null;

/** Sets the session cookie; `maxAge` in seconds, 0 deletes it. */
function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string, maxAge: number): void {
  setCookie(request, reply, COOKIE, token, { path: '/', maxAge });
}

const deviceOf = ({ headers, ip }: FastifyRequest) => ({
  user_agent: (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
  address: ip,
});

/** Logs a user in: stores a session and sets its cookie. */
export async function startSession({ deps, request, reply }: RequestContext, userId: number): Promise<void> {
  const token = deps.ids.token(32);
  const now = deps.clock.now();
  await insertSession(deps.db, {
    ...deviceOf(request),
    id: secretHash(token),
    user_id: userId,
    created_at: new Date(now),
    expires_at: new Date(now + LIFETIME_MS),
  });
  setSessionCookie(request, reply, token, LIFETIME_MS / 1000);
}

/** The user of the session cookie, or null. Use extends a session. */
export async function findSession(context: RequestContext): Promise<SessionIdentity | null> {
  const { deps, request } = context;
  const token = readToken(request);
  if (!token) return null;
  const found = await identityBySession(deps.db, secretHash(token), new Date(deps.clock.now()));
  if (found) await recordUse(context, token, found);
  return found;
}

/** Records the use of a session once a minute, and extends it once a day. */
async function recordUse({ deps, request, reply }: RequestContext, token: string, session: SessionIdentity): Promise<void> {
  const now = deps.clock.now();
  const isOld = session.expiresAt.getTime() - now < LIFETIME_MS - DAY_MS;
  if (!isOld && now - (session.lastUsedAt?.getTime() ?? 0) < USE_MS) return;
  const expires_at = isOld ? new Date(now + LIFETIME_MS) : undefined;
  try {
    await touchSession(deps.db, secretHash(token), { ...deviceOf(request), last_used_at: new Date(now), expires_at });
    if (isOld) setSessionCookie(request, reply, token, LIFETIME_MS / 1000);
  } catch (error) {
    // reads must succeed while nothing can be written
    deps.log.warn({ err: error }, 'the use of a login session could not be noted');
  }
}

/** Logs out: deletes the session and its cookie. */
export async function endSession({ deps, request, reply }: RequestContext): Promise<void> {
  const token = readToken(request);
  if (token) await deleteSession(deps.db, secretHash(token));
  setSessionCookie(request, reply, '', 0);
}

/** Ends every session of a user. @returns how many there were */
export const endSessions = (db: Db, userId: number): Promise<number> => deleteSessionsOf(db, userId, null);

/** Ends every session of a user except that of this request. @returns how many there were */
export async function endOtherSessions({ deps, request }: RequestContext, userId: number): Promise<number> {
  const token = readToken(request);
  return deleteSessionsOf(deps.db, userId, token ? secretHash(token) : null);
}

/** Ends one session of a user by its public id. @returns whether there was one */
export async function endOneSession(
  { deps, request, reply }: RequestContext,
  userId: number,
  publicId: string,
): Promise<boolean> {
  const ended = await deleteSessionOf(deps.db, userId, publicId);
  const token = readToken(request);
  if (ended && token && secretHash(token).equals(ended.id)) setSessionCookie(request, reply, '', 0);
  return ended !== undefined;
}

/** The sessions of a user, the last used first; `isCurrent`: that of this request. */
export async function listSessions({ deps, request }: RequestContext, userId: number) {
  const token = readToken(request);
  const own = token ? secretHash(token) : null;
  const rows = await sessionsOf(deps.db, userId, new Date(deps.clock.now()));
  return rows.map(({ id, ...row }) => ({ ...row, isCurrent: own?.equals(id) ?? false }));
}
