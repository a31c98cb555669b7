import type { Deps } from '../deps.js';

/** Work that every server does again and again. */
export interface Repeated {
  name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  everyMs: number;
  run(): Promise<unknown>;
}

/** Starts it; a run that fails is told in the log and tried again at the next turn. Stopping waits for the run under way. */
export function repeat({ log }: Pick<Deps, 'log'>, { name, everyMs, run }: Repeated): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  const turn = async () => {
    try {
      await run();
    } catch (error) {
      log.warn({ err: error, job: name }, 'a repeated job failed and will be tried again');
    }
    wait();
  };
  const wait = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = turn();
    }, everyMs);
    timer.unref();
  };
  wait();
  return {
    stop: async () => {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await running;
    },
  };
}
