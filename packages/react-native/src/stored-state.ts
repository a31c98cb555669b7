import type { Log, Store, Timers } from '@tidemark/client';
import { patiently } from './patiently.js';
import type { StoragePort } from './ports.js';

/** A synchronous store in front of an asynchronous one. */
export interface StoredState {
  store: Store;
  /** Fulfilled when the stored values have been read, or failed to be read; never rejects. undefined: they have been read already. */
  hydrated: Promise<void> | undefined;
}

/** A storage that does not answer is not waited for longer; milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Reads what is stored for the key and keeps it in memory. Unsent events are stored apart from all else: they are much, and change
 * often.
 * @param refused called when storage answers too late, with an opt-out among its values
 */
export function openStoredState(
  storage: StoragePort,
  apiKey: string,
  timers: Timers,
  log: Log,
  refused: () => void,
): StoredState {
  const files = { state: `tidemark.${apiKey}`, queue: `tidemark.${apiKey}.queue` };
  const stored = { state: new Map<string, string>(), queue: new Map<string, string>() };
  const writing = new Set<keyof typeof files>();
  const again = new Set<keyof typeof files>();
  /** Files that have not been read. They are not written, since that would overwrite their values. */
  const unread = new Set<keyof typeof files>();
  const placeOf = (key: string): keyof typeof files => (/\.queue(\.|$)/.test(key) ? 'queue' : 'state');
  const failed = (error: unknown) => log.warn('[tidemark] Storage failed, so values live in memory until the app ends:', error);

  function take(place: keyof typeof files, text: string | null | undefined): void {
    unread.delete(place);
    // each run stores its events under its own name, beside those of earlier runs
    if (place === 'state' && stored[place].size && text) tooLate(place, text);
    else for (const [key, value] of valuesOf(text)) stored[place].set(key, value);
    if (again.has(place)) changed(place);
  }

  /** A client has started without the stored values, which are left for the next start. */
  function tooLate(place: keyof typeof files, text: string): void {
    unread.add(place);
    log.warn('[tidemark] Storage has answered too late, so what happens now lives in memory until the app ends');
    if (valuesOf(text).some(([key, value]) => key.endsWith('.consent') && value === 'denied')) refused();
  }

  async function write(place: keyof typeof files): Promise<void> {
    try {
      const text = JSON.stringify(Object.fromEntries(stored[place]));
      await (stored[place].size ? storage.setItem(files[place], text) : storage.removeItem(files[place]));
    } catch (error) {
      failed(error);
    }
  }

  /** Several changes in a row are one write, and one write is over before the next: storages may take one longer than another. */
  function changed(place: keyof typeof files): void {
    again.add(place);
    if (writing.has(place) || unread.has(place)) return;
    writing.add(place);
    void Promise.resolve().then(async () => {
      while (again.delete(place)) await patiently(write(place), PATIENCE_MS, timers);
      writing.delete(place);
    });
  }

  function read(place: keyof typeof files): Promise<void> | undefined {
    try {
      const text = storage.getItem(files[place]);
      if (!isPromise(text)) return void take(place, text);
      unread.add(place);
      return text
        .then((value) => take(place, value))
        .catch((error) => {
          // a file that cannot be read is overwritten
          unread.delete(place);
          failed(error);
          if (again.has(place)) changed(place);
        });
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  const reads = [read('state'), read('queue')].filter(isPromise);
  return {
    hydrated: reads.length ? patiently(Promise.all(reads), PATIENCE_MS, timers) : undefined,
    store: {
      get: (key) => stored[placeOf(key)].get(key) ?? null,
      set: (key, text) => {
        stored[placeOf(key)].set(key, text);
        changed(placeOf(key));
      },
      remove: (key) => {
        if (stored[placeOf(key)].delete(key)) changed(placeOf(key));
      },
      keys: () => [...stored.state.keys(), ...stored.queue.keys()],
    },
  };
}

/** Parses texts by name; invalid values count as none. */
function valuesOf(text: string | null | undefined): [string, string][] {
  try {
    const values: unknown = JSON.parse(text ?? '{}');
    if (typeof values !== 'object' || values === null) return [];
    return Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  } catch {
    return [];
  }
}

const isPromise = <T>(value: Promise<T> | unknown): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value;
