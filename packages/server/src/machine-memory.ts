import { totalmem } from 'node:os';

/** Bytes of memory of the machine or, in a container with a limit, of the container. */
export function machineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
