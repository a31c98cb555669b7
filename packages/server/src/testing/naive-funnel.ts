import type { EventRow } from '../ports/events.js';

/** A funnel as plainly as it can be said: what the engine's answers are compared with. */
export interface NaiveFunnel {
  steps: ((row: EventRow) => boolean)[];
  exclusions: { is: (row: EventRow) => boolean; from: number; to: number }[];
  order: 'ordered' | 'strict' | 'unordered';
  window: number;
  /** Whether a step may be skipped; none when left out. */
  optional?: boolean[];
}

interface Marked {
  at: number;
  steps: boolean[];
  excluded: boolean[];
}

/** The times of the steps of every run that is not void (0: skipped), in the order in which they begin. */
export function naiveRuns(rows: EventRow[], funnel: NaiveFunnel): number[][] {
  const events = rows
    .map((row): Marked => {
      return {
        at: row.timestamp,
        steps: funnel.steps.map((is) => is(row)),
        excluded: funnel.exclusions.map(({ is }) => is(row)),
      };
    })
    .filter(({ steps, excluded }) => funnel.order === 'strict' || [...steps, ...excluded].some(Boolean))
    .toSorted((a, b) => a.at - b.at || rank(a) - rank(b));
  const runs = events.map((_, index) => (funnel.order === 'unordered' ? anyOrder : inOrder)(events.slice(index), funnel));
  return runs.filter((run) => run !== null);
}

/** By what events of one millisecond are ordered: those of earlier steps come first, and exclusions last. */
export const rankOf =
  ({ steps, exclusions }: NaiveFunnel) =>
  (row: EventRow): number =>
    rank({ steps: steps.map((is) => is(row)), excluded: exclusions.map(({ is }) => is(row)) });

/** In the same millisecond earlier steps come first, and exclusions last. */
const rank = ({ steps, excluded }: Pick<Marked, 'steps' | 'excluded'>): number =>
  [...steps, ...excluded].reduce((sum, is, index) => sum + (is ? 2 ** index : 0), 0);

function inOrder([first, ...rest]: Marked[], { steps, exclusions, order, window, optional = [] }: NaiveFunnel): number[] | null {
  if (!first?.steps[0]) return null;
  const times = [first.at];
  for (const event of rest) {
    const done = times.length;
    if (event.at > first.at + window || done === steps.length) break;
    let required = done;
    while (optional[required] && required < steps.length - 1) required++;
    const taken = event.steps.slice(0, required + 1).lastIndexOf(true);
    if (taken >= done) times.push(...Array<number>(taken - done).fill(0), event.at);
    else if (exclusions.some(({ from, to }, index) => event.excluded[index] && from < done && done <= to)) return null;
    else if (order === 'strict') break;
  }
  return times;
}

function anyOrder([first, ...rest]: Marked[], { steps, window }: NaiveFunnel): number[] | null {
  if (!first?.steps.some(Boolean)) return null;
  const left = new Set(steps.keys());
  const times: number[] = [];
  for (const event of [first, ...rest]) {
    if (event.at > first.at + window || left.size === 0) break;
    const taken = [...left].find((step) => event.steps[step]);
    if (taken !== undefined) {
      left.delete(taken);
      times.push(event.at);
    } else if (!event.steps.some(Boolean) && event.excluded.some(Boolean)) return null;
  }
  return times;
}

/** The run that gets furthest; of several the first to get there, and of those the last to begin. */
export function bestRun(runs: number[][]): number[] | null {
  let best: number[] | null = null;
  for (const run of runs) {
    const isBetter = best === null || run.length > best.length || (run.length === best.length && last(run) <= last(best));
    if (isBetter) best = run;
  }
  return best;
}

const last = (run: number[]): number => run.at(-1) ?? 0;
