import type { Store } from '@tidemark/client';

/** A store that ends with the page. */
export function memory(): Store {
  const values = new Map<string, string>();
  return {
    get: (key) => values.get(key) ?? null,
    set: (key, text) => void values.set(key, text),
    remove: (key) => void values.delete(key),
  };
}
