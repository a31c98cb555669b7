import type { QueryResult } from '../kinds/list.js';

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_OF_ONE = 8 * 1024 * 1024;

/** A result that was computed before. */
export interface KeptResult {
  result: QueryResult;
  /** Of the data that it rests on. */
  version: string;
  /** When it was computed, epoch milliseconds. */
  at: number;
}

/** Results by their question, the least recently used ones forgotten when there is too much of them. */
export interface KeptResults {
  find(key: string): KeptResult | null;
  keep(key: string, kept: KeptResult): void;
}

export function createKeptResults(): KeptResults {
  const entries = new Map<string, KeptResult & { bytes: number }>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    find: (key) => {
      const found = entries.get(key);
      if (!found) return null;
      entries.delete(key);
      entries.set(key, found);
      return found;
    },
    keep: (key, kept) => {
      forget(key);
      // texts are kept in two bytes a character
      const size = JSON.stringify(kept.result).length * 2;
      if (size > MOST_OF_ONE) return;
      entries.set(key, { ...kept, bytes: size });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= MOST_BYTES) return;
        forget(oldest);
      }
    },
  };
}
