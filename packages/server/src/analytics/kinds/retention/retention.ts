import { type Breakdown, shownValues } from '../../breakdown.js';
import type { Fragment } from '../../sql/fragment.js';
import type { Zone } from '../../zone.js';
import { type BreakdownName, breakdownFilters, breakdownName } from '../breakdown.js';
import { type Execute, type Kind, type KindContext, LIMIT_FIELD, requireNumbers, scaledBy } from '../kind.js';
import type { BreakdownValue } from '../trends/line.js';
import { type Periods, periodsOf } from './periods.js';
import { columnEnds, type RetentionQuery } from './retention-schema.js';
import { brokenDownStatement, retentionStatement } from './retention-sql.js';

/** The cohort of one period; with a breakdown, of one value. */
export interface RetentionRow extends BreakdownName {
  /** Start of the period, with the UTC offset of the project's time zone. */
  date: string;
  label: string;
  /** Size of the cohort, and how many returned in each later period (or bracket of periods); 0 for future periods. */
  values: { count: number; label: string }[];
  breakdown_value?: BreakdownValue;
}

/** Stands for all users in place of the number of a cohort. */
export const ALL_USERS = '0';

export interface RetentionResult {
  results: RetentionRow[];
}

export const RETENTION: Kind<RetentionQuery, RetentionResult> = {
  filters: ({ properties, target, returning, breakdown }) => ({
    properties,
    ...breakdownFilters(breakdown),
    retentionFilter__targetEntity__properties: target.properties,
    retentionFilter__returningEntity__properties: returning.properties,
  }),
  run: runRetention,
};

async function runRetention(query: RetentionQuery, context: KindContext, execute: Execute): Promise<RetentionResult> {
  const periods = await periodsOf(query, context, execute);
  const { breakdown } = query;
  const isEmpty = periods.buckets.starts.length === 0;
  if (breakdown) return { results: isEmpty ? [] : await brokenDown(query, breakdown, periods, context, execute) };
  const rows = isEmpty
    ? []
    : await rowsOf<{ start: number; later: number; people: number }>(
        retentionStatement(query, periods, context),
        query,
        periods,
        execute,
      );
  const columns = columnEnds(query).length;
  const people = new Map(rows.map((row) => [row.start * columns + row.later, row.people]));
  return { results: tableOf(query, periods, people, context) };
}

/** The rows of a statement. Whether an event is the first of somebody depends on all events before the range, too. */
const rowsOf = <Row extends object>(
  statement: Fragment,
  { begins }: RetentionQuery,
  { span }: Periods,
  execute: Execute,
): Promise<Row[]> => (begins === 'every_period' ? execute.ofSpan<Row>(statement, span) : execute<Row>(statement));

async function brokenDown(
  query: RetentionQuery,
  breakdown: Breakdown,
  periods: Periods,
  context: KindContext,
  execute: Execute,
): Promise<RetentionRow[]> {
  requireBounded(query, breakdown, periods);
  const statement = await brokenDownStatement(query, breakdown, periods, context, execute);
  const values = await rowsOf<{ shown: string[]; cells: number[]; people: number[] }>(statement, query, periods, execute);
  return values.flatMap(({ shown, cells, people }) => {
    const table = tableOf(query, periods, new Map(cells.map((cell, index) => [cell, people[index] ?? 0])), context);
    const value = { breakdown_value: valueFor(shown, breakdown), ...breakdownName(shown, breakdown, context) };
    return table.map((row) => ({ ...row, ...value }));
  });
}

/** Formats a breakdown value: a text, a list for several breakdowns, the number of a cohort, `0` for all users. */
function valueFor(shown: readonly string[], { by }: Breakdown): BreakdownValue {
  const [only = ''] = shown;
  if (by.type === 'cohorts') return only === 'all' ? ALL_USERS : Number(only);
  return shown.length === 1 ? only : [...shown];
}

function requireBounded(query: RetentionQuery, breakdown: Breakdown, { buckets: { starts } }: Periods): void {
  const numbers = starts.length * columnEnds(query).length;
  requireNumbers(numbers * (shownValues(breakdown) + 1), LIMIT_FIELD, 'longer periods');
}

const NAMES = { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' } as const;

/** Column labels: `Day 3`, for a bracket of periods `Day 2-4`. */
function columnLabels(query: RetentionQuery): string[] {
  const ends = columnEnds(query);
  return ends.map((end, column) => {
    const begin = (ends[column - 1] ?? -1) + 1;
    return `${NAMES[query.period]} ${begin === end ? end : `${begin}-${end}`}`;
  });
}

/** Builds the table. @param people by row × number of columns + column */
function tableOf(
  query: RetentionQuery,
  { buckets: { starts } }: Periods,
  people: ReadonlyMap<number, number>,
  { moment }: KindContext,
): RetentionRow[] {
  const scaled = scaledBy(query);
  const labels = columnLabels(query);
  return starts.map((start, index) => ({
    date: withOffset(start, moment.zone),
    label: `${NAMES[query.period]} ${index}`,
    values: labels.map((label, column) => ({ count: scaled(people.get(index * labels.length + column) ?? 0), label })),
  }));
}

const MINUTE = 60_000;

/** Formats an instant as ISO text with the UTC offset of a time zone. */
function withOffset(instant: number, zone: Zone): string {
  const local = zone.toLocal(instant);
  const minutes = Math.round((local - instant) / MINUTE);
  const digits = (value: number) => String(value).padStart(2, '0');
  const hours = digits(Math.floor(Math.abs(minutes) / 60));
  const offset = minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${hours}:${digits(Math.abs(minutes) % 60)}`;
  return `${new Date(local).toISOString().slice(0, 19)}${offset}`;
}
