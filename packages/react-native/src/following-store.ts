import { type Bootstrap, createBootstrapStore, type FlagKey, type FlagStore } from '@tidemark/client';

/** Flags for user interfaces from the first moment: those of bootstrap, until the client's own are there. */
export function createFollowingStore(bootstrap?: Bootstrap): { store: FlagStore; follow(next: FlagStore): void } {
  const first = createBootstrapStore(bootstrap);
  let current: FlagStore = first;
  const moves = new Set<() => void>();
  return {
    follow: (next) => {
      current = next;
      for (const move of [...moves]) move();
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
      snapshot: <Key extends FlagKey>(key: Key) => current.snapshot(key),
      serverSnapshot: <Key extends FlagKey>(key: Key) => first.serverSnapshot(key),
      activeKeys: () => current.activeKeys(),
      serverActiveKeys: () => first.serverActiveKeys(),
      status: () => current.status(),
    },
  };
}
