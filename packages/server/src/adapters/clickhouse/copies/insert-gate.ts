/** Lets inserts through, and holds new ones back while something must see none. */
export interface InsertGate {
  /** Runs an insert, once the gate is open. */
  pass<T>(insert: () => Promise<T>): Promise<T>;
  /** Closes the gate, waits for the inserts that run, and runs the work. */
  closedFor<T>(work: () => Promise<T>): Promise<T>;
}

export function createInsertGate(): InsertGate {
  const running = new Set<Promise<unknown>>();
  let closed: Promise<unknown> | null = null;
  return {
    pass: async (insert) => {
      while (closed) await closed;
      const run = insert();
      const ended = run.catch(() => {});
      running.add(ended);
      try {
        return await run;
      } finally {
        running.delete(ended);
      }
    },
    closedFor: async (work) => {
      while (closed) await closed;
      const done = Promise.all(running).then(work);
      const mine = done.catch(() => {});
      closed = mine;
      try {
        return await done;
      } finally {
        closed = null;
      }
    },
  };
}
