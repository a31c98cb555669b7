/** Values by key, each for a while; when they come to too much, the least recently used are forgotten first. */
export interface Lru<Key, Value> {
  get(key: Key, now: number): Value | undefined;
  put(key: Key, value: Value, size: number, until: number): void;
  delete(key: Key): void;
}

interface Entry<Value> {
  value: Value;
  size: number;
  until: number;
}

/** @param most sum of sizes kept */
export function createLru<Key, Value>(most: number): Lru<Key, Value> {
  const entries = new Map<Key, Entry<Value>>();
  let sum = 0;
  let latest = Number.NEGATIVE_INFINITY;

  function remove(key: Key): void {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    sum -= entry.size;
  }

  return {
    get(key, now) {
      if (now < latest) {
        // the clock was set back: every end of life is too far away
        entries.clear();
        sum = 0;
      }
      latest = now;
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      if (entry.until <= now) {
        sum -= entry.size;
        return undefined;
      }
      entries.set(key, entry);
      return entry.value;
    },
    put(key, value, size, until) {
      remove(key);
      entries.set(key, { value, size, until });
      sum += size;
      for (const oldest of entries.keys()) {
        if (sum <= most) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
