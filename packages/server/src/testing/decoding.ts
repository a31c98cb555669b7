import { createScheduler } from '../adapters/system/index.js';
import { createZstd, type Decoding } from '../http/sdk/index.js';

/** Decoding without a limit of memory. */
export const decoding: Decoding = { reserve: () => {}, scheduler: createScheduler(), zstd: createZstd() };
