import type { Caches } from '../../caches/index.js';
import type { Properties } from './apply-properties.js';

/** Characters of JSON kept; parsed they take a few times as many bytes. */
const MAX_SIZE = 12 * 1024 * 1024;
/** What an entry takes beside its properties. */
const ENTRY_SIZE = 200;

/**
 * Properties by person and version. A version never changes its properties, and versions are read anew for every batch, so an entry is
 * never out of date, whichever server writes persons.
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
