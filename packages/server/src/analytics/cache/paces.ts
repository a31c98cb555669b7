import type { Caches } from '../../caches/index.js';
import type { Span } from '../buckets.js';

/** Milliseconds that one statement about a part of the intervals should take. It bounds what the engine needs at a time, too. */
const CHUNK_MS = 2_000;
/** Newest intervals that are read first while the pace of a statement is unknown. */
const FIRST = 2;
const MAX_PACES = 10_000;

/** How fast statements about intervals are, which decides how many intervals each of them reads. */
export interface Paces {
  /**
   * How many of the intervals to read next, from the end of the list.
   * @param intervals what is left to read, in order
   */
  next(statement: string, projectId: number, intervals: readonly Span[], now: number): number;
  /** Records that a statement has read intervals of a span in some milliseconds. */
  took(statement: string, projectId: number, span: Span, milliseconds: number, now: number): void;
}

/** Paces are milliseconds for each millisecond of a span that is over. */
export function createPaces(caches: Caches): Paces {
  const paces = caches.create<string, number>({ name: 'query_paces', max: { entries: MAX_PACES } });
  const nameOf = (projectId: number): string => `project ${projectId}`;
  return {
    next: (statement, projectId, intervals, now) => {
      const own = paces.get(statement);
      // a statement that is new: as slow as the slowest one that the project has had
      const pace = own ?? paces.get(nameOf(projectId));
      if (pace === undefined) return Math.min(FIRST, intervals.length);
      let expected = 0;
      let count = 0;
      for (const interval of intervals.toReversed()) {
        expected += pace * lengthOf(interval, now);
        if (count > 0 && expected > CHUNK_MS) break;
        count += 1;
      }
      if (count === intervals.length || own !== undefined) return count;
      return Math.min(FIRST, intervals.length);
    },
    took: (statement, projectId, span, milliseconds, now) => {
      const length = lengthOf(span, now);
      if (length === 0) return;
      const pace = milliseconds / length;
      paces.set(statement, pace);
      paces.set(nameOf(projectId), Math.max(pace, paces.get(nameOf(projectId)) ?? 0));
    },
  };
}

/** Milliseconds of a span that are over: later ones have no events. */
const lengthOf = ({ from, to }: Span, now: number): number => Math.max(0, Math.min(to, now) - from);
