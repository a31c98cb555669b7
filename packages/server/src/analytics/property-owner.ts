import { isReadableName, METADATA_KEYS, type PropertyOwner } from './sql/property.js';
import { SESSION_PROPERTIES } from './sql/session-columns.js';

/** Property types of the API. */
export const OWNER_TYPES = ['event', 'person', 'group', 'session', 'event_metadata'] as const;
export type OwnerType = (typeof OWNER_TYPES)[number];

export const isOwnerType = (type: string): type is OwnerType => OWNER_TYPES.some((one) => one === type);

const KNOWN: Partial<Record<OwnerType, readonly string[]>> = { session: SESSION_PROPERTIES, event_metadata: METADATA_KEYS };

/** Why a property cannot be queried; null if it can. */
export function unreadable(type: OwnerType, key: string): string | null {
  const known = KNOWN[type];
  if (known && !known.includes(key)) return `There is no such property. There are ${known.join(', ')}.`;
  return isReadableName(key) ? null : 'A property of this name cannot be queried.';
}

/** The owner for a property type; `index` is the group type. */
export const ownerOf = (type: OwnerType, index: number): PropertyOwner => (type === 'group' ? { type, index } : { type });
