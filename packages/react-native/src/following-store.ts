import { type Bootstrap, createBootstrapStore, type FlagKey, type FlagSnapshot, type FlagStore } from '@tidemark/client';

export interface FollowingStore {
  store: FlagStore;
  /** Shows the flags of a client from now on. */
  follow(next: FlagStore): void;
  /** `true`: the time-out is over, so that nothing counts as loading. `false`: a load is over, and the client's own status counts again. */
  setOverdue(on: boolean): void;
}

/** Flags for user interfaces: those of bootstrap, until the client has its own. */
export function createFollowingStore(bootstrap?: Bootstrap): FollowingStore {
  const first = createBootstrapStore(bootstrap);
  let current: FlagStore = first;
  let overdue = false;
  /** By the store's own snapshot, so that readers get the same object each time. */
  const unconfirmed = new WeakMap<FlagSnapshot, FlagSnapshot>();
  const moves = new Set<() => void>();
  const moveAll = () => {
    for (const move of [...moves]) move();
  };
  function snapshot<Key extends FlagKey>(key: Key): FlagSnapshot<Key>;
  function snapshot(key: string): FlagSnapshot {
    const found = current.snapshot(key);
    if (!overdue || (found.status !== 'loading' && found.source !== 'bootstrap')) return found;
    const known = unconfirmed.get(found) ?? { ...found, status: found.source ? 'stale' : 'error' };
    unconfirmed.set(found, known);
    return known;
  }
  return {
    follow: (next) => {
      current = next;
      moveAll();
    },
    setOverdue: (on) => {
      if (on === overdue) return;
      overdue = on;
      moveAll();
    },
    store: {
      subscribe: (key, listener) => {
        let stop = current.subscribe(key, listener);
        const move = () => {
          stop();
          stop = current.subscribe(key, listener);
          listener();
        };
        moves.add(move);
        return () => {
          moves.delete(move);
          stop();
        };
      },
      snapshot,
      serverSnapshot: <Key extends FlagKey>(key: Key) => first.serverSnapshot(key),
      activeKeys: () => current.activeKeys(),
      serverActiveKeys: () => first.serverActiveKeys(),
      status: () => {
        const status = current.status();
        return overdue && status === 'loading' ? 'error' : status;
      },
    },
  };
}
