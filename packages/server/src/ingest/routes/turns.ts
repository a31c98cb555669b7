/** Lets callers go on a few at a time, the rest in later turns of the event loop. */
export type Turns = () => Promise<void>;

/** Milliseconds between two looks whether there is room again. */
const LOOK_MS = 2;

/**
 * Clients that were answered together ask again together. Decoding all of them in one turn of the event loop would hold up
 * everybody else, so each turn takes `perTurn` of them, in the order of their coming, and none while `isBusy`: what waits as
 * bytes costs the garbage collector nothing, what waits as objects is copied again and again.
 */
export function createTurns(perTurn: number, isBusy: () => boolean): Turns {
  const waiting: (() => void)[] = [];
  let left = perTurn;
  let scheduled = false;

  const nextTurn = () => {
    scheduled = false;
    if (isBusy()) return schedule();
    left = perTurn;
    for (; left > 0 && waiting.length > 0; left--) waiting.shift()?.();
    if (waiting.length > 0) schedule();
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    if (isBusy()) setTimeout(nextTurn, LOOK_MS);
    else setImmediate(nextTurn);
  };

  return () => {
    schedule();
    if (left > 0 && waiting.length === 0 && !isBusy()) {
      left--;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
}
