import type { Properties } from '../event.js';
import { isRecord } from '../is-record.js';
import type { Slot } from '../slots.js';

/** Whose properties: a group type, or the person. */
export const PERSON = '';

type ByOwner = Record<string, Properties>;

export interface PropertiesForFlags {
  person(): Properties | undefined;
  groups(): ByOwner;
  /** A property that is undefined is taken out. */
  add(owner: string, properties: Properties): void;
  /** Without an owner: those of all groups. */
  clear(owner?: string): void;
}

/** Properties of the person and the groups that the server may not know yet, sent with each flag request; kept over restarts. */
export function createPropertiesForFlags(
  slot: (name: string, parse: (stored: unknown) => ByOwner | undefined) => Slot<ByOwner>,
): PropertiesForFlags {
  const stored = slot('flagprops', (value) => (isByOwner(value) ? value : undefined));
  return {
    person: () => stored.get()?.[PERSON],
    groups() {
      const { [PERSON]: _, ...others } = stored.get() ?? {};
      return others;
    },
    add: (owner, properties) => stored.set({ ...stored.get(), [owner]: { ...stored.get()?.[owner], ...properties } }),
    clear(owner) {
      const { [owner ?? PERSON]: one = {}, ...others } = stored.get() ?? {};
      stored.set(owner === undefined ? { [PERSON]: one } : others);
    },
  };
}

function isByOwner(value: unknown): value is ByOwner {
  return isRecord(value) && Object.values(value).every(isRecord);
}
