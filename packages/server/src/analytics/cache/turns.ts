/** Lets work of the same key run one after the other. */
export interface Turns {
  /** Resolves when all earlier work of the key has ended, with a function to call when the caller's own has. */
  take(key: string): Promise<() => void>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  return {
    take: async (key) => {
      const before = last.get(key);
      let resolve = () => {};
      const own = new Promise<void>((ended) => {
        resolve = ended;
      });
      last.set(key, own);
      await before;
      return () => {
        if (last.get(key) === own) last.delete(key);
        resolve();
      };
    },
  };
}
