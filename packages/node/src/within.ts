import type { Platform } from '@tidemark/client';
import type { NodePlatform } from './node-platform.js';

/** Waits for the work, but no longer than `ms`. @throws the error of the work; Error on a timeout */
export function within<T>(timers: Platform['timers'], ms: number, what: string, work: () => T | Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = timers.set(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
    const settle = <V>(how: (value: V) => void) => {
      return (value: V) => {
        timers.clear(timer);
        how(value);
      };
    };
    // inside of a promise, so that a synchronous error rejects, too
    new Promise<T>((begun) => begun(work())).then(settle(resolve), settle(reject));
  });
}

/** Keeps the process up until the work is done: without that it ends, though the application awaits it, when only timers are left. */
export async function awaited<T>({ stayUp }: Pick<NodePlatform, 'stayUp'>, work: () => Promise<T>): Promise<T> {
  const done = stayUp?.();
  try {
    return await work();
  } finally {
    done?.();
  }
}
