import { type FuzzRequest, shown } from './operations.js';

/** Outcome of a request: a status, or why there is none. */
export type Outcome = number | 'time-out' | 'cut';

const MOST_FAULTS = 20;
const MOST_SLOW = 10;
/** How many of the operations with the largest total time are printed. */
const MOST_COSTLY = 15;

/** Counts outcomes by resource, and records the failed and the slowest requests. */
export function tally() {
  const groups = new Map<string, Map<Outcome, number>>();
  /** Successful requests by operation. */
  const served = new Map<string, number>();
  /** Total milliseconds by operation. */
  const times = new Map<string, number>();
  const faults: string[] = [];
  let slow: { took: number; text: string }[] = [];
  let faultCount = 0;
  return {
    note(request: FuzzRequest, outcome: Outcome, took: number, answer: string): void {
      const group = groups.get(request.group) ?? new Map<Outcome, number>();
      groups.set(request.group, group);
      group.set(outcome, (group.get(outcome) ?? 0) + 1);
      const isServed = typeof outcome === 'number' && outcome < 400;
      served.set(request.operation, (served.get(request.operation) ?? 0) + (isServed ? 1 : 0));
      times.set(request.operation, (times.get(request.operation) ?? 0) + took);
      if (isFault(outcome)) {
        faultCount++;
        if (faults.length < MOST_FAULTS) faults.push(`${outcome} ${shown(request)}\n    → ${answer.slice(0, 500)}`);
      }
      const least = slow.length < MOST_SLOW ? 0 : (slow.at(-1)?.took ?? 0);
      if (took <= least) return;
      slow.push({ took, text: `${outcome} ${shown(request).slice(0, 300)}` });
      slow = slow.sort((a, b) => b.took - a.took).slice(0, MOST_SLOW);
    },
    /** Number of responses that are faults of the service. */
    faults: () => faultCount,
    print(): void {
      console.log('\nAnswers by group of routes');
      for (const [group, outcomes] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const counts = [...outcomes]
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
          .map(([outcome, n]) => `${outcome}: ${n}`);
        console.log(`  ${group.padEnd(30)} ${counts.join('  ')}`);
      }
      const never = [...served].filter(([, count]) => count === 0).map(([operation]) => operation);
      console.log(`\n${served.size} operations, of which ${never.length} never succeeded: ${never.sort().join(', ')}`);
      const all = [...times.values()].reduce((sum, time) => sum + time, 0);
      const costly = [...times].sort(([, a], [, b]) => b - a).slice(0, MOST_COSTLY);
      console.log('\nOperations by the time that their requests took together');
      for (const [operation, time] of costly) console.log(`  ${((time / all) * 100).toFixed(1).padStart(5)} %  ${operation}`);
      console.log('\nSlowest');
      for (const { took, text } of slow) console.log(`  ${took.toFixed(0)} ms  ${text}`);
      if (faults.length > 0) console.log(`\nFaults, ${faults.length} of ${faultCount}`);
      for (const fault of faults) console.log(`  ${fault}`);
    },
  };
}

/** Whether an outcome is a fault: a status from 500 on except 503 (overload), a reset connection, or no response. */
const isFault = (outcome: Outcome): boolean => typeof outcome === 'string' || (outcome >= 500 && outcome !== 503);
