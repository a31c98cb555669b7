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
  /** The state changed: finds out for whom, and tells them; those who listen to all, if `values` or a flag that was read did. */
  update(values: boolean): void;
}

/** Per key, the same object until something about it changes, so that a reload that changes nothing costs nobody a render. */
export function createFlagStore(state: FlagState, bootstrap: FlagState): WritableFlagStore {
  const { on, emit } = createEmitter<Record<string, undefined>>((run, detail) => {
    try {
      run(detail);
    } catch {
      // The listener's own business.
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
  // Written on a miss only: lists read thousands of times.
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
