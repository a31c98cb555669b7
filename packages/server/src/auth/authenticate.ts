import type { FastifyRequest } from 'fastify';
import type { Deps } from '../deps.js';
import { readUnauthenticatedBody } from '../http/body.js';
import type { RequestContext } from '../http/route.js';
import { ApiError } from '../kernel/errors.js';
import { isObject } from '../kernel/json.js';
import type { Principal } from './context.js';
import { rejectCrossSiteWrite } from './cross-site.js';
import { findSession } from './sessions.js';
import { type Identity, identityByKey, identityOf, secretHash, touchKey } from './store.js';

const HOUR_MS = 3_600_000;
/** Longer texts cannot be keys. The limit keeps unauthenticated callers from making the service hash megabytes. */
const MAX_KEY = 256;

/**
 * Identifies the caller by a personal API key or a session cookie. Nothing is cached, so the removal of a key, session or member takes
 * effect with the next request.
 * @throws ApiError not_authenticated, authentication_failed; permission_denied for a cross-site write with the session cookie
 */
export async function authenticate(context: RequestContext): Promise<Principal> {
  const impersonated = context.deps.services.impersonation.principal();
  if (impersonated) return impersonated;
  const candidate = await findKey(context.request);
  if (candidate) return byKey(context.deps, candidate);
  const session = await findSession(context);
  if (!session || !mayLogIn(session, true)) throw new ApiError('not_authenticated');
  rejectCrossSiteWrite(context.request);
  return { ...principalFields(session), key: null };
}

/**
 * Loads the principal of work that was requested earlier, with its present permissions. `keyId` null: it was requested in a login session.
 * Resolves with null if the user or the key has no access any more.
 */
export async function loadPrincipal({ db }: Pick<Deps, 'db'>, userId: number, keyId: string | null): Promise<Principal | null> {
  const found = await identityOf(db, userId, keyId);
  if (!found || !mayLogIn(found, keyId === null)) return null;
  const { scopes = [], teams = [], organizations = [] } = found;
  return { ...principalFields(found), key: keyId === null ? null : { id: keyId, scopes, teams, organizations } };
}

interface Candidate {
  key: unknown;
  source: 'Authorization header' | 'body' | 'query string';
}

/** Finds the key in the header, else in the body, else in the query string. The first one counts, even if it is invalid. */
async function findKey(request: FastifyRequest): Promise<Candidate | null> {
  const bearer = /^Bearer\s+(\S.*)$/.exec(request.headers.authorization ?? '')?.[1];
  if (bearer) return { key: bearer.trim(), source: 'Authorization header' };
  // a body that cannot be parsed contains no key; it is refused with its own error once the caller is known
  const body = await readUnauthenticatedBody(request);
  if (isObject(body) && Object.hasOwn(body, 'personal_api_key')) return { key: body['personal_api_key'], source: 'body' };
  const { personal_api_key: key } = request.query as Record<string, unknown>;
  if (key !== undefined) return { key: Array.isArray(key) ? key.at(-1) : key, source: 'query string' };
  return null;
}

async function byKey(deps: Deps, { key, source }: Candidate): Promise<Principal> {
  const found = typeof key === 'string' && key.length <= MAX_KEY ? await identityByKey(deps.db, secretHash(key)) : null;
  if (!found || !mayLogIn(found, false)) {
    throw new ApiError('authentication_failed', `Personal API key found in request ${source} is invalid.`);
  }
  await recordKeyUse(deps, found.keyId, found.lastUsedAt);
  const { keyId: id, scopes, teams, organizations } = found;
  return { ...principalFields(found), key: { id, scopes, teams, organizations } };
}

/**
 * Users who were deactivated, in general or in each of their organizations, cannot authenticate. A user without any organization can
 * still log in, to accept an invite.
 */
const mayLogIn = (identity: Identity, isSession: boolean): boolean =>
  identity.isActive && (identity.isActiveMember || (isSession && !identity.isMember));

const principalFields = ({ userId, userUuid, email, currentOrganizationId, currentProjectId }: Identity) => ({
  userId,
  userUuid,
  email,
  currentOrganizationId,
  currentProjectId,
});

async function recordKeyUse(deps: Deps, keyId: string, lastUsedAt: Date | null): Promise<void> {
  const now = deps.clock.now();
  if (lastUsedAt && now - lastUsedAt.getTime() < HOUR_MS) return;
  try {
    await touchKey(deps.db, keyId, new Date(now), new Date(now - HOUR_MS));
  } catch (error) {
    // reads must work while the database is read-only
    deps.log.warn({ err: error }, 'the last use of a key could not be noted');
  }
}
