import type { Deps } from '../deps.js';
import { createFlusher } from '../jobs/index.js';
import type { JsonObject } from '../kernel/json.js';
import { noteFlagCalls, noteNamedFlagCalls } from './store.js';

/** What SDKs send when a program asks for a flag. */
export const FLAG_CALLED = '$feature_flag_called';

/** How often a flag's last call is written at most, and how soon; milliseconds. */
const AT_MOST_MS = 60_000;
const WRITE_MS = 5_000;
/** Flags whose last call is remembered. */
const MOST = 50_000;

/**
 * Keeps when flags were last called: a client asked for one by name, or told by an event that its program did. That a page
 * asks for all flags is no call of any.
 */
export interface FlagCalls {
  /** Flags, by id, that a request named. */
  asked(ids: readonly number[]): void;
  /** An event that was stored. */
  event(projectId: number, name: string, properties: JsonObject): void;
  close(): Promise<void>;
}

export function createFlagCalls(deps: Pick<Deps, 'db' | 'clock' | 'log' | 'scheduler' | 'services'>): FlagCalls {
  const { db, clock, services } = deps;
  const recent = services.caches.create<string, true>({ name: 'flag_calls', max: { entries: MOST }, ttl: AT_MOST_MS });
  const ids = new Set<number>();
  const named = new Map<string, { projectId: number; key: string }>();

  /** Whether the last call is so long ago that this one is to be written. */
  function isDue(name: string): boolean {
    if (recent.get(name)) return false;
    recent.set(name, true);
    return true;
  }

  const background = createFlusher(deps, {
    name: 'last calls of flags',
    delayMs: WRITE_MS,
    flush: async () => {
      const now = new Date(clock.now());
      const unlessAfter = new Date(now.getTime() - AT_MOST_MS);
      const [byId, byName] = [[...ids], [...named.values()]];
      ids.clear();
      named.clear();
      if (byId.length > 0) await noteFlagCalls(db, byId, now, unlessAfter);
      if (byName.length > 0) {
        const [projects, keys] = [byName.map(({ projectId }) => projectId), byName.map(({ key }) => key)];
        await noteNamedFlagCalls(db, projects, keys, now, unlessAfter);
      }
    },
  });

  return {
    asked(called) {
      for (const id of called) if (isDue(String(id))) ids.add(id);
      if (ids.size > 0) background.wake();
    },
    event(projectId, name, { $feature_flag: key }) {
      if (name !== FLAG_CALLED || typeof key !== 'string' || key.length > 400 || key.includes('\0')) return;
      const id = `${projectId}:${key}`;
      if (!isDue(id)) return;
      named.set(id, { projectId, key });
      background.wake();
    },
    close: () => background.close(),
  };
}
