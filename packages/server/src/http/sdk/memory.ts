import { type Hold, Refusal } from './refusal.js';

/**
 * Bytes that all requests together may keep while they are decoded; the largest allowed request, parsed, takes most of
 * it, and hundreds of usual ones a fraction.
 */
const LIMIT = 400 * 1024 * 1024;

/** Runs work with a {@link Hold} on the common memory, and gives back what it held, however it ends. */
export type Memory = <T>(work: (hold: Hold) => Promise<T>) => Promise<T>;

export function createMemory(limit = LIMIT): Memory {
  let taken = 0;
  return async (work) => {
    let held = 0;
    try {
      return await work((bytes) => {
        if (taken + bytes > limit) throw new Refusal('overloaded');
        taken += bytes;
        held += bytes;
      });
    } finally {
      taken -= held;
    }
  };
}
