/** Promises that callers wait for, and that can be rejected all at once. */
export interface Pending {
  size(): number;
  /** Settles as the work does, unless {@link Pending.rejectAll} is called before. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Rejects all pending promises. Their work continues. */
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
