import { eventJson } from './event-json.js';
import type { Log, Store, Timers } from './platform.js';

/** One stored JSON value. */
export interface Slot<Value> {
  /** undefined when there is none, or none that can be understood. */
  get(): Value | undefined;
  /**
   * Writes soon, together with other changes; undefined removes the value.
   * @param atOnce writes before it returns, so that another page cannot write in between: call `refresh` first
   */
  set(value: Value | undefined, atOnce?: boolean): void;
  /** Reads again, since another page may have written. A value of another page replaces one that was not written yet. */
  refresh(): void;
}

/** All stored values of one client. */
export interface Slots {
  /** `parse` turns stored JSON into the value, or undefined when it is not one. */
  slot<Value>(name: string, parse: (stored: unknown) => Value | undefined): Slot<Value>;
  /** A text that is made only when it is written: `write` gives it, undefined removes it. Call the result when it has changed. */
  text(name: string, write: () => string | undefined): () => void;
  /** What other pages have stored under names of their own, `kind.<uuid>`: texts by name. Includes pages that are still open. */
  ofOtherPages(kind: string): Map<string, string>;
  remove(name: string): void;
  /** Reads all values again, see `Slot.refresh`. */
  refresh(): void;
  /** Writes now what is waiting. */
  flush(): void;
  /** `no_writes`: stored values stay as they are. `no_access`: they are not read either. undefined: writes all values. */
  restrict(access: 'no_writes' | 'no_access' | undefined): void;
  /** Removes what is stored, also by other pages; what is in memory stays. */
  clear(): void;
}

const WRITE_AFTER_MS = 250;
/** Names of what each page stores apart, so that pages never overwrite each other's; formerly one name for all. */
const OF_A_PAGE = /^(queue|chunks)(\.[\da-f-]{36})?$/;

/**
 * Keeps values in memory and writes them a moment later, several changes at once: a write for each event would cost more than the event.
 * Where storage fails, values live in memory.
 */
export function createSlots(store: Store, prefix: string, timers: Timers, log: Log): Slots {
  const writers = new Map<string, () => string | undefined>();
  const refreshers: (() => void)[] = [];
  /** The texts last read or written: any other text comes from another page. */
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
