import { eventJson } from './event-json.js';
import type { Log, Store, Timers } from './platform.js';

/** One stored JSON value. */
export interface Slot<Value> {
  /** undefined when nothing valid is stored. */
  get(): Value | undefined;
  /**
   * Writes soon, together with other changes; undefined removes the value.
   * @param atOnce writes before it returns, so that another page cannot write in between: call `refresh` first
   */
  set(value: Value | undefined, atOnce?: boolean): void;
  /** Reads again, since another page may have written. The value of another page replaces one that is not written yet. */
  refresh(): void;
}

/** All stored values of one client. */
export interface Slots {
  /** `parse` turns stored JSON into the value, or undefined when it is not one. */
  slot<Value>(name: string, parse: (stored: unknown) => Value | undefined): Slot<Value>;
  /** A text that is computed only when it is written: `write` returns it, or undefined to remove it. Call the returned function after each change. */
  text(name: string, write: () => string | undefined): () => void;
  /** Texts that other pages have stored under `kind.<uuid>`, by name, including pages that are still open. */
  ofOtherPages(kind: string): Map<string, string>;
  remove(name: string): void;
  /** Reads all values again, see `Slot.refresh`. */
  refresh(): void;
  /** Writes pending changes now. */
  flush(): void;
  /** `no_writes`: nothing is written. `no_access`: nothing is read either. undefined: ends the restriction and writes all values. */
  restrict(access: 'no_writes' | 'no_access' | undefined): void;
  /** Removes all stored values, also of other pages; values in memory stay. */
  clear(): void;
}

const WRITE_AFTER_MS = 250;
/** Names with a uuid of the page, so that pages never overwrite each other's. Earlier versions had one name for all pages. */
const OF_A_PAGE = /^(queue|chunks)(\.[\da-f-]{36})?$/;

/**
 * Stored values with a write-behind cache: changes are written together a moment later, since a write for each event would take longer than the
 * event. Where storage fails, values stay in memory.
 */
export function createSlots(store: Store, prefix: string, timers: Timers, log: Log): Slots {
  const writers = new Map<string, () => string | undefined>();
  const refreshers: (() => void)[] = [];
  /** Texts as last read or written: any other text is from another page. */
  const seen = new Map<string, string | null>();
  const changed = new Set<string>();
  let timer: unknown;
  let failed = false;
  let restriction: 'no_writes' | 'no_access' | undefined;

  const attempt = <Result>(run: () => Result): Result | undefined => {
    try {
      return run();
    } catch (error) {
      if (!failed) log.warn('failed:Storage', error);
      failed = true;
      return undefined;
    }
  };
  const write = (name: string) => {
    if (restriction) return;
    changed.delete(name);
    attempt(() => {
      const text = writers.get(name)?.();
      if (text === undefined) store.remove(prefix + name);
      else store.set(prefix + name, text);
      seen.set(name, text ?? null);
    });
  };
  const flush = () => {
    timers.clear(timer);
    timer = undefined;
    for (const name of changed) write(name);
  };
  const mark = (name: string) => {
    changed.add(name);
    timer ??= timers.set(flush, WRITE_AFTER_MS);
  };
  const readText = (name: string) => (restriction === 'no_access' ? undefined : attempt(() => store.get(prefix + name)));
  const remove = (name: string) => attempt(() => store.remove(prefix + name));
  const namesOfOtherPages = () =>
    (attempt(() => store.keys?.()) ?? [])
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .filter((name) => OF_A_PAGE.test(name) && !writers.has(name));
  const refresh = () => {
    for (const one of refreshers) one();
  };

  return {
    refresh,
    flush,
    remove,
    ofOtherPages(kind) {
      const texts = new Map<string, string>();
      for (const name of restriction === 'no_access' ? [] : namesOfOtherPages()) {
        const text = name.startsWith(kind) && readText(name);
        if (text) texts.set(name, text);
      }
      return texts;
    },
    restrict(access) {
      const before = restriction;
      restriction = access;
      if (access || !before) return;
      // another page may have stored its values meanwhile
      refresh();
      for (const name of writers.keys()) write(name);
    },
    clear() {
      for (const name of [...writers.keys(), ...namesOfOtherPages()]) remove(name);
      seen.clear();
    },
    text(name, text) {
      writers.set(name, text);
      return () => mark(name);
    },
    slot<Value>(name: string, parse: (stored: unknown) => Value | undefined): Slot<Value> {
      let value: Value | undefined;
      const refreshOne = () => {
        const text = readText(name);
        if (text === undefined || text === (seen.get(name) ?? null)) return;
        seen.set(name, text);
        changed.delete(name);
        try {
          value = parse(JSON.parse(text ?? 'null'));
        } catch {
          value = undefined;
        }
      };
      refreshOne();
      refreshers.push(refreshOne);
      writers.set(name, () => (value === undefined ? undefined : eventJson(value)));
      return {
        get: () => value,
        set(next, atOnce) {
          value = next;
          mark(name);
          if (atOnce) write(name);
        },
        refresh: refreshOne,
      };
    },
  };
}
