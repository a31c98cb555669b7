import { readFileSync } from 'node:fs';

/** CPU time of this thread, nanoseconds. Other processes and threads do not affect it. Linux only. */
const threadTime = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);

/** Measures how long the event loop of this thread is blocked. */
export interface LoopProbe {
  /** The longest turn since the last call, milliseconds of CPU time. */
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
  // does not keep the process alive
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

/** CPU time of a fixed piece of work, milliseconds: about 20 on an idle machine. */
export function calibration(): number {
  const begun = threadTime();
  const list = Array.from({ length: 30_000 }, (_, index) => ({ index, text: `text ${index}` }));
  JSON.parse(JSON.stringify(list));
  return (threadTime() - begun) / 1e6;
}
