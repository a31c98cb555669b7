import type { Deps } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { createFlusher } from '../jobs/index.js';
import { bisectRejected } from '../kernel/bisect.js';
import { type HashKey, keepHashKeys } from './store.js';

/** Time between two attempts, and for how long they are made: an event that tells of the person may be on its way. Milliseconds. */
const RETRY_MS = 500;
const GIVE_UP_MS = 60_000;
/** Persons that are waited for. */
const MOST = 10_000;
/** Persons that one statement asks for. */
const BATCH = 500;

interface Task extends HashKey {
  until: number;
}

/** Makes people keep the values that they saw before they said who they are. */
export interface Continuity {
  /** Has the flags computed with the former id for the person of both ids, now and later. Flags that have an id keep it. */
  keep(projectId: number, distinctId: string, anonDistinctId: string, flagKeys: readonly string[]): void;
  /** The former id of somebody whose person is not there yet. */
  waiting(projectId: number, distinctId: string): string | undefined;
  close(): Promise<void>;
}

/** @param kept told of distinct ids whose person has changed */
export function createContinuity(deps: Deps, kept: (projectId: number, distinctId: string) => void): Continuity {
  const { db, clock, log } = deps;
  const tasks = new Map<string, Task>();
  let closed = false;

  async function flush(): Promise<void> {
    const now = clock.now();
    const waiting = [...tasks];
    for (let at = 0; at < waiting.length; at += BATCH) {
      const batch = waiting.slice(at, at + BATCH);
      const done = await attempt(batch.map(([, task]) => task));
      for (const [key, task] of batch) if (done.has(task) || now > task.until || closed) tasks.delete(key);
    }
    if (tasks.size > 0) background.wake();
  }

  /** Those with whom there is nothing more to do. */
  async function attempt(batch: readonly Task[]): Promise<Set<Task>> {
    const done = new Set<Task>();
    const keep = async (some: readonly Task[]) => {
      const places = await keepHashKeys(db, some);
      for (const [place, task] of some.entries()) {
        if (!places.has(place)) continue;
        done.add(task);
        for (const id of [task.distinctId, task.anonDistinctId]) kept(task.projectId, id);
      }
    };
    // such as a person that was deleted at that moment: that must not keep the others waiting
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
      if (tasks.has(key) || tasks.size >= MOST) return;
      const task = { projectId, distinctId, anonDistinctId, flagKeys, until: clock.now() + GIVE_UP_MS };
      tasks.set(key, task);
      // at once: the next question may come to another server
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
