import { toLocal } from '../../zone.js';
import type { Execute, Kind, KindContext } from '../kind.js';
import { scaledBy } from '../sample.js';
import { periodsOf } from './periods.js';
import type { RetentionQuery } from './retention-query.js';
import { retentionStatement } from './retention-sql.js';

/** Those who began in one period. */
export interface RetentionRow {
  /** When the period begins, with the offset of the project's time zone. */
  date: string;
  label: string;
  /** How many began, and how many of them came in each period after it. */
  values: { count: number; label: string }[];
}

export interface RetentionResult {
  results: RetentionRow[];
}

export const RETENTION: Kind<RetentionQuery, RetentionResult> = {
  filters: ({ properties, target, returning }) => ({
    properties,
    retentionFilter__targetEntity__properties: target.properties,
    retentionFilter__returningEntity__properties: returning.properties,
  }),
  run: runRetention,
};

const NAMES = { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' } as const;

async function runRetention(query: RetentionQuery, context: KindContext, execute: Execute): Promise<RetentionResult> {
  const periods = await periodsOf(query, context, execute);
  const { starts } = periods.buckets;
  const rows =
    starts.length > 0
      ? await execute<{ start: number; later: number; people: number }>(retentionStatement(query, periods, context))
      : [];
  const people = new Map(rows.map((row) => [`${row.start}+${row.later}`, row.people]));
  const scaled = scaledBy(query);
  const label = (index: number) => `${NAMES[query.period]} ${index}`;
  const results = starts.map((start, index) => ({
    date: withOffset(start, context.moment.timezone),
    label: label(index),
    values: Array.from({ length: Math.min(query.total, starts.length - index) }, (_, later) => ({
      count: scaled(people.get(`${index}+${later}`) ?? 0),
      label: label(later),
    })),
  }));
  return { results };
}

const MINUTE = 60_000;

/** An instant as ISO text in the project's time zone. */
function withOffset(instant: number, timezone: string): string {
  const local = toLocal(instant, timezone);
  const minutes = Math.round((local - instant) / MINUTE);
  const digits = (value: number) => String(value).padStart(2, '0');
  const hours = digits(Math.floor(Math.abs(minutes) / 60));
  const offset = minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${hours}:${digits(Math.abs(minutes) % 60)}`;
  return `${new Date(local).toISOString().slice(0, 19)}${offset}`;
}
