import type { Timers } from '@tidemark/client';

/** Waits for work of others, but not for longer than so many milliseconds. Rejects when the work does in that time. */
export async function patiently(work: Promise<unknown>, milliseconds: number, timers: Timers): Promise<void> {
  let timer: unknown;
  try {
    await Promise.race([work, new Promise<void>((resolve) => (timer = timers.set(resolve, milliseconds)))]);
  } finally {
    timers.clear(timer);
  }
}
