import type { Client, FlagKey, FlagSnapshot, FlagStore, FlagValue } from '@tidemark/client';

export type Subscribe = (listener: () => void) => () => void;
/** Reads now, and reads what the server rendered. */
export interface Reads<T> {
  now(): T;
  onServer(): T;
}

/** One flag as hooks read it; the same object for all readers of a key. */
export interface FlagReader {
  /** For reads that do not count as using the flag. */
  subscribe: Subscribe;
  /** For reads that do: the client hears of them. */
  watch: Subscribe;
  snapshot: Reads<FlagSnapshot>;
  enabled: Reads<boolean>;
  value: Reads<FlagValue | undefined>;
  payload: Reads<unknown>;
}

/**
 * What one provider hands down. It stays the same object while the provider lives, so that neither the client's arrival nor the
 * provider's parent renders a reader: readers subscribe to what they read.
 */
export interface Scope {
  client: Reads<Client | undefined>;
  onClient: Subscribe;
  /** Runs once, now or when the client is there. */
  withClient(run: (client: Client) => void): void;
  flag(key: FlagKey): FlagReader;
  active: { subscribe: Subscribe; keys: Reads<readonly string[]> };
  /** Goes over to a client; gives back what lets go of it. */
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
  /** What is told of another client. */
  const moves = new Set<() => void>();
  const said = new Set<string>();
  /** What the client has been told of: lists mount thousands of rows. */
  let told = new Set<FlagSnapshot>();
  const forget = () => {
    told = new Set();
  };

  /** Subscribes to the flags of the moment, once for all listeners of a key, and goes along to those of another client. */
  const follow = (key: FlagKey | null): Subscribe => {
    const listeners = new Set<() => void>();
    let stop: (() => void) | undefined;
    const tell = () => {
      for (const listener of [...listeners]) listener();
    };
    moves.add(() => {
      stop?.();
      stop = listeners.size ? flags().subscribe(key, tell) : undefined;
      tell();
    });
    return (listener) => {
      listeners.add(listener);
      stop ??= flags().subscribe(key, tell);
      return () => {
        listeners.delete(listener);
        if (listeners.size) return;
        stop?.();
        stop = undefined;
      };
    };
  };

  const createReader = (key: FlagKey): Reader => {
    const read = () => flags().snapshot(key);
    const subscribe = follow(key);
    const reads = <T>(pick: (flag: FlagSnapshot) => T): Reads<T> => ({
      now: () => pick(read()),
      onServer: () => pick(base.serverSnapshot(key)),
    });
    let watching = 0;
    const report = () => {
      const flag = read();
      if (!watching || !client || !flag.source || told.has(flag)) return;
      told.add(flag);
      client.getFeatureFlag(key);
    };
    return {
      report,
      subscribe,
      watch: (listener) => {
        const stop = subscribe(listener);
        if (!watching++) report();
        return () => {
          watching--;
          stop();
        };
      },
      snapshot: reads((flag) => flag),
      enabled: reads((flag) => flag.enabled),
      value: reads((flag) => flag.value),
      payload: reads((flag) => flag.payload),
    };
  };

  const onClient: Subscribe = (listener) => {
    moves.add(listener);
    return () => moves.delete(listener);
  };

  return {
    client: { now: () => client, onServer: () => first },
    onClient,
    withClient: (run) => {
      if (client) return run(client);
      const stop = onClient(() => {
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
    active: { subscribe: follow(null), keys: { now: () => flags().activeKeys(), onServer: () => base.serverActiveKeys() } },
    attach: (next) => {
      if (next !== client) {
        client = next;
        for (const move of [...moves]) move();
      }
      // a load with equal values renders nothing, but may be for another person: flags in use count for each
      const stops = [
        next.on('identity', forget),
        next.onFeatureFlags(() => {
          forget();
          for (const reader of readers.values()) reader.report();
        }),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
    warn: (text) => {
      if (!said.has(text)) console.warn(`[Tidemark] ${text}`);
      said.add(text);
    },
  };
}

interface Reader extends FlagReader {
  /** Tells the client that the flag is in use, if it is; the client tells the service once for each value and person. */
  report(): void;
}
