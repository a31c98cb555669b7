import type { FastifyRequest } from 'fastify';
import { type Caches, ENTRY_BYTES, type Invalidations } from '../caches/index.js';
import type { Ports } from '../deps.js';

/** Bytes of answers that a process keeps, with what they are kept by: an address may be longer than its answer. */
const MOST_BYTES = 48 * 1024 * 1024;
/** Milliseconds for which an answer is kept at most: what happens once in a while on the long way still happens. */
const KEPT_MS = 30_000;

/** What an answer depends on: a change of any of them makes it stale. */
export type Subject = `project:${number}` | `organization:${string}` | `user:${number}`;

/** Whom a request concerns, as the guards of `identity` add it to the context of handlers. */
export interface Concerned {
  principal?: { userId: number };
  organization?: { id: string };
  project?: { id: number; organizationId: string };
}

/** The caller, and the organization and project of the request. */
export function subjectsOf({ principal, organization, project }: Concerned): Subject[] {
  const organizationId = organization?.id ?? project?.organizationId;
  return [
    ...(principal ? [`user:${principal.userId}` as const] : []),
    ...(organizationId ? [`organization:${organizationId}` as const] : []),
    ...(project ? [`project:${project.id}` as const] : []),
  ];
}

/** An answer with status 200 that was given to a caller before. */
export interface KeptAnswer {
  body: Buffer;
  /** Lets the same caller in again. @throws ApiError throttled */
  again(request: FastifyRequest): Promise<void>;
}

/**
 * Answers to reads, kept until something changes. An answer belongs to one caller (the very credentials that were sent) and one
 * address, and is good as long as nobody, in any process, has changed the project that it is about or who may do what.
 */
export interface Answers {
  /** The kept answer to a request, or null. */
  find(request: FastifyRequest): KeptAnswer | null;
  /** To be asked before anything is read for an answer. */
  begin(): number;
  /** Keeps an answer, unless something has changed since `begun`. */
  keep(request: FastifyRequest, begun: number, subjects: readonly Subject[], answer: KeptAnswer): void;
  /** Forgets the answers about a project, or (null) all. */
  changed(projectId: number | null): void;
  /** Forgets the answers that depend on one of the subjects. */
  changedSubjects(subjects: readonly Subject[]): void;
}

/** The response cache of a process. */
export function createAnswers({ changes }: Pick<Ports, 'changes'>, caches: Caches, invalidations: Invalidations): Answers {
  const responses = caches.create<string, KeptAnswer>({
    name: 'responses',
    max: { bytes: MOST_BYTES, bytesOf: ({ body }, key) => ENTRY_BYTES + key.length + body.length },
    ttl: KEPT_MS,
    invalidatedBy: invalidations,
  });
  return {
    find: (request) => {
      const key = keyOf(request);
      return key !== null && changes.heard() ? (responses.get(key) ?? null) : null;
    },
    begin: invalidations.now,
    keep: (request, since, tags, answer) => {
      const key = keyOf(request);
      if (key !== null && changes.heard() && invalidations.areCurrent(tags, since)) responses.set(key, answer, { since, tags });
    },
    changed: (projectId) => {
      if (projectId === null) invalidations.invalidateAll();
      else invalidations.invalidate([`project:${projectId}`]);
    },
    changedSubjects: invalidations.invalidate,
  };
}

/** Everything that an answer depends on in a request; null: it carries no credentials. */
function keyOf({ headers: { authorization, cookie }, protocol, host, url }: FastifyRequest): string | null {
  if (!authorization && !cookie) return null;
  return JSON.stringify([authorization, cookie, protocol, host, url]);
}
