import type { ClientInternals } from './client.js';
import { isRecord } from './is-record.js';
import type { ClientOptions } from './options.js';
import type { Platform } from './platform.js';
import type { Slots } from './slots.js';

/** Who the events are from. Short names: it may travel in a cookie. */
export interface StoredIdentity {
  /** The anonymous id. */
  a: string;
  /** The device id, when it is not the anonymous id. */
  v?: string | undefined;
  /** The id given to `identify`, when it is not the anonymous id. */
  d?: string | undefined;
  /** 1: identified. */
  i?: 1 | undefined;
  /** 1: has a person profile. */
  p?: 1 | undefined;
}

/** A stored identity, as a server may find it in a cookie; undefined when it is none. */
export function parseIdentity(stored: unknown): StoredIdentity | undefined {
  if (!isRecord(stored) || typeof stored.a !== 'string' || !stored.a) return undefined;
  const { a, v, d, i, p } = stored;
  const id = (value: unknown) => (typeof value === 'string' && value ? value : undefined);
  return { a, v: id(v), d: id(d), i: i ? 1 : undefined, p: p ? 1 : undefined };
}

export interface Identity {
  distinctId(): string;
  anonymousId(): string;
  deviceId(): string;
  isIdentified(): boolean;
  /** Whether events now build a person profile. */
  hasProfile(): boolean;
  becomeIdentified(distinctId: string): void;
  giveProfile(): void;
  reset(newDevice: boolean, anonymousId?: string): void;
  /**
   * Takes over what another page stored, after the slots were refreshed, and gives what happened there. `removed`: nothing is stored any more,
   * and the person stays.
   */
  follow(): 'identify' | 'reset' | 'removed' | undefined;
  /** Nothing was stored when the client started. */
  isNew: boolean;
}

export function createIdentity(
  platform: Platform,
  slots: Slots,
  options: ClientOptions,
  guard: ClientInternals['guard'],
): Identity {
  const slot = slots.slot('identity', parseIdentity);
  const stored = slot.get();

  const newDevice = (): string => {
    const generated = platform.ids.uuid7();
    const own = guard(() => options.get_device_id?.(generated));
    return typeof own === 'string' && own ? own : generated;
  };
  const keep = (next: StoredIdentity) => {
    state = next;
    // Ids are written at once: a page that ends right after its first event must not make a second person.
    slot.set(next, true);
  };
  let state: StoredIdentity = stored ?? { a: newDevice() };
  if (!stored) keep(state);

  const distinctId = () => state.d ?? state.a;
  const deviceId = () => state.v ?? state.a;
  return {
    isNew: !stored,
    distinctId,
    anonymousId: () => state.a,
    deviceId,
    isIdentified: () => state.i === 1,
    hasProfile() {
      const profiles = options.person_profiles;
      return profiles === 'always' || (profiles !== 'never' && (state.i === 1 || state.p === 1));
    },
    becomeIdentified(distinctId) {
      keep({ ...state, d: distinctId === state.a ? undefined : distinctId, i: 1 });
    },
    giveProfile() {
      if (!state.p) keep({ ...state, p: 1 });
    },
    reset(freshDevice, anonymousId) {
      const v = freshDevice ? newDevice() : deviceId();
      const a = anonymousId ?? (options.reuseAnonymousId ? state.a : freshDevice ? v : platform.ids.uuid7());
      keep({ a, v: a === v ? undefined : v });
    },
    follow() {
      const before = state;
      const id = distinctId();
      const now = slot.get();
      if (!now) {
        slot.set(before);
        return 'removed';
      }
      state = now;
      if (distinctId() === id) return undefined;
      return now.a === before.a && !before.i ? 'identify' : 'reset';
    },
  };
}
