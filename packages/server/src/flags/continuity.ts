import type { Deps } from '../deps.js';
import { isConnectionFault } from '../http/error-handler.js';
import { type Background, createBackground } from '../ingest/index.js';
import { keepHashKeys } from './store.js';

/** Time between two attempts, and for how long they are made: an event that tells of the person may be on its way. Milliseconds. */
const RETRY_MS = 500;
const GIVE_UP_MS = 60_000;
/** Persons that are waited for. */
const MOST = 10_000;

interface Task {
  projectId: number;
  distinctId: string;
  anonDistinctId: string;
  flagKeys: readonly string[];
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

  async function work(): Promise<void> {
    const now = clock.now();
    for (const [key, task] of tasks) {
      if ((await attempt(task)) || now > task.until || closed) tasks.delete(key);
    }
    if (tasks.size > 0) background.wake();
  }

  async function attempt({ projectId, distinctId, anonDistinctId, flagKeys }: Task): Promise<boolean> {
    try {
      const persons = await keepHashKeys(db, projectId, [distinctId, anonDistinctId], [...flagKeys], anonDistinctId);
      if (persons > 0) for (const id of [distinctId, anonDistinctId]) kept(projectId, id);
      return persons > 0;
    } catch (error) {
      if (error instanceof Error && isConnectionFault(error)) throw error;
      // such as a person that was deleted at that moment: that must not keep the others waiting
      log.warn({ err: error }, 'the former id of a person could not be kept');
      return true;
    }
  }

  const background: Background = createBackground('experience continuity', RETRY_MS, work, log);

  return {
    keep(projectId, distinctId, anonDistinctId, flagKeys) {
      if (distinctId === anonDistinctId || `${distinctId}${anonDistinctId}`.includes('\0')) return;
      const key = keyOf(projectId, distinctId);
      if (tasks.has(key) || tasks.size >= MOST) return;
      const task = { projectId, distinctId, anonDistinctId, flagKeys, until: clock.now() + GIVE_UP_MS };
      tasks.set(key, task);
      // at once: the next question may come to another server
      attempt(task)
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
