import type { Cohort, Insight } from '../insight.js';
import { formatNumber, percent } from '../text/format-number.js';
import { timeFormatOf } from '../text/time-cells.js';
import { periodText } from './retention-periods.js';

/** Retention as rows for a table: the mean first, then a row per cohort or breakdown value. */
export interface RetentionTable {
  /** Heading of the names. */
  head: string;
  /** Headings of the periods: `Week 0`, `1`, `2`. */
  periods: string[];
  rows: RetentionRow[];
  /** Whether a cell has a star: its period is not over. */
  hasUnfinished: boolean;
}

export interface RetentionRow {
  name: string;
  /** How many people began. */
  size: string;
  isMean: boolean;
  /** Index of its only cohort; null: it is a mean of several. */
  cohort: number | null;
  /** Null: no cohort is that old. */
  cells: (RetentionCell | null)[];
}

export interface RetentionCell {
  /** Percent without its sign. */
  text: string;
  /** Step of the scale from 0 (nobody) to 9; null: the first period, in which everybody began, or an unfinished one. */
  step: number | null;
  isUnfinished: boolean;
  /** All of it in words: `2 Nov, week 1 (9 Nov to 15 Nov 2026): 50.0%, 4 of 8 people, so far`. */
  title: string;
}

/** A count as a share of the people who began. */
interface Part {
  count: number;
  began: number;
  isUnfinished: boolean;
}

type Retention = Extract<Insight, { kind: 'retention' }>;

export function retentionTable({ cohorts, period = 'period', brackets, isLastUnfinished = false }: Retention): RetentionTable {
  const isBroken = cohorts.some(({ breakdown }) => breakdown !== null);
  // the last known period of each cohort is the one in which the results were computed
  const partsOf = ({ values, isOver }: Cohort): Part[] =>
    values.map((count, i) => ({
      count,
      began: values[0] ?? 0,
      isUnfinished: isLastUnfinished && !isOver && i === values.length - 1,
    }));
  const format = timeFormatOf(
    cohorts.map(({ date }) => date),
    period === 'month',
  );
  const dateOf = (date: string) => format?.(date) ?? date;
  const rows = cohorts.map((cohort) => ({ cohort, parts: partsOf(cohort) }));
  const values = [...new Set(cohorts.map(({ breakdown }) => breakdown))];
  const drawn = isBroken
    ? values.map((value) => {
        const own = rows.filter(({ cohort }) => cohort.breakdown === value);
        const parts = meanOf(own.map((one) => one.parts));
        return { name: value ?? '(none)', parts, size: sizeOf(own), cohort: null, date: null };
      })
    : rows.map(({ cohort, parts }, index) => ({
        cohort: index,
        date: cohort.date,
        name: cohort.date ? dateOf(cohort.date) : cohort.label,
        parts,
        size: sizeOf([{ cohort }]),
      }));
  const largest = Math.max(
    0,
    ...drawn.flatMap(({ parts }) =>
      parts.slice(1).flatMap((part) => (part && !part.isUnfinished && part.began > 0 ? [part.count / part.began] : [])),
    ),
  );
  const means = meanOf(rows.map(({ parts }) => parts));
  const mean = { name: 'Mean', parts: means, size: sizeOf(rows), cohort: null, date: null };
  const all = drawn.length > 1 ? [mean, ...drawn] : drawn;
  const count = Math.max(1, ...all.map(({ parts }) => parts.length));
  const unit = period.charAt(0).toUpperCase() + period.slice(1);
  return {
    head: isBroken ? 'Value' : 'Cohort',
    periods: Array.from({ length: count }, (_, i) => (i === 0 ? `${unit} 0` : String(i))),
    rows: all.map((row) => ({
      name: row.name,
      size: `${formatNumber(row.size)}${isOpen(row.parts) ? '*' : ''}`,
      isMean: row === mean,
      cohort: row.cohort,
      cells: row.parts.map((part, i) =>
        cellOf(part, i, largest, `${row.name}, ${periodText({ period, brackets }, i, row.date)}`),
      ),
    })),
    hasUnfinished: drawn.some(({ parts }) => parts.some((part) => part?.isUnfinished)),
  };
}

/** Whether people may still join: the first period is not over. */
const isOpen = ([first]: readonly (Part | null)[]): boolean => first?.isUnfinished === true;

const sizeOf = (rows: readonly { cohort: Cohort }[]): number =>
  rows.reduce((sum, { cohort }) => sum + (cohort.values[0] ?? 0), 0);

/** The mean in each period, over all cohorts in which it is over, by the number of people; null: there is none. */
function meanOf(cohorts: readonly (readonly Part[])[]): (Part | null)[] {
  const count = Math.max(0, ...cohorts.map((parts) => parts.length));
  const means = Array.from({ length: count }, (_, i) => {
    const complete = cohorts.flatMap((parts) => parts.slice(i, i + 1)).filter(({ isUnfinished }) => !isUnfinished || i === 0);
    if (complete.length === 0) return null;
    const sum = (of: (part: Part) => number) => complete.reduce((total, part) => total + of(part), 0);
    return { count: sum((part) => part.count), began: sum((part) => part.began), isUnfinished: false };
  });
  const last = means.findLastIndex((mean) => mean !== null);
  return means.slice(0, last + 1);
}

function cellOf(part: Part | null, index: number, largest: number, name: string): RetentionCell | null {
  if (part === null || part.began === 0) return null;
  const share = part.count / part.began;
  const isUnfinished = part.isUnfinished && index > 0;
  const people = `${formatNumber(part.began)} ${part.began === 1 ? 'person' : 'people'}`;
  const value = index === 0 ? `${people} began` : `${percent(share)}, ${formatNumber(part.count)} of ${people}`;
  return {
    text: index === 0 && share === 1 ? '100' : (share * 100).toFixed(1),
    step: index === 0 || isUnfinished ? null : stepOf(share, largest),
    isUnfinished,
    title: `${name}: ${value}${part.isUnfinished ? ', so far' : ''}`,
  };
}

/** 0: nothing; 1 to 9: ninths of the largest value. */
const stepOf = (share: number, largest: number): number =>
  share === 0 || largest === 0 ? 0 : Math.max(1, Math.min(9, Math.ceil((share / largest) * 9)));
