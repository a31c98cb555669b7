import type { EventRow } from '../ports/events.js';
import { groupedBy } from './histories.js';
import { bestRun, type NaiveFunnel, naiveRuns, rankOf } from './naive-funnel.js';

/** Which event of a run has its breakdown value; `step` is numbered from 0. */
export type NaiveAttribution = 'first_touch' | 'last_touch' | 'all_events' | { step: number };

/** The value of events that have none. */
export const NO_VALUE = '';

/** Runs of one actor with the value that they have; null: none has it, and they are in no table. */
interface Part {
  runs: number[][];
  valueFor: (run: number[]) => string | null;
}

/** What an actor did, told apart: in several parts where each value is followed by itself. */
function partsOf(own: EventRow[], funnel: NaiveFunnel, value: (row: EventRow) => string, by: NaiveAttribution): Part[] {
  const rank = rankOf(funnel);
  const isStep = (row: EventRow) => funnel.steps.some((is) => is(row));
  const sorted = own.toSorted((a, b) => a.timestamp - b.timestamp || rank(a) - rank(b) || (value(a) < value(b) ? -1 : 1));
  if (by === 'all_events') {
    return [...groupedBy(sorted, value)].map(([each, rows]) => ({ runs: naiveRuns(rows, funnel), valueFor: () => each }));
  }
  const runs = naiveRuns(own, funnel);
  if (typeof by === 'object') {
    const takes = (row: EventRow) => (funnel.order === 'unordered' ? isStep(row) : funnel.steps[by.step]?.(row));
    const taken = (run: number[]) => sorted.find((row) => row.timestamp === run[by.step] && takes(row));
    return [
      {
        runs,
        valueFor: (run) => {
          const row = taken(run);
          return row ? value(row) : null;
        },
      },
    ];
  }
  const known = sorted.filter((row) => isStep(row) && value(row) !== NO_VALUE);
  const touched = by === 'first_touch' ? known[0] : known.at(-1);
  return [{ runs, valueFor: () => (touched ? value(touched) : NO_VALUE) }];
}

/** The best run of each actor (of each value that they are followed by), with its value. */
export function naiveValueRuns(
  actors: Iterable<EventRow[]>,
  funnel: NaiveFunnel,
  value: (row: EventRow) => string,
  by: NaiveAttribution,
): { value: string; run: number[] }[] {
  return [...actors].flatMap((own) =>
    partsOf(own, funnel, value, by).flatMap(({ runs, valueFor }) => {
      const run = bestRun(runs);
      const found = run && valueFor(run);
      return run && found !== null ? [{ value: found, run }] : [];
    }),
  );
}

/** The interval and value of each entrance of an actor, with the length of the run that gets furthest; of equals the first says the value. */
export function naiveEntrances(
  actors: Iterable<EventRow[]>,
  funnel: NaiveFunnel,
  value: (row: EventRow) => string,
  by: NaiveAttribution,
  intervalOf: (instant: number) => string,
): { interval: string; value: string; steps: number }[] {
  return [...actors].flatMap((own) =>
    partsOf(own, funnel, value, by).flatMap(({ runs, valueFor }) => {
      const furthest = new Map<string, number[]>();
      const attributed = (run: number[]) => (typeof by === 'object' ? (run[by.step] ?? 0) : 0);
      for (const run of runs) {
        const interval = intervalOf(run[0] ?? 0);
        const best = furthest.get(interval);
        const later = (best && (run[0] ?? 0) - (best[0] ?? 0)) || (best ? attributed(run) - attributed(best) : 0);
        if (!best || run.length > best.length || (run.length === best.length && later < 0)) furthest.set(interval, run);
      }
      return [...furthest].flatMap(([interval, run]) => {
        const found = valueFor(run);
        return found === null ? [] : [{ interval, value: found, steps: run.length }];
      });
    }),
  );
}
