import type { Bootstrap } from '../options.js';
import { flagsFromValues } from './answer.js';
import { createFlagStore, type FlagState } from './store.js';
import type { FlagStore } from './types.js';

/** The flags of bootstrap, for user interfaces: what a server renders, and what a page or app shows until its client is there. */
export function createBootstrapStore(bootstrap?: Bootstrap | null): FlagStore {
  const known = new Map(Object.entries(flagsFromValues(bootstrap?.featureFlags, bootstrap?.featureFlagPayloads)));
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
