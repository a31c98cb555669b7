import type { Stall } from '../watch.js';
import { type FuzzRequest, shown } from './operations.js';

/** Number of recorded requests, minimal CPU milliseconds of a printed stall, and number of printed stalls. */
const REMEMBERED = 200;
const WORTH_PRINTING = 150;
const PRINTED = 10;
/** Requests printed for each stall: the slowest of those in flight. */
const SUSPECTS = 4;

/** Records the longest stalls of a run with the requests in flight. */
export function createStalls() {
  const recent: { request: FuzzRequest; from: number; to: number }[] = [];
  let place = 0;
  let worst: { stall: Stall; suspects: string[] }[] = [];
  const longest = { clock: 0, turn: 0 };
  return {
    noteRequest(request: FuzzRequest, from: number, took: number): void {
      recent[place++ % REMEMBERED] = { request, from, to: from + took };
    },
    note(stall: Stall): void {
      longest.clock = Math.max(longest.clock, stall.clock);
      longest.turn = Math.max(longest.turn, stall.turn);
      if (stall.turn < WORTH_PRINTING) return;
      const suspects = recent
        .filter(({ from, to }) => from < stall.to && to > stall.from)
        .sort((a, b) => b.to - b.from - (a.to - a.from))
        .slice(0, SUSPECTS)
        .map(({ request, from, to }) => `${(to - from).toFixed(0)} ms ${shown(request).slice(0, 400)}`);
      worst.push({ stall, suspects });
      worst = worst.sort((a, b) => b.stall.turn - a.stall.turn).slice(0, PRINTED);
    },
    longest: () => longest,
    print(): void {
      if (worst.length > 0) console.log('\nLongest stalls, and requests that were under way');
      for (const { stall, suspects } of worst) {
        console.log(`  ${stall.turn.toFixed(0)} ms of processor time, ${stall.clock.toFixed(0)} ms by the clock`);
        for (const suspect of suspects) console.log(`      ${suspect}`);
      }
    },
  };
}
