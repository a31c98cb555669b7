import { type Bootstrap, createFlagStore, type FlagState, type FlagStore, flagsFromValues } from '@tidemark/client';

/** The flags that the options bring along: what a server renders, and a browser until its client is there. */
export function bootstrapFlags({ featureFlags = {}, featureFlagPayloads }: Bootstrap = {}): FlagStore {
  const known = new Map(Object.entries(flagsFromValues(featureFlags, featureFlagPayloads)));
  const state: FlagState = {
    find: (key) => {
      const flag = known.get(key);
      return flag && { flag, source: 'bootstrap' };
    },
    keys: () => [...known.keys()],
    status: (source) => (source ? 'ready' : 'loading'),
  };
  return createFlagStore(state, state);
}
