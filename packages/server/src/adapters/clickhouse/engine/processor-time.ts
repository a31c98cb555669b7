/** Divides the processor time of this process among the statements that run, because the engine reports none of a single statement. */
export interface ProcessorTime {
  /** Records that a statement begins. @returns records its end, and gives its milliseconds of processor time, of all its threads */
  begin(): () => number;
}

/** @param total the processor time that this process has used, milliseconds */
export function createProcessorTime(total = usedByProcess): ProcessorTime {
  const running = new Set<{ used: number }>();
  let before = total();

  function divide(): void {
    const now = total();
    for (const one of running) one.used += (now - before) / running.size;
    before = now;
  }

  return {
    begin: () => {
      divide();
      const own = { used: 0 };
      running.add(own);
      return () => {
        if (running.has(own)) divide();
        running.delete(own);
        return own.used;
      };
    },
  };
}

function usedByProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
