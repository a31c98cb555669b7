import type { FastifyRequest } from 'fastify';
import type { Deps } from '../deps.js';

/** Bytes of answers that a process keeps, with what they are kept by: an address may be longer than its answer. */
const MOST_BYTES = 48 * 1024 * 1024;
/** What an entry takes beside them. */
const ENTRY_BYTES = 400;
/** Milliseconds for which an answer is kept at most: what happens once in a while on the long way still happens. */
const KEPT_MS = 30_000;

/** An answer with status 200 that was given to a caller before. */
export interface KeptAnswer {
  body: Buffer;
  /** Lets the same caller in again. @throws ApiError throttled */
  again(request: FastifyRequest): Promise<void>;
}

interface Entry extends KeptAnswer {
  projectId: number;
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
  keep(request: FastifyRequest, begun: number, projectId: number, answer: KeptAnswer): void;
  /** Forgets the answers about a project, or (null) all. */
  changed(projectId: number | null): void;
  /** Calls `listener` at every {@link Answers.changed}: what was changed here is known at once, what others did when it is heard. */
  onChanged(listener: (projectId: number | null) => void): void;
}

const sizeOf = (key: string, { body }: KeptAnswer): number => ENTRY_BYTES + key.length + body.length;

const all = new WeakMap<Deps, Answers>();

/** The answers that a process keeps. */
export function answersOf(deps: Deps): Answers {
  let own = all.get(deps);
  if (!own) {
    own = createAnswers(deps);
    all.set(deps, own);
    deps.changes.onChange(own.changed);
  }
  return own;
}

function createAnswers({ clock, changes }: Deps): Answers {
  /** Least recently used first. */
  const entries = new Map<string, Entry>();
  let bytes = 0;
  /** Counts changes; of each project, and of everything, the number of the last. */
  let count = 0;
  let lastOfAll = 0;
  const lastOf = new Map<number, number>();
  const listeners: ((projectId: number | null) => void)[] = [];

  const isGood = ({ projectId, begun, until }: Entry) =>
    lastOfAll <= begun && (lastOf.get(projectId) ?? 0) <= begun && clock.now() < until;

  function forget(key: string, entry: Entry): void {
    entries.delete(key);
    bytes -= sizeOf(key, entry);
  }

  return {
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
    keep: (request, begun, projectId, answer) => {
      const key = keyOf(request);
      const entry = { ...answer, projectId, begun, until: clock.now() + KEPT_MS };
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
      count += 1;
      if (projectId !== null) lastOf.set(projectId, count);
      else {
        lastOfAll = count;
        lastOf.clear();
        entries.clear();
        bytes = 0;
      }
      for (const listener of listeners) listener(projectId);
    },
    onChanged: (listener) => {
      listeners.push(listener);
    },
  };
}

/** Everything that an answer depends on in a request; null: it carries no credentials. */
function keyOf({ headers: { authorization, cookie }, protocol, host, url }: FastifyRequest): string | null {
  if (!authorization && !cookie) return null;
  return JSON.stringify([authorization, cookie, protocol, host, url]);
}
