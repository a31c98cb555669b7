import type { Caches } from '../caches/index.js';
import type { Ports } from '../deps.js';
import { createFlusher } from '../jobs/index.js';
import type { JsonObject } from '../kernel/json.js';
import { recordFlagCalls, recordFlagCallsByKey } from './store.js';

/** Event of SDKs when a program reads a flag. */
export const FLAG_CALLED = '$feature_flag_called';

/** Minimal interval between writes of a flag's last call, and their delay; milliseconds. */
const WRITE_INTERVAL_MS = 60_000;
const FLUSH_MS = 5_000;
/** Limit of flags in the cache of recent calls. */
const MAX_FLAGS = 50_000;

/**
 * Records the last call of flags: a request named the flag, or an event reports that a program read it. A request for all flags is no call.
 */
export interface FlagCalls {
  /** A request named these flags, by id. */
  requested(ids: readonly number[]): void;
  /** An event that was stored. */
  eventStored(projectId: number, name: string, properties: JsonObject): void;
  close(): Promise<void>;
}

export function createFlagCalls(ports: Pick<Ports, 'db' | 'clock' | 'log' | 'scheduler'>, caches: Caches): FlagCalls {
  const { db, clock } = ports;
  const recent = caches.create<string, true>({
    name: 'flag_calls',
    max: { entries: MAX_FLAGS },
    ttl: WRITE_INTERVAL_MS,
  });
  const ids = new Set<number>();
  const named = new Map<string, { projectId: number; key: string }>();

  /** Whether the last call is so long ago that this one is to be written. */
  function isDue(name: string): boolean {
    if (recent.get(name)) return false;
    recent.set(name, true);
    return true;
  }

  const background = createFlusher(ports, {
    name: 'last calls of flags',
    delayMs: FLUSH_MS,
    flush: async () => {
      const now = new Date(clock.now());
      const unlessAfter = new Date(now.getTime() - WRITE_INTERVAL_MS);
      const [byId, byName] = [[...ids], [...named.values()]];
      ids.clear();
      named.clear();
      if (byId.length > 0) await recordFlagCalls(db, byId, now, unlessAfter);
      if (byName.length > 0) {
        const [projects, keys] = [byName.map(({ projectId }) => projectId), byName.map(({ key }) => key)];
        await recordFlagCallsByKey(db, projects, keys, now, unlessAfter);
      }
    },
  });

  return {
    requested(called) {
      for (const id of called) if (isDue(String(id))) ids.add(id);
      if (ids.size > 0) background.wake();
    },
    eventStored(projectId, name, { $feature_flag: key }) {
      if (name !== FLAG_CALLED || typeof key !== 'string' || key.length > 400 || key.includes('\0')) return;
      const id = `${projectId}:${key}`;
      if (!isDue(id)) return;
      named.set(id, { projectId, key });
      background.wake();
    },
    close: () => background.close(),
  };
}
