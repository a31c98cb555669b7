import type { RequestContext } from '../http/route.js';
import type { Db } from '../ports/db.js';
import { readSessionCookie, writeSessionCookie } from './cookie.js';
import { secretHash } from './secret-hash.js';
import {
  deleteSession,
  deleteSessionsOf,
  extendSession,
  identityBySession,
  insertSession,
  type SessionIdentity,
} from './store.js';

const DAY_MS = 86_400_000;
const LIFETIME_MS = 30 * DAY_MS;

/** Logs a user in: stores a session and gives its cookie to the browser. */
export async function startSession({ deps, request, reply }: RequestContext, userId: number): Promise<void> {
  const token = deps.ids.token(32);
  const now = deps.clock.now();
  await insertSession(deps.db, secretHash(token), userId, new Date(now), new Date(now + LIFETIME_MS));
  writeSessionCookie(request, reply, token, LIFETIME_MS / 1000);
}

/** Who the session cookie stands for, or null; a session that is used stays alive. */
export async function findSession({ deps, request, reply }: RequestContext): Promise<SessionIdentity | null> {
  const token = readSessionCookie(request);
  if (!token) return null;
  const now = deps.clock.now();
  const id = secretHash(token);
  const found = await identityBySession(deps.db, id, new Date(now));
  if (found && found.expiresAt.getTime() - now < LIFETIME_MS - DAY_MS) {
    try {
      await extendSession(deps.db, id, new Date(now + LIFETIME_MS));
      writeSessionCookie(request, reply, token, LIFETIME_MS / 1000);
    } catch (error) {
      // reads must go on when nothing can be written
      deps.log.warn({ err: error }, 'a login session could not be extended');
    }
  }
  return found;
}

/** Logs out: forgets the session and takes the cookie back. */
export async function endSession({ deps, request, reply }: RequestContext): Promise<void> {
  const token = readSessionCookie(request);
  if (token) await deleteSession(deps.db, secretHash(token));
  writeSessionCookie(request, reply, '', 0);
}

/** Ends every session of a user. */
export const endSessions = (db: Db, userId: number): Promise<void> => deleteSessionsOf(db, userId, null);

/** Ends every session of a user but the one of this request. */
export async function endOtherSessions({ deps, request }: RequestContext, userId: number): Promise<void> {
  const token = readSessionCookie(request);
  await deleteSessionsOf(deps.db, userId, token ? secretHash(token) : null);
}
