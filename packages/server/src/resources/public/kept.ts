import type { Clock } from '../../ports/system.js';

/** What was made for a key and is given again for a while; who asks while it is made waits for it. */
export interface Kept<T> {
  get(key: string, make: () => Promise<T>): Promise<T>;
}

/** `ms`: for how long each is kept; `most`: how many at most. What could not be made is not kept. */
export function createKept<T>(clock: Clock, { ms, most }: { ms: (value: T) => number; most: number }): Kept<T> {
  const entries = new Map<string, { until: number; value: Promise<T> }>();
  return {
    get: (key, make) => {
      const found = entries.get(key);
      if (found && clock.now() < found.until) return found.value;
      const value = make();
      const entry = { until: Number.POSITIVE_INFINITY, value };
      entries.delete(key);
      entries.set(key, entry);
      for (const oldest of entries.keys()) {
        if (entries.size <= most) break;
        entries.delete(oldest);
      }
      value.then(
        (made) => {
          entry.until = clock.now() + ms(made);
        },
        () => {
          if (entries.get(key) === entry) entries.delete(key);
        },
      );
      return value;
    },
  };
}
