import type { Ports } from '../../deps.js';
import { createMemoryBudget } from '../memory-budget.js';
import type { Zstd } from './payload/zstd.js';
import { type Reserve, SdkError } from './sdk-error.js';

/** Bytes for the decoding of all requests together. The largest allowed request needs most of it, hundreds of usual ones a fraction. */
const LIMIT = 400 * 1024 * 1024;

/** What the decoding of one request uses of the process. */
export interface Decoding extends Pick<Ports, 'scheduler'> {
  reserve: Reserve;
  zstd: Pick<Zstd, 'decompress'>;
}

/** Runs work that decodes a request. The memory that it reserves is released when it ends, whatever its outcome. */
export type Decode = <T>(work: (decoding: Decoding) => Promise<T>) => Promise<T>;

/** @param limit bytes of all requests together; beyond it, `reserve` throws SdkError overloaded */
export function createDecode({ scheduler, zstd }: Omit<Decoding, 'reserve'>, limit = LIMIT): Decode {
  const budget = createMemoryBudget(limit);
  return async (work) => {
    const reservation = budget.open();
    const reserve = (bytes: number) => {
      if (!reservation.add(bytes)) throw new SdkError('overloaded');
    };
    try {
      return await work({ scheduler, zstd, reserve });
    } finally {
      reservation.release();
    }
  };
}
