/** Runs tasks of one lane one after the other, and those of different lanes at the same time. */
interface Lanes {
  /** Runs a task in a lane (0 to count - 1) behind those before. Rejects, without running the task, if one of them has failed. */
  run(lane: number, task: () => Promise<void>): Promise<void>;
}

export function createLanes(count: number): Lanes {
  const last = Array.from({ length: count }, () => Promise.resolve());
  return {
    run: (lane, task) => {
      const next = (last[lane] ?? Promise.resolve()).then(task);
      last[lane] = next;
      return next;
    },
  };
}
