import type { Deps } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { createFlusher } from '../jobs/index.js';
import { bisectRejected } from '../kernel/bisect.js';
import { type HashKey, insertHashKeys } from './store.js';

/** Interval and total time of retries: the event that creates the person may be in flight. Milliseconds. */
const RETRY_MS = 500;
const GIVE_UP_MS = 60_000;
/** Limit of waiting hash keys. */
const MAX_WAITING = 10_000;
/** Hash keys per statement. */
const BATCH_SIZE = 500;

interface PendingHashKey extends HashKey {
  until: number;
}

/** Experience continuity: after identification, a person keeps the flag values of the anonymous id. */
export interface Continuity {
  /** Stores the anonymous id as the hash key of these flags for the person of both ids. Existing hash keys stay. */
  keep(projectId: number, distinctId: string, anonDistinctId: string, flagKeys: readonly string[]): void;
  /** The anonymous id of a distinct id whose person does not exist yet. */
  waiting(projectId: number, distinctId: string): string | undefined;
  close(): Promise<void>;
}

/** @param kept called with each distinct id whose person has new hash keys */
export function createContinuity(deps: Deps, onStored: (projectId: number, distinctId: string) => void): Continuity {
  const { db, clock, log } = deps;
  const tasks = new Map<string, PendingHashKey>();
  let closed = false;

  async function flush(): Promise<void> {
    const now = clock.now();
    const waiting = [...tasks];
    for (let at = 0; at < waiting.length; at += BATCH_SIZE) {
      const batch = waiting.slice(at, at + BATCH_SIZE);
      const done = await attempt(batch.map(([, task]) => task));
      for (const [key, task] of batch) if (done.has(task) || now > task.until || closed) tasks.delete(key);
    }
    if (tasks.size > 0) background.wake();
  }

  /** Tries to store the hash keys; returns the tasks that need no further attempt. */
  async function attempt(batch: readonly PendingHashKey[]): Promise<Set<PendingHashKey>> {
    const done = new Set<PendingHashKey>();
    const keep = async (some: readonly PendingHashKey[]) => {
      const places = await insertHashKeys(db, some);
      for (const [place, task] of some.entries()) {
        if (!places.has(place)) continue;
        done.add(task);
        for (const id of [task.distinctId, task.anonDistinctId]) onStored(task.projectId, id);
      }
    };
    // one rejected task, such as of a person deleted meanwhile, must not block the others
    const { refused } = await bisectRejected(batch, keep, (error) => !(error instanceof Error && isConnectionFault(error)));
    for (const task of refused) {
      log.warn({ projectId: task.projectId }, 'the former id of a person could not be kept');
      done.add(task);
    }
    return done;
  }

  const background = createFlusher(deps, { name: 'experience continuity', delayMs: RETRY_MS, flush });

  return {
    keep(projectId, distinctId, anonDistinctId, flagKeys) {
      if (distinctId === anonDistinctId || `${distinctId}${anonDistinctId}`.includes('\0')) return;
      const key = keyOf(projectId, distinctId);
      if (tasks.has(key) || tasks.size >= MAX_WAITING) return;
      const task = { projectId, distinctId, anonDistinctId, flagKeys, until: clock.now() + GIVE_UP_MS };
      tasks.set(key, task);
      // at once: the next request may reach another server
      attempt([task])
        .then((done) => done.has(task))
        .catch(() => false)
        .then((isDone) => (isDone ? tasks.delete(key) : background.wake()));
    },
    waiting: (projectId, distinctId) => (tasks.size === 0 ? undefined : tasks.get(keyOf(projectId, distinctId))?.anonDistinctId),
    close: () => {
      closed = true;
      return background.close();
    },
  };
}

const keyOf = (projectId: number, distinctId: string) => `${projectId}:${distinctId}`;
