import { createMemoryBudget } from '../memory-budget.js';
import { type Reserve, SdkError } from './sdk-error.js';

/** Bytes for the decoding of all requests together. The largest allowed request needs most of it, hundreds of usual ones a fraction. */
const LIMIT = 400 * 1024 * 1024;

/** Runs work that reserves memory from the common budget; the memory is released when the work ends, whatever its outcome. */
export type DecodingMemory = <T>(work: (reserve: Reserve) => Promise<T>) => Promise<T>;

/** @param limit bytes of all requests together; beyond it, `reserve` throws SdkError overloaded */
export function createDecodingMemory(limit = LIMIT): DecodingMemory {
  const budget = createMemoryBudget(limit);
  return async (work) => {
    const reservation = budget.open();
    try {
      return await work((bytes) => {
        if (!reservation.add(bytes)) throw new SdkError('overloaded');
      });
    } finally {
      reservation.release();
    }
  };
}
