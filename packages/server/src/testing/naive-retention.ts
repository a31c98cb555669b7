import type { EventRow } from '../ports/events.js';

/**
 * Retention as plainly as it can be said: what the engine's answers are compared with. What happens after the last period is left
 * out, and every row has a number for every column.
 */
export interface NaiveRetention {
  /** The number of the period that an instant is in, and those of the first and the last one. */
  ordinal: (instant: number) => number;
  first: number;
  last: number;
  isNamed: (row: EventRow) => boolean;
  isTarget: (row: EventRow) => boolean;
  isReturning: (row: EventRow) => boolean;
  begins: 'every_period' | 'first_time' | 'first_ever';
  total: number;
  /** How many periods each column after the first stands for; null: one, in as many columns as `total` says. */
  brackets: number[] | null;
  cumulative: boolean;
  minimum: number;
  /** Milliseconds of a period that is counted from the first event; null: periods are those of the calendar. */
  rolling: number | null;
  /** The breakdown value of a start event. */
  partOf: (row: EventRow) => string;
}

interface Beginning {
  row: EventRow;
  place: number;
  value: string;
}

/** The events with which one person begins. */
function beginnings(own: readonly EventRow[], query: NaiveRetention): Beginning[] {
  const { ordinal, first, begins, rolling, partOf } = query;
  const targets = own
    .filter(query.isTarget)
    .toSorted((a, b) => a.timestamp - b.timestamp || (partOf(a) < partOf(b) ? -1 : 1))
    .map((row) => ({ row, place: ordinal(row.timestamp), value: partOf(row) }));
  const recent = targets.filter(({ place }) => place >= first);
  if (begins === 'every_period') {
    return rolling === null
      ? recent.filter(({ place }, index) => recent.findIndex((one) => one.place === place) === index)
      : recent.slice(0, 1);
  }
  const earliest = Math.min(...own.filter(query.isNamed).map(({ timestamp }) => timestamp));
  const isFirst = ({ row }: Beginning) => begins === 'first_time' || row.timestamp === earliest;
  return targets.slice(0, 1).filter((one) => one.place >= first && isFirst(one));
}

/** The last period of each column, numbered from that in which people begin. */
const columnEnds = ({ brackets, total }: NaiveRetention): number[] =>
  brackets
    ? [0, ...brackets.map((_, index) => brackets.slice(0, index + 1).reduce((sum, one) => sum + one, 0))]
    : Array.from({ length: total }, (_, index) => index);

/** Of each value the rows of the table: in how many periods after it began how many came. `actors`: the events of each. */
export function naiveRetention(actors: Iterable<readonly EventRow[]>, query: NaiveRetention): Map<string, number[][]> {
  const { first, last, rolling, minimum, cumulative, ordinal } = query;
  const ends = columnEnds(query);
  const tables = new Map<string, number[][]>();
  const empty = () => Array.from({ length: last - first + 1 }, () => ends.map(() => 0));
  for (const all of actors) {
    const own = all.filter(({ timestamp }) => ordinal(timestamp) <= last);
    for (const { row: begun, place, value } of beginnings(own, query)) {
      const times = new Map<number, number>();
      for (const { timestamp } of own.filter(query.isReturning)) {
        const later = rolling === null ? ordinal(timestamp) - place : Math.floor((timestamp - begun.timestamp) / rolling);
        times.set(later, (times.get(later) ?? 0) + 1);
      }
      const came = [...times].filter(([later, count]) => later > 0 && count >= minimum).map(([later]) => later);
      const table = tables.get(value) ?? empty();
      tables.set(value, table);
      const row = table[place - first] ?? [];
      for (const [column, end] of ends.entries()) {
        const begin = (ends[column - 1] ?? -1) + 1;
        const counts = column === 0 || came.some((later) => later >= begin && (cumulative || later <= end));
        row[column] = (row[column] ?? 0) + Number(counts);
      }
    }
  }
  return tables;
}
