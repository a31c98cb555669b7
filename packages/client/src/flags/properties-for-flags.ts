import type { Properties } from '../event.js';
import { isRecord } from '../is-record.js';
import type { Slot } from '../slots.js';

/** The owner of properties is a group type, or this for the person. */
export const PERSON = '';

type ByOwner = Record<string, Properties>;

export interface PropertiesForFlags {
  person(): Properties | undefined;
  groups(): ByOwner;
  /** Merges properties; JSON leaves out those that are undefined. */
  add(owner: string, properties: Properties): void;
  /** Removes the properties of an owner; without one, of all groups. */
  clear(owner?: string): void;
}

/** Properties of the person and of groups that the server may not have yet. Each flag request contains them; they are stored. */
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
