import type { Platform } from '@tidemark/client';

/** Waits for the work, but no longer than `ms`. @throws what the work throws; Error when it takes too long */
export function within<T>(timers: Platform['timers'], ms: number, what: string, work: () => T | Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = timers.set(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
    const settle = <V>(how: (value: V) => void) => {
      return (value: V) => {
        timers.clear(timer);
        how(value);
      };
    };
    // also what is thrown before there is a promise ends here
    new Promise<T>((begun) => begun(work())).then(settle(resolve), settle(reject));
  });
}
