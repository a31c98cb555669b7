/** Lets callers go on a few at a time, the rest in later turns of the event loop. */
export type Turns = () => Promise<void>;

/**
 * Clients that were answered together ask again together. Decoding all of them in one turn of the event loop would hold up
 * everybody else, so each turn takes `perTurn` of them, in the order of their coming.
 */
export function createTurns(perTurn: number): Turns {
  const waiting: (() => void)[] = [];
  let left = perTurn;
  let scheduled = false;

  const nextTurn = () => {
    scheduled = false;
    left = perTurn;
    for (; left > 0 && waiting.length > 0; left--) waiting.shift()?.();
    if (waiting.length > 0) schedule();
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(nextTurn);
  };

  return () => {
    schedule();
    if (left > 0 && waiting.length === 0) {
      left--;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
}
