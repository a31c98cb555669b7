import type { Caches } from '../../caches/index.js';
import type { Properties } from './apply-properties.js';

/** Limit of the cache in characters of JSON; parsed objects take a few times as many bytes. */
const MAX_SIZE = 12 * 1024 * 1024;
/** Size of an entry besides its properties. */
const ENTRY_SIZE = 200;

/**
 * Cache of properties by person and version. A version's properties never change, and every batch reads the versions from the database, so
 * an entry is never stale, whichever server writes the person.
 */
export interface PropertyCache {
  get(id: number, version: number): Properties | null;
  put(id: number, version: number, properties: Properties): void;
}

export function createPropertyCache(caches: Caches): PropertyCache {
  const entries = caches.create<number, { version: number; properties: Properties }>({
    name: 'person_properties',
    max: { bytes: MAX_SIZE, bytesOf: ({ properties }) => properties.size + ENTRY_SIZE },
  });
  return {
    get: (id, version) => {
      const entry = entries.get(id);
      return entry?.version === version ? entry.properties : null;
    },
    put: (id, version, properties) => entries.set(id, { version, properties }),
  };
}
