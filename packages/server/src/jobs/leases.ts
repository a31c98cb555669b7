import type { Deps } from '../deps.js';
import type { Cancel } from '../ports/system.js';

/** Leases of rows that this process works on. They are extended until they are released. */
export interface Leases<Key> {
  /** Extends a lease from now on. `onLost` is called when another process has taken the row or the row is deleted. */
  hold(key: Key, onLost?: () => void): void;
  release(key: Key): void;
  /** Extends all leases now. @throws errors of the store */
  extend(): Promise<void>;
}

interface LeasesOptions<Key> {
  name: string;
  /** Interval of extensions, a fraction of the duration of a lease; milliseconds. */
  everyMs: number;
  /** Extends the leases of these rows in the store. @returns the rows that this process still has */
  extend(keys: readonly Key[]): Promise<readonly Key[]>;
}

/**
 * Extends leases by a heartbeat, all of them in one statement. The lease of a process that died expires, and another process takes the
 * row. The store decides for how long a lease is valid.
 */
export function createLeases<Key>(
  { log, scheduler }: Pick<Deps, 'log' | 'scheduler'>,
  { name, everyMs, extend: extendRows }: LeasesOptions<Key>,
): Leases<Key> {
  const held = new Map<Key, { onLost: () => void }>();
  let stopHeartbeat: Cancel | null = null;

  async function extend(): Promise<void> {
    // leases that begin during the statement are not in its result
    const extended = [...held];
    if (extended.length === 0) return;
    const ours = new Set(await extendRows(extended.map(([key]) => key)));
    for (const [key, lease] of extended) {
      if (!ours.has(key) && held.get(key) === lease) lease.onLost();
    }
  }

  const beat = () => {
    extend().catch((error: unknown) => log.warn({ err: error, leases: name }, 'leases could not be extended'));
  };
  return {
    hold(key, onLost = () => {}) {
      held.set(key, { onLost });
      stopHeartbeat ??= scheduler.every(everyMs, beat);
    },
    release(key) {
      held.delete(key);
      if (held.size > 0) return;
      stopHeartbeat?.();
      stopHeartbeat = null;
    },
    extend,
  };
}
