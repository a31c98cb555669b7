import type { Deps } from '../deps.js';
import { tellOnce } from './log-once.js';
import { takeTurn } from './turns.js';

/** Work that every server does again and again. */
export interface Repeated {
  name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  everyMs: number;
  run(): Promise<unknown>;
}

/** Work that one server does for all of them in each interval. */
export function repeatInTurn(
  deps: Pick<Deps, 'log' | 'db' | 'scheduler'>,
  { name, everyMs, run }: Repeated,
): { stop(): Promise<void> } {
  return repeat(deps, {
    name,
    everyMs,
    run: async () => {
      if (await takeTurn(deps.db, name, everyMs)) await run();
    },
  });
}

/**
 * Starts it; a run that fails is tried again at the next turn, and told in the log unless the one before failed the same way. Stopping
 * waits for the run under way.
 */
export function repeat(
  { log, scheduler }: Pick<Deps, 'log' | 'scheduler'>,
  { name, everyMs, run }: Repeated,
): { stop(): Promise<void> } {
  let cancel = () => {};
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  const fault = tellOnce(log, 'warn', 'what had failed works again', { job: name });
  const turn = async () => {
    try {
      await run();
      fault.worked();
    } catch (error) {
      fault.failed('a repeated job failed and will be tried again', error);
    }
    wait();
  };
  const wait = () => {
    if (isStopped) return;
    cancel = scheduler.after(everyMs, () => {
      running = turn();
    });
  };
  wait();
  return {
    stop: async () => {
      isStopped = true;
      cancel();
      await running;
    },
  };
}
