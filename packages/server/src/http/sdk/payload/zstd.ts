import { fileURLToPath } from 'node:url';
import { PACKAGE_FOLDER } from '../../../kernel/package-folder.js';
import { createThreadPool } from '../../../thread-pool.js';
import { type Reserve, SdkError, type SdkErrorCode } from '../sdk-error.js';

/** What the worker thread gets; `cap`: most bytes that may come out. */
export interface ZstdInput {
  bytes: Uint8Array;
  cap: number;
}
/** The decompressed bytes, or why there are none. */
export type ZstdOutput = Uint8Array | 'payload_too_large' | 'bad_compression';

/** The compiled worker: a thread does not load TypeScript. */
const WORKER = fileURLToPath(new URL('dist/http/sdk/payload/zstd-worker.js', PACKAGE_FOLDER));
/** A thread without work for this long is stopped; milliseconds. */
const IDLE_MS = 60_000;
/** Milliseconds that a request may wait for the thread and take there. 100 MB take about one second; hostile data may take hours. */
const DEADLINE_MS = 5_000;
/** Requests that wait for the thread. */
const MAX_WAITING = 32;

/** Decompresses Zstandard on versions of Node.js that cannot, in a worker thread. */
export interface Zstd {
  /**
   * @param cap most bytes that may come out
   * @throws SdkError bad_compression, payload_too_large, overloaded when the thread does not get to it in time
   */
  decompress(bytes: Buffer, cap: number, reserve: Reserve): Promise<Buffer>;
  /** Stops the thread. Unfinished requests get the error `overloaded`. */
  close(): Promise<void>;
}

/** Creates the pool; its thread starts with the first request. */
export function createZstd(): Zstd {
  const pool = createThreadPool<ZstdInput, ZstdOutput>({
    filename: WORKER,
    name: 'decompress',
    maxThreads: 1,
    idleMs: IDLE_MS,
  });
  return {
    decompress: async (bytes, cap, reserve) => {
      if (pool.waiting() >= MAX_WAITING) throw new SdkError('overloaded');
      const output = await pool.run({ bytes, cap }, AbortSignal.timeout(DEADLINE_MS)).catch((): SdkErrorCode => 'overloaded');
      if (output === 'bad_compression') throw new SdkError(output, 'The payload could not be decompressed as zstd.');
      if (typeof output === 'string') throw new SdkError(output);
      reserve(output.length);
      return Buffer.from(output.buffer, output.byteOffset, output.byteLength);
    },
    close: pool.close,
  };
}
