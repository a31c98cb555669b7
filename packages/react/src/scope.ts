import type { Client, FlagKey, FlagSnapshot, FlagStore, FlagValue } from '@tidemark/client';

export type Subscribe = (listener: () => void) => () => void;
/** The two snapshots of `useSyncExternalStore`: the value now, and the value that the server rendered. */
export interface Snapshots<T> {
  now(): T;
  onServer(): T;
}

/** One flag as hooks read it; the same object for all readers of a key. */
export interface FlagReader {
  /** Subscribes, for reads that are reported as `$feature_flag_called`. */
  watch: Subscribe;
  snapshot: Snapshots<FlagSnapshot>;
  enabled: Snapshots<boolean>;
  value: Snapshots<FlagValue | undefined>;
  payload: Snapshots<unknown>;
}

/**
 * What one provider hands down. It stays the same object while the provider lives, so that neither the client's arrival nor the
 * provider's parent renders a reader: readers subscribe to what they read.
 */
export interface Scope {
  /** Called for a new client and for every change of flags; listeners compare the values that they read. */
  subscribe: Subscribe;
  client: Snapshots<Client | undefined>;
  /** Runs once, now or when the client is there. */
  withClient(run: (client: Client) => void): void;
  flag(key: FlagKey): FlagReader;
  activeKeys: Snapshots<readonly FlagKey[]>;
  /** Switches to a client; returns a function that detaches it. */
  attach(client: Client): () => void;
  /** Says each thing once. */
  warn(text: string): void;
}

/** @param first is read until another client is attached, and by the server; without it, `bootstrap` is */
export function createScope(first: Client | undefined, bootstrap: FlagStore): Scope {
  let client = first;
  const base = first ? first.flags : bootstrap;
  const flags = () => (client ? client.flags : bootstrap);
  const readers = new Map<string, Reader>();
  /** One subscription for all readers: lists mount thousands of rows, and comparing a value is cheap. */
  const listeners = new Set<() => void>();
  /** Whether the client is subscribed to. */
  let attached = false;
  const warned = new Set<string>();

  const subscribe: Subscribe = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const refresh = () => {
    for (const reader of readers.values()) reader.refresh();
  };
  const notify = () => {
    refresh();
    for (const listener of [...listeners]) listener();
  };

  const createReader = (key: FlagKey): Reader => {
    /** Cached while the client is subscribed to: each render of a row reads it several times. */
    let known: FlagSnapshot | undefined;
    const read = () => {
      const flag = known ?? flags().snapshot(key);
      if (attached) known = flag;
      return flag;
    };
    const onServer = () => base.serverSnapshot(key);
    let watching = 0;
    /** Whether the client knows that the flag is in use. */
    let reported = false;
    const report = () => {
      if (!watching || !client || !read().source) return;
      reported = true;
      client.getFeatureFlag(key);
    };
    return {
      report,
      refresh: () => {
        known = undefined;
        reported = false;
      },
      watch: (listener) => {
        listeners.add(listener);
        if (!watching++ && !reported) report();
        return () => {
          watching--;
          listeners.delete(listener);
        };
      },
      snapshot: { now: read, onServer },
      enabled: { now: () => (known ?? read()).enabled, onServer: () => onServer().enabled },
      value: { now: () => read().value, onServer: () => onServer().value },
      payload: { now: () => read().payload, onServer: () => onServer().payload },
    };
  };
  return {
    subscribe,
    client: { now: () => client, onServer: () => first },
    withClient: (run) => {
      if (client) return run(client);
      const stop = subscribe(() => {
        stop();
        if (client) run(client);
      });
    },
    flag: (key) => {
      let reader = readers.get(key);
      if (!reader) {
        reader = createReader(key);
        readers.set(key, reader);
      }
      return reader;
    },
    activeKeys: { now: () => flags().activeKeys(), onServer: () => base.serverActiveKeys() },
    attach: (next) => {
      if (next !== client) {
        client = next;
        notify();
      }
      attached = true;
      // a load with equal values renders nothing, but may be for another person: flags in use count for each
      const stops = [
        next.flags.subscribe(null, notify),
        next.on('identity', refresh),
        next.onFeatureFlags(() => {
          refresh();
          for (const reader of readers.values()) reader.report();
        }),
      ];
      return () => {
        attached = false;
        refresh();
        for (const stop of stops) stop();
      };
    },
    warn: (text) => {
      if (!warned.has(text)) console.warn(`[Tidemark] ${text}`);
      warned.add(text);
    },
  };
}

interface Reader extends FlagReader {
  /** Reports to the client that the flag is in use, if it is; the client captures that once for each value and person. */
  report(): void;
  /** Drops what is cached: the next read takes the flag from the client, and the use of the flag is reported again. */
  refresh(): void;
}
