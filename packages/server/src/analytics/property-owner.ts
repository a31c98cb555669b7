import { isReadableName, METADATA_KEYS, type PropertyOwner } from './sql/property.js';
import { SESSION_PROPERTIES } from './sql/session-columns.js';

/** The types of owners, as requests name them. */
export const OWNER_TYPES = ['event', 'person', 'group', 'session', 'event_metadata'] as const;
export type OwnerType = (typeof OWNER_TYPES)[number];

export const isOwnerType = (type: string): type is OwnerType => OWNER_TYPES.some((one) => one === type);

const KNOWN: Partial<Record<OwnerType, readonly string[]>> = { session: SESSION_PROPERTIES, event_metadata: METADATA_KEYS };

/** Why a property of this name cannot be queried; null: it can. */
export function unreadable(type: OwnerType, key: string): string | null {
  const known = KNOWN[type];
  if (known && !known.includes(key)) return `There is no such property. There are ${known.join(', ')}.`;
  return isReadableName(key) ? null : 'A property of this name cannot be queried.';
}

/** The owner of a type; `index` is the type of groups. */
export const ownerOf = (type: OwnerType, index: number): PropertyOwner => (type === 'group' ? { type, index } : { type });
