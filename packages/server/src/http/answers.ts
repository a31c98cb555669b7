import type { FastifyRequest } from 'fastify';
import type { Ports } from '../deps.js';

/** Bytes of answers that a process keeps, with what they are kept by: an address may be longer than its answer. */
const MOST_BYTES = 48 * 1024 * 1024;
/** What an entry takes beside them. */
const ENTRY_BYTES = 400;
/** Milliseconds for which an answer is kept at most: what happens once in a while on the long way still happens. */
const KEPT_MS = 30_000;
/** Subjects whose last change is remembered one by one; beyond that a change counts as one of everything. */
const MAX_SUBJECTS = 10_000;

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

interface Entry extends KeptAnswer {
  subjects: readonly Subject[];
  /** `Answers.begin` of its making. */
  begun: number;
  until: number;
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
  /** Forgets the answers that depend on one of the subjects; listeners are not called. */
  changedSubjects(subjects: readonly Subject[]): void;
  /** Calls `listener` at every {@link Answers.changed}: what was changed here is known at once, what others did when it is heard. */
  onChanged(listener: (projectId: number | null) => void): void;
}

const sizeOf = (key: string, { body }: KeptAnswer): number => ENTRY_BYTES + key.length + body.length;

/** The response cache of a process. */
export function createAnswers({ clock, changes }: Pick<Ports, 'clock' | 'changes'>): Answers {
  /** Least recently used first. */
  const entries = new Map<string, Entry>();
  let bytes = 0;
  /** Counts changes; of each subject, and of everything, the number of the last. */
  let count = 0;
  let lastOfAll = 0;
  const lastOf = new Map<Subject, number>();
  const listeners: ((projectId: number | null) => void)[] = [];

  /** Not of the future either: the clock may have been set back. */
  const isInTime = (until: number, now: number) => now < until && until <= now + KEPT_MS;

  const isGood = ({ subjects, begun, until }: Entry) =>
    lastOfAll <= begun && isInTime(until, clock.now()) && subjects.every((subject) => (lastOf.get(subject) ?? 0) <= begun);

  function forget(key: string, entry: Entry): void {
    entries.delete(key);
    bytes -= sizeOf(key, entry);
  }

  function forgetAll(): void {
    lastOfAll = count;
    lastOf.clear();
    entries.clear();
    bytes = 0;
  }

  function changedSubjects(subjects: readonly Subject[]): void {
    count += 1;
    if (lastOf.size + subjects.length > MAX_SUBJECTS) forgetAll();
    for (const subject of subjects) lastOf.set(subject, count);
  }

  const answers: Answers = {
    find: (request) => {
      const key = keyOf(request);
      const entry = key === null ? undefined : entries.get(key);
      if (key === null || !entry) return null;
      if (!changes.heard() || !isGood(entry)) {
        forget(key, entry);
        return null;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    begin: () => count,
    keep: (request, begun, subjects, answer) => {
      const key = keyOf(request);
      const entry = { ...answer, subjects, begun, until: clock.now() + KEPT_MS };
      if (key === null || !changes.heard() || !isGood(entry)) return;
      const former = entries.get(key);
      if (former) forget(key, former);
      entries.set(key, entry);
      bytes += sizeOf(key, entry);
      for (const [oldest, first] of entries) {
        if (bytes <= MOST_BYTES) break;
        forget(oldest, first);
      }
    },
    changed: (projectId) => {
      if (projectId !== null) changedSubjects([`project:${projectId}`]);
      else {
        count += 1;
        forgetAll();
      }
      for (const listener of listeners) listener(projectId);
    },
    changedSubjects,
    onChanged: (listener) => {
      listeners.push(listener);
    },
  };
  changes.onChange(answers.changed);
  return answers;
}

/** Everything that an answer depends on in a request; null: it carries no credentials. */
function keyOf({ headers: { authorization, cookie }, protocol, host, url }: FastifyRequest): string | null {
  if (!authorization && !cookie) return null;
  return JSON.stringify([authorization, cookie, protocol, host, url]);
}
