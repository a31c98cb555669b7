/** Results that callers wait for, and that may be refused all at once. */
export interface Pending {
  size(): number;
  /** The work's result, unless it is refused before. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Refuses all that wait; their work goes on. */
  rejectAll(error: Error): void;
}

export function createPending(): Pending {
  const waiting = new Set<(error: Error) => void>();
  return {
    size: () => waiting.size,
    track: (work) =>
      new Promise((resolve, reject) => {
        waiting.add(reject);
        const settled = () => waiting.delete(reject);
        work.then(settled, settled);
        work.then(resolve, reject);
      }),
    rejectAll: (error) => {
      for (const reject of waiting) reject(error);
      waiting.clear();
    },
  };
}
