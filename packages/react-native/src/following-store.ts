import { type Bootstrap, createFlagStore, type FlagKey, type FlagState, type FlagStore, flagsFromValues } from '@tidemark/client';

/** Flags for user interfaces from the first moment: those of bootstrap, until the client's own are there. */
export function createFollowingStore({ featureFlags = {}, featureFlagPayloads }: Bootstrap = {}): {
  store: FlagStore;
  follow(next: FlagStore): void;
} {
  const known = new Map(Object.entries(flagsFromValues(featureFlags, featureFlagPayloads)));
  const state: FlagState = {
    find: (key) => {
      const flag = known.get(key);
      return flag && { flag, source: 'bootstrap' };
    },
    keys: () => [...known.keys()],
    status: (source) => (source ? 'ready' : 'loading'),
  };
  const first = createFlagStore(state, state);
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
