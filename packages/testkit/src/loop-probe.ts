import { readFileSync } from 'node:fs';

/** Nanoseconds that this thread has had of a processor: other processes and threads make it no longer. Linux only. */
const threadTime = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);

/** Watches how long the event loop of this thread is held. */
export interface LoopProbe {
  /** Milliseconds of the processor's time that the longest turn since the last look took. */
  longest(): number;
  close(): void;
}

export function probeLoop(): LoopProbe {
  let last = threadTime();
  let longest = 0;
  const look = () => {
    const now = threadTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  // a process that has nothing else to do may end
  const timer = setInterval(look, 1).unref();
  return {
    longest: () => {
      look();
      const found = longest / 1e6;
      longest = 0;
      return found;
    },
    close: () => clearInterval(timer),
  };
}

/** Milliseconds of the processor's time for a fixed piece of work: about 20 where nothing else runs. */
export function calibration(): number {
  const begun = threadTime();
  const list = Array.from({ length: 30_000 }, (_, index) => ({ index, text: `text ${index}` }));
  JSON.parse(JSON.stringify(list));
  return (threadTime() - begun) / 1e6;
}
