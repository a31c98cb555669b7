import type { FuzzRequest } from './operations.js';

/** What a request came to: a status, or why there is none. */
export type Outcome = number | 'time-out' | 'cut';

const SHOWN = 2_000;
const MOST_FAULTS = 20;
const MOST_SLOW = 10;

/** Counts outcomes by group of routes, and remembers the requests that should not have ended as they did, and the slowest. */
export function tally() {
  const groups = new Map<string, Map<Outcome, number>>();
  const faults: string[] = [];
  let slow: { took: number; text: string }[] = [];
  let faultCount = 0;
  return {
    note(request: FuzzRequest, outcome: Outcome, took: number, answer: string): void {
      const group = groups.get(request.group) ?? new Map<Outcome, number>();
      groups.set(request.group, group);
      group.set(outcome, (group.get(outcome) ?? 0) + 1);
      if (isFault(outcome)) {
        faultCount++;
        if (faults.length < MOST_FAULTS) faults.push(`${outcome} ${shown(request)}\n    → ${answer.slice(0, 500)}`);
      }
      const least = slow.length < MOST_SLOW ? 0 : (slow.at(-1)?.took ?? 0);
      if (took <= least) return;
      slow.push({ took, text: `${outcome} ${shown(request).slice(0, 300)}` });
      slow = slow.sort((a, b) => b.took - a.took).slice(0, MOST_SLOW);
    },
    /** Answers that are faults of the service. */
    faults: () => faultCount,
    print(): void {
      console.log('\nAnswers by group of routes');
      for (const [group, outcomes] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const counts = [...outcomes]
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
          .map(([outcome, n]) => `${outcome}: ${n}`);
        console.log(`  ${group.padEnd(30)} ${counts.join('  ')}`);
      }
      console.log('\nSlowest');
      for (const { took, text } of slow) console.log(`  ${took.toFixed(0)} ms  ${text}`);
      if (faults.length > 0) console.log(`\nFaults, ${faults.length} of ${faultCount}`);
      for (const fault of faults) console.log(`  ${fault}`);
    },
  };
}

/** 503 says that there is no room now; all else from 500 on is a fault. A connection that is cut is one, too. */
const isFault = (outcome: Outcome): boolean =>
  outcome === 'cut' || (typeof outcome === 'number' && outcome >= 500 && outcome !== 503);

function shown({ method, path, headers, body }: FuzzRequest): string {
  const { authorization: _, ...others } = headers;
  return `${method} ${path.slice(0, SHOWN)} ${JSON.stringify(others)} ${body?.toString('latin1').slice(0, SHOWN) ?? ''}`;
}
