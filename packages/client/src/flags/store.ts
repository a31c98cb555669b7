import { createEmitter } from '../emitter.js';
import type { KnownFlag } from './answer.js';
import type { FlagKey, FlagSnapshot, FlagSource, FlagStatus, FlagStore } from './types.js';

/** What the store shows at one moment. */
export interface FlagState {
  find(key: string): { flag: KnownFlag; source: FlagSource } | undefined;
  keys(): string[];
  status(source: FlagSource | undefined): FlagStatus;
}

export interface WritableFlagStore extends FlagStore {
  /** Compares all snapshots with the state and notifies the listeners of changed ones. Listeners of all flags are notified if `values` is true or a snapshot changed. */
  update(values: boolean): void;
}

/** Returns the same snapshot of a flag until it changes, so that a reload without changes causes no render. */
export function createFlagStore(state: FlagState, bootstrap: FlagState): WritableFlagStore {
  const { on, emit } = createEmitter<Record<string, undefined>>((run, detail) => {
    try {
      run(detail);
    } catch {
      // a listener of the application threw
    }
  });
  const snapshots = new Map<string, FlagSnapshot>();
  const fromBootstrap = new Map<string, FlagSnapshot>();
  const serverActive = activeOf(bootstrap);
  let active = activeOf(state);

  function snapshot<Key extends FlagKey>(key: Key): FlagSnapshot<Key>;
  function snapshot(key: string): FlagSnapshot {
    return remembered(snapshots, state, key);
  }
  function serverSnapshot<Key extends FlagKey>(key: Key): FlagSnapshot<Key>;
  function serverSnapshot(key: string): FlagSnapshot {
    return remembered(fromBootstrap, bootstrap, key);
  }

  return {
    snapshot,
    serverSnapshot,
    activeKeys: () => active,
    serverActiveKeys: () => serverActive,
    status: () => state.status(undefined),
    subscribe: (key, listener) => on(key ?? '', listener),
    update(values) {
      const nowActive = activeOf(state);
      if (nowActive.join('\n') !== active.join('\n')) active = nowActive;
      const changed: string[] = [];
      for (const [key, before] of snapshots) {
        const after = snapshotOf(state, key);
        if (JSON.stringify(before) === JSON.stringify(after)) continue;
        snapshots.set(key, after);
        changed.push(key);
      }
      for (const key of changed) emit(key, undefined);
      if (values || changed[0]) emit('', undefined);
    },
  };
}

function activeOf(state: FlagState): readonly string[] {
  return state
    .keys()
    .filter((key) => state.find(key)?.flag.value)
    .sort();
}

function remembered(snapshots: Map<string, FlagSnapshot>, state: FlagState, key: string): FlagSnapshot {
  let known = snapshots.get(key);
  // written on a miss only, since lists read flags thousands of times
  if (!known) {
    known = snapshotOf(state, key);
    snapshots.set(key, known);
  }
  return known;
}

function snapshotOf(state: FlagState, key: string): FlagSnapshot {
  const found = state.find(key);
  const value = found?.flag.value;
  return {
    key,
    status: state.status(found?.source),
    source: found?.source,
    value,
    enabled: !!value,
    variant: typeof value === 'string' ? value : undefined,
    payload: found?.flag.payload,
    reason: found?.flag.reason,
  };
}
