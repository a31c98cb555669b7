import { eventJson } from './event-json.js';
import type { Log, Store, Timers } from './platform.js';

/** One stored JSON value. */
export interface Slot<Value> {
  /** undefined when there is none, or none that can be understood. */
  get(): Value | undefined;
  /** Written soon, with what else changed; undefined removes it. */
  set(value: Value | undefined): void;
  /** Looks again at what is stored: another tab may have written. */
  refresh(): void;
}

/** A stored text that is made only when it is written. */
export interface TextSlot {
  read(): string | null;
  changed(): void;
}

/** All stored values of one client. */
export interface Slots {
  /** `parse` turns stored JSON into the value, or undefined when it is not one. */
  slot<Value>(name: string, parse: (stored: unknown) => Value | undefined): Slot<Value>;
  /** `write` gives the text to store; undefined removes it. */
  text(name: string, write: () => string | undefined): TextSlot;
  /** Writes now what is waiting. */
  flush(): void;
  /** `no_writes`: what is stored stays as it is. `nothing`: it is not read either. Afterwards everything is written. */
  hold(what: 'no_writes' | 'nothing' | undefined): void;
  /** Removes what is stored; what is in memory stays. */
  clear(): void;
}

const WRITE_AFTER_MS = 250;

/**
 * Keeps values in memory and writes them a moment later, several changes at once: a write for each event would cost more than the event.
 * Where storage fails, values live in memory.
 */
export function createSlots(store: Store, prefix: string, timers: Timers, log: Log): Slots {
  const writers = new Map<string, () => string | undefined>();
  const changed = new Set<string>();
  let timer: unknown;
  let failed = false;
  let held: 'no_writes' | 'nothing' | undefined;

  const attempt = <Result>(run: () => Result): Result | undefined => {
    try {
      return run();
    } catch (error) {
      if (!failed) log.warn('Storage failed:', error);
      failed = true;
      return undefined;
    }
  };
  const flush = () => {
    timers.clear(timer);
    timer = undefined;
    if (held) return;
    for (const name of changed) {
      attempt(() => {
        const text = writers.get(name)?.();
        if (text === undefined) store.remove(prefix + name);
        else store.set(prefix + name, text);
      });
    }
    changed.clear();
  };
  const mark = (name: string) => {
    changed.add(name);
    timer ??= timers.set(flush, WRITE_AFTER_MS);
  };
  const readText = (name: string) => (held === 'nothing' ? null : (attempt(() => store.get(prefix + name)) ?? null));

  return {
    flush,
    hold(what) {
      const before = held;
      held = what;
      if (what || !before) return;
      for (const name of writers.keys()) changed.add(name);
      flush();
    },
    clear() {
      changed.clear();
      for (const name of writers.keys()) attempt(() => store.remove(prefix + name));
    },
    text(name, write) {
      writers.set(name, write);
      return { read: () => readText(name), changed: () => mark(name) };
    },
    slot<Value>(name: string, parse: (stored: unknown) => Value | undefined): Slot<Value> {
      let value: Value | undefined;
      const refresh = () => {
        if (changed.has(name) || failed || held === 'nothing') return;
        try {
          value = parse(JSON.parse(readText(name) ?? 'null'));
        } catch {
          value = undefined;
        }
      };
      refresh();
      writers.set(name, () => (value === undefined ? undefined : eventJson(value)));
      return {
        get: () => value,
        set(next) {
          value = next;
          mark(name);
        },
        refresh,
      };
    },
  };
}
