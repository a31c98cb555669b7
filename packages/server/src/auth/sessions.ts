import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '../http/route.js';
import type { Db } from '../ports/db.js';
import {
  deleteSession,
  deleteSessionsOf,
  extendSession,
  identityBySession,
  insertSession,
  type SessionIdentity,
  secretHash,
} from './store.js';

const COOKIE = 'tidemark_session';
const DAY_MS = 86_400_000;
const LIFETIME_MS = 30 * DAY_MS;

/** The token of the session cookie, or null. */
const readToken = (request: FastifyRequest): string | null => request.cookies[COOKIE] || null;

/** Sets the session cookie; `maxAge` in seconds, 0 deletes it. */
function setCookie(request: FastifyRequest, reply: FastifyReply, token: string, maxAge: number): void {
  const secure = request.protocol === 'https';
  reply.setCookie(COOKIE, token, { path: '/', maxAge, httpOnly: true, sameSite: 'lax', secure });
}

/** Logs a user in: stores a session and sets its cookie. */
export async function startSession({ deps, request, reply }: RequestContext, userId: number): Promise<void> {
  const token = deps.ids.token(32);
  const now = deps.clock.now();
  await insertSession(deps.db, secretHash(token), userId, new Date(now), new Date(now + LIFETIME_MS));
  setCookie(request, reply, token, LIFETIME_MS / 1000);
}

/** The user of the session cookie, or null. Use extends a session. */
export async function findSession({ deps, request, reply }: RequestContext): Promise<SessionIdentity | null> {
  const token = readToken(request);
  if (!token) return null;
  const now = deps.clock.now();
  const id = secretHash(token);
  const found = await identityBySession(deps.db, id, new Date(now));
  if (found && found.expiresAt.getTime() - now < LIFETIME_MS - DAY_MS) {
    try {
      await extendSession(deps.db, id, new Date(now + LIFETIME_MS));
      setCookie(request, reply, token, LIFETIME_MS / 1000);
    } catch (error) {
      // reads must succeed while nothing can be written
      deps.log.warn({ err: error }, 'a login session could not be extended');
    }
  }
  return found;
}

/** Logs out: deletes the session and its cookie. */
export async function endSession({ deps, request, reply }: RequestContext): Promise<void> {
  const token = readToken(request);
  if (token) await deleteSession(deps.db, secretHash(token));
  setCookie(request, reply, '', 0);
}

/** Ends every session of a user. */
export const endSessions = (db: Db, userId: number): Promise<void> => deleteSessionsOf(db, userId, null);

/** Ends every session of a user except that of this request. */
export async function endOtherSessions({ deps, request }: RequestContext, userId: number): Promise<void> {
  const token = readToken(request);
  await deleteSessionsOf(deps.db, userId, token ? secretHash(token) : null);
}
