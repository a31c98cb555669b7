import type { Log, Store, Timers } from '@tidemark/client';
import { patiently } from './patiently.js';
import type { StoragePort } from './ports.js';

/** A store that answers at once, in front of one that may not. */
export interface StoredState {
  store: Store;
  /** Fulfilled when what was stored is here, or cannot be had; never rejects. Undefined: it is here already. */
  hydrated: Promise<void> | undefined;
}

/** A storage that does not answer is not waited for longer; milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Reads what is stored for the key and keeps it in memory. Unsent events are stored apart from all else: they are much, and change
 * often.
 */
export function openStoredState(storage: StoragePort, apiKey: string, timers: Timers, log: Log): StoredState {
  const files = { state: `tidemark.${apiKey}`, queue: `tidemark.${apiKey}.queue` };
  const kept = { state: new Map<string, string>(), queue: new Map<string, string>() };
  const writing = new Set<keyof typeof files>();
  const placeOf = (key: string): keyof typeof files => (key.endsWith('.queue') ? 'queue' : 'state');
  const failed = (error: unknown) => log.warn('[tidemark] Storage failed, so values live in memory until the app ends:', error);

  function take(place: keyof typeof files, text: string | null | undefined): void {
    try {
      const values: unknown = JSON.parse(text ?? '{}');
      if (typeof values !== 'object' || values === null) return;
      for (const [key, value] of Object.entries(values)) {
        // what was set in the meantime is newer
        if (typeof value === 'string' && !kept[place].has(key)) kept[place].set(key, value);
      }
    } catch {
      // what cannot be read counts as none
    }
  }

  async function write(place: keyof typeof files): Promise<void> {
    try {
      const text = JSON.stringify(Object.fromEntries(kept[place]));
      await (kept[place].size ? storage.setItem(files[place], text) : storage.removeItem(files[place]));
    } catch (error) {
      failed(error);
    }
  }

  /** Several changes in a row are one write. */
  function changed(key: string): void {
    const place = placeOf(key);
    if (writing.has(place)) return;
    writing.add(place);
    void Promise.resolve().then(() => {
      writing.delete(place);
      return write(place);
    });
  }

  function read(place: keyof typeof files): Promise<void> | undefined {
    try {
      const text = storage.getItem(files[place]);
      if (!isPromise(text)) return void take(place, text);
      return text.then((value) => take(place, value)).catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  const reads = [read('state'), read('queue')].filter(isPromise);
  return {
    hydrated: reads.length ? patiently(Promise.all(reads), PATIENCE_MS, timers) : undefined,
    store: {
      get: (key) => kept[placeOf(key)].get(key) ?? null,
      set: (key, text) => {
        kept[placeOf(key)].set(key, text);
        changed(key);
      },
      remove: (key) => {
        if (kept[placeOf(key)].delete(key)) changed(key);
      },
    },
  };
}

const isPromise = <T>(value: Promise<T> | unknown): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value;
