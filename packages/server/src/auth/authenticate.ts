import type { FastifyRequest } from 'fastify';
import type { Deps } from '../deps.js';
import { readUnauthenticatedBody } from '../http/body.js';
import type { RequestContext } from '../http/route.js';
import { ApiError } from '../kernel/errors.js';
import { isObject } from '../kernel/json.js';
import type { Principal } from './context.js';
import { rejectCrossSiteWrite } from './cross-site.js';
import { impersonatedPrincipal } from './impersonate.js';
import { findSession } from './sessions.js';
import { type Identity, identityByKey, identityOf, secretHash, touchKey } from './store.js';

const HOUR_MS = 3_600_000;
/** Longer texts are no keys; hashing megabytes for a stranger would cost us. */
const MAX_KEY = 256;

/**
 * Finds out who asks. Nothing is remembered between requests, so a removed key, session or member is gone at the next one.
 * @throws ApiError not_authenticated, authentication_failed; permission_denied for a foreign page's write with our cookie
 */
export async function authenticate(context: RequestContext): Promise<Principal> {
  const impersonated = impersonatedPrincipal();
  if (impersonated) return impersonated;
  const candidate = await findKey(context.request);
  if (candidate) return byKey(context.deps, candidate);
  const session = await findSession(context);
  if (!session || !mayLogIn(session, true)) throw new ApiError('not_authenticated');
  rejectCrossSiteWrite(context.request);
  return { ...principalFields(session), key: null };
}

/**
 * Somebody who asked for work that is done later, with what they may do now; `keyId` null: they asked by a login session.
 * Null: they, or the key, may do nothing any more.
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

/** Only the first place that holds a key counts, even when that key is wrong. */
async function findKey(request: FastifyRequest): Promise<Candidate | null> {
  const bearer = /^Bearer\s+(\S.*)$/.exec(request.headers.authorization ?? '')?.[1];
  if (bearer) return { key: bearer.trim(), source: 'Authorization header' };
  // a body that cannot be read holds no key; it is refused as what it is once the caller is known
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
 * Users who were switched off, everywhere or in each of their organizations, are strangers. One whom no organization has
 * may still log in, to accept an invite.
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
    // reads must go on when nothing can be written
    deps.log.warn({ err: error }, 'the last use of a key could not be noted');
  }
}
