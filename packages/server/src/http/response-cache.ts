import type { FastifyRequest } from 'fastify';
import { type Caches, ENTRY_BYTES, type Invalidations } from '../caches/index.js';
import type { Ports } from '../deps.js';

/** Bytes of the cache, including its keys: a URL may be longer than its response. */
const MAX_BYTES = 48 * 1024 * 1024;
/** Time to live, milliseconds. Requests that the cache answers skip work such as noting the last use of a key, which must happen now and then. */
const TTL_MS = 30_000;

/** What a response depends on. A change of any of its subjects makes it stale. */
export type Subject = `project:${number}` | `organization:${string}` | `user:${number}`;

/** Subjects of a request, as the guards of `auth` add them to the context of handlers. */
export interface RequestSubjects {
  principal?: { userId: number };
  organization?: { id: string };
  project?: { id: number; organizationId: string };
}

/** The caller, and the organization and project of the request. */
export function subjectsOf({ principal, organization, project }: RequestSubjects): Subject[] {
  const organizationId = organization?.id ?? project?.organizationId;
  return [
    ...(principal ? [`user:${principal.userId}` as const] : []),
    ...(organizationId ? [`organization:${organizationId}` as const] : []),
    ...(project ? [`project:${project.id}` as const] : []),
  ];
}

/** A response with status 200 that was sent to a caller before. */
export interface CachedResponse {
  body: Buffer;
  /** Counts one more request of the same caller. @throws ApiError throttled */
  recheckRateLimit(request: FastifyRequest): Promise<void>;
}

/**
 * Caches responses to reads. The key contains the credentials as they were sent and the URL. A response is stale once any process has
 * changed one of its subjects.
 */
export interface ResponseCache {
  /** The cached response to a request, or null. */
  get(request: FastifyRequest): CachedResponse | null;
  /** The present moment (see `Invalidations`). Taken before anything is read for a response. */
  now(): number;
  /** Stores a response, unless one of its subjects has changed since `since`. */
  set(request: FastifyRequest, since: number, subjects: readonly Subject[], response: CachedResponse): void;
  /** Invalidates the responses about a project; null: all responses. */
  invalidateProject(projectId: number | null): void;
  /** Invalidates the responses that depend on one of the subjects. */
  invalidateSubjects(subjects: readonly Subject[]): void;
}

/** The response cache of a process. */
export function createResponseCache(
  { changes }: Pick<Ports, 'changes'>,
  caches: Caches,
  invalidations: Invalidations,
): ResponseCache {
  const responses = caches.create<string, CachedResponse>({
    name: 'responses',
    max: { bytes: MAX_BYTES, bytesOf: ({ body }, key) => ENTRY_BYTES + key.length + body.length },
    ttl: TTL_MS,
    invalidatedBy: invalidations,
  });
  return {
    get: (request) => {
      const key = keyOf(request);
      return key !== null && changes.isListening() ? (responses.get(key) ?? null) : null;
    },
    now: invalidations.now,
    set: (request, since, tags, response) => {
      const key = keyOf(request);
      if (key !== null && changes.isListening() && invalidations.areCurrent(tags, since))
        responses.set(key, response, { since, tags });
    },
    invalidateProject: (projectId) => {
      if (projectId === null) invalidations.invalidateAll();
      else invalidations.invalidate([`project:${projectId}`]);
    },
    invalidateSubjects: invalidations.invalidate,
  };
}

/** All parts of a request that its response depends on; null: the request has no credentials, so its response is not cached. */
function keyOf({ headers: { authorization, cookie }, protocol, host, url }: FastifyRequest): string | null {
  if (!authorization && !cookie) return null;
  return JSON.stringify([authorization, cookie, protocol, host, url]);
}
