import { type Scheduler, withinTime } from '../kernel/scheduler.js';
import type { Clock } from '../ports/system.js';
import type { CacheEntry, Caches } from './cache.js';
import type { Invalidations } from './invalidations.js';

/*
 * The states of a key. A value is read again before it is used once something that it depends on was invalidated, or `freshMs` are over.
 *
 *                 read ends                         invalidated, or too old
 *     nothing ----------------> fresh ------------------------------------------> outdated
 *        ^                        ^    read ends, nothing invalidated since it began  |
 *        |                        +---------------------------------------------------+
 *        +----------------------------------------------------------------------------+
 *          deleted, or `staleMs` over: until then it is used while reads are slow or fail
 *
 * A read during which something was invalidated is joined by no later caller, and what it finds is outdated from the start.
 */

/** How long a read may last until the next caller starts another one beside it: a connection can die without a word. Milliseconds. */
const GIVE_UP_MS = 3_000;
/** After a failed read, how long the outdated value is used without another try; milliseconds. */
const PAUSE_MS = 1_000;

export interface RefreshingOptions<Key, Value> {
  /** Names the cache in metrics. */
  name: string;
  maxEntries: number;
  /** How many keys are remembered that have no value. They do not evict the others. None by default. */
  maxAbsent?: number;
  invalidatedBy: Invalidations;
  /** What a value depends on. null: on everything, as that a key has no value. */
  tagsOf: (key: Key, value: Value | null) => readonly string[] | null;
  /** @param former the value that was read before, which may be outdated. @returns null: the key has no value */
  read: (key: Key, former: Value | null) => Promise<Value | null>;
  /** How long a value is used before it is read again; milliseconds. */
  freshMs: () => number;
  /** How old a value may be that is used while it cannot be read; milliseconds. That there is no value is never used then. */
  staleMs: number;
  /** How long a caller waits for a read when there is an outdated value; milliseconds. */
  patienceMs: number;
  /** Whether a value that is only old, and not invalidated, is used at once and read again behind the caller. */
  revalidatesBehind: () => boolean;
  onFailure: (error: unknown, key: Key) => void;
}

/** Values that are read when needed, and used as they were while they cannot be read. */
export interface RefreshingCache<Key, Value> {
  /** @throws what the read fails with, when there is no former value */
  get(key: Key): Promise<Value | null>;
  delete(key: Key): void;
  /** Whether this is the value of a key as far as changes are known. */
  isCurrent(key: Key, value: Value): boolean;
}

interface Known<Value> {
  value: Value;
  /** When the last read failed; epoch milliseconds. */
  failedAt: number;
}

interface Read<Value> {
  /** `Invalidations.now` of its start. */
  since: number;
  found: Promise<Value | null>;
  /** Whether it has lasted so long that callers do not wait for it any more. */
  isSlow: boolean;
}

export function createRefreshingCache<Key extends string | number, Value>(
  { clock, scheduler }: { clock: Clock; scheduler: Scheduler },
  caches: Caches,
  options: RefreshingOptions<Key, Value>,
): RefreshingCache<Key, Value> {
  const { name, maxEntries, maxAbsent, invalidatedBy, tagsOf, staleMs, patienceMs, freshMs: ttl } = options;
  const values = caches.create<Key, Known<Value>>({ name, max: { entries: maxEntries }, ttl, invalidatedBy });
  const absent = maxAbsent
    ? caches.create<Key, true>({ name: `${name}_absent`, max: { entries: maxAbsent }, ttl, invalidatedBy })
    : null;
  const reads = new Map<Key, Read<Value>>();

  async function read(key: Key, since: number): Promise<Value | null> {
    const value = await options.read(key, values.peek(key)?.value.value ?? null);
    const last = Math.max(values.peek(key)?.since ?? -1, absent?.peek(key)?.since ?? -1);
    // of two reads that overlap, the one that began later has seen more
    if (last > since) return value;
    const dependencies = { since, tags: tagsOf(key, value) };
    if (value !== null) {
      absent?.delete(key);
      values.set(key, { value, failedAt: Number.NEGATIVE_INFINITY }, dependencies);
    } else if (invalidatedBy.areCurrent(null, since)) {
      values.delete(key);
      absent?.set(key, true, dependencies);
    }
    return value;
  }

  function begin(key: Key): Read<Value> {
    const since = invalidatedBy.now();
    const own: Read<Value> = { since, found: read(key, since), isSlow: false };
    const end = () => {
      cancel();
      if (reads.get(key) === own) reads.delete(key);
    };
    const cancel = scheduler.after(GIVE_UP_MS, end);
    own.found.then(end, (error: unknown) => {
      end();
      const known = values.peek(key)?.value;
      if (known) known.failedAt = clock.now();
      options.onFailure(error, key);
    });
    reads.set(key, own);
    return own;
  }

  /** The value of an entry as long as it may be used while it cannot be read. */
  function usable(entry: CacheEntry<Known<Value>> | undefined): Known<Value> | null {
    return entry && Math.abs(clock.now() - entry.storedAt) <= staleMs ? entry.value : null;
  }

  return {
    get: async (key) => {
      const fresh = values.get(key);
      if (fresh) return fresh.value;
      const entry = values.peek(key);
      if (!entry && absent?.get(key)) return null;
      const former = usable(entry);
      if (former && Math.abs(clock.now() - former.failedAt) < PAUSE_MS) return former.value;
      const running = reads.get(key);
      const tags = tagsOf(key, entry?.value.value ?? null);
      const next = running && invalidatedBy.areCurrent(tags, running.since) ? running : begin(key);
      if (!former) return next.found;
      if (next.isSlow || (entry && values.isCurrent(entry) && options.revalidatesBehind())) return former.value;
      const found = next.found.catch(() => former.value);
      return withinTime(scheduler, patienceMs, found, () => {
        next.isSlow = true;
        return former.value;
      });
    },
    delete: (key) => {
      values.delete(key);
      absent?.delete(key);
    },
    isCurrent: (key, value) => {
      const entry = values.peek(key);
      return entry?.value.value === value && values.isCurrent(entry);
    },
  };
}
