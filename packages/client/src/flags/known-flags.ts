import { isRecord } from '../is-record.js';
import type { Slot } from '../slots.js';
import type { FlagsAnswer, KnownFlag } from './answer.js';
import type { FlagSource } from './types.js';

interface Entry {
  flag: KnownFlag;
  source: FlagSource;
}

/** Flags as they are stored between two visits. */
interface CachedFlags {
  /** Whose flags these are. */
  who: string;
  /** The last answer, with the flags that a partial one left in force. */
  answer: FlagsAnswer;
}

export interface KnownFlags {
  find(key: string): Entry | undefined;
  keys(): string[];
  /** The last answer, also of the last visit. */
  last(): FlagsAnswer | undefined;
  /** True when it changed anything. */
  take(answer: FlagsAnswer, who: string): boolean;
  override(flags: Record<string, KnownFlag> | undefined): void;
  /** Drops all flags but those that are stored for this person; without a person, drops all. */
  restart(who?: string): void;
}

/** The flags of one person. Precedence: overrides, then the server or bootstrap, then the values stored by the last visit. */
export function createKnownFlags(slot: Slot<CachedFlags>, who: string, bootstrap: Record<string, KnownFlag>): KnownFlags {
  let entries = new Map<string, Entry>();
  let overrides = new Map<string, Entry>();
  const put = (map: Map<string, Entry>, flags: Record<string, KnownFlag>, source: FlagSource) => {
    for (const [key, flag] of Object.entries(flags)) map.set(key, { flag, source });
  };
  const flags = () => Object.fromEntries([...entries].map(([key, { flag }]) => [key, flag]).sort());
  const restart = (whose?: string) => {
    entries = new Map();
    const cached = slot.get();
    if (cached?.who === whose) put(entries, cached?.answer.flags ?? {}, 'cache');
    else slot.set(undefined);
  };
  restart(who);
  put(entries, bootstrap, 'bootstrap');

  return {
    restart,
    find: (key) => overrides.get(key) ?? entries.get(key),
    keys: () => [...new Map([...entries, ...overrides]).keys()],
    last: () => slot.get()?.answer,
    take(answer, whose) {
      const before = JSON.stringify(flags());
      if (!answer.partial) entries = new Map();
      put(entries, answer.flags, 'server');
      const after = flags();
      slot.set({ who: whose, answer: { ...answer, flags: after } });
      return JSON.stringify(after) !== before;
    },
    override(flags) {
      overrides = new Map();
      put(overrides, flags ?? {}, 'override');
    },
  };
}

/** Parses stored flags; undefined when they are invalid. */
export function parseCachedFlags(stored: unknown): CachedFlags | undefined {
  return isCached(stored) ? stored : undefined;
}

function isCached(stored: unknown): stored is CachedFlags {
  return (
    isRecord(stored) &&
    typeof stored.who === 'string' &&
    isRecord(stored.answer) &&
    isRecord(stored.answer.flags) &&
    // a boolean or a string
    Object.values(stored.answer.flags).every((flag) => isRecord(flag) && /^[bs]/.test(typeof flag.value))
  );
}
