import { bucketText, laterMoment, momentOf } from '../axes/calendar-ticks.js';

/** How a table of retention is divided into columns. */
interface Periods {
  /** Length of a period: `day`, `week`. */
  period: string;
  /** How many periods each column after the first takes; absent: one. */
  brackets: readonly number[] | undefined;
}

const UNITS = ['hour', 'day', 'week', 'month'] as const;

/** The period of a column in words, with its dates if the cohort began at one: `week 1 (9 Nov to 15 Nov 2026)`, `days 8 to 14`. */
export function periodText({ period, brackets }: Periods, column: number, date: string | null): string {
  if (brackets && column > 0) {
    const first = 1 + brackets.slice(0, column - 1).reduce((sum, size) => sum + size, 0);
    const size = brackets[column - 1] ?? 1;
    return size > 1 ? `${period}s ${first} to ${first + size - 1}` : `${period} ${first}`;
  }
  const unit = UNITS.find((one) => one === period);
  const began = date === null ? null : momentOf(date);
  const name = `${period} ${column}`;
  return began && unit ? `${name} (${bucketText(laterMoment(began, unit, column), unit)})` : name;
}
