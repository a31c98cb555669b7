import type { Properties } from './apply-properties.js';

/** Characters of JSON kept; parsed they take a few times as many bytes. */
const MAX_SIZE = 12 * 1024 * 1024;
/** What an entry takes beside its properties. */
const ENTRY_SIZE = 200;

/**
 * Properties by person and version, the least recently used forgotten first. A version never changes its properties, and
 * versions are read anew for every batch, so what is here is never out of date, whoever else writes persons.
 */
export class PropertyCache {
  readonly #entries = new Map<number, { version: number; properties: Properties }>();
  #size = 0;

  get(id: number, version: number): Properties | null {
    const entry = this.#entries.get(id);
    if (entry?.version !== version) return null;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.properties;
  }

  put(id: number, version: number, properties: Properties): void {
    this.#remove(id);
    this.#entries.set(id, { version, properties });
    this.#size += properties.size + ENTRY_SIZE;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= MAX_SIZE) break;
      this.#remove(oldest);
    }
  }

  #remove(id: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    this.#size -= entry.properties.size + ENTRY_SIZE;
  }
}
