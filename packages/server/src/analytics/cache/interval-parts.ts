import { createHash } from 'node:crypto';
import type { Caches } from '../../caches/index.js';
import type { DataVersion, DayVersions } from '../../ports/events.js';
import type { Buckets, Span } from '../buckets.js';
import { type Fragment, hasSubqueryOrUserSql, joinsOf, type Rendered, render, sql, whole } from '../sql/fragment.js';

/** A row of a statement about intervals. */
export interface IntervalRow {
  /** Start of its interval, epoch milliseconds. */
  start: number;
}

/** What to compute by interval. */
export interface IntervalQuestion {
  statement: IntervalStatement;
  span: Span;
  buckets: Buckets;
  /** With more rows than this for all intervals together, the caller computes the result in another way. Default: any number. */
  maxRows?: number;
}

/** Writes a statement whose rows each depend on the events of one interval alone, for a span and its intervals. */
export type IntervalStatement = (span: Span, buckets: Buckets) => Fragment;

/** The rows of the intervals of a statement that were computed before. */
export interface IntervalParts {
  /**
   * The rows of a statement for all intervals. Only the intervals whose data have changed are computed, from the first to the last of
   * them; the others come from the cache.
   * @param run runs the statement in the engine
   * @returns null: there are more than `maxRows`, or the statement has no intervals of its own
   */
  rows<Row extends IntervalRow>(question: IntervalQuestion, run: RunRows<Row>): Promise<Row[] | null>;
  /** What came from the cache so far. */
  reused(): ReusedIntervals;
}

/** Intervals that came from the cache. */
export interface ReusedIntervals {
  count: number;
  /** Statements of which nothing had to be read: they give the rows of all their intervals. */
  statements: readonly Rendered[];
}

type RunRows<Row> = (statement: Fragment) => Promise<Row[]>;

/** The rows of one interval. */
interface Part {
  /** Version of the data from before the rows were computed. */
  version: string;
  rows: readonly IntervalRow[];
}

/** The parts of each statement, by its text without span and intervals; in it by the start of their interval and what of it is in the span. */
export type PartsCache = ReturnType<typeof createPartsCache>;

const DAY = 86_400_000;
/** Statements about more intervals are computed as a whole. */
const MAX_INTERVALS = 1_000;
/** Parts of one statement, those of several ranges together. */
const MAX_PARTS = 2 * MAX_INTERVALS;
/** Characters of a statement with its values; longer ones are computed as a whole, because comparing them takes long. */
const MAX_IDENTITY = 100_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Marks a statement with more rows than its caller takes, instead of its parts. */
const TOO_MANY = 'too many';
const PART_BYTES = 200;
const ROW_BYTES = 100;

export const createPartsCache = (caches: Caches) =>
  caches.create<string, ReadonlyMap<string, Part>>({
    name: 'query_parts',
    max: {
      bytes: MAX_BYTES,
      bytesOf: (parts) => [...parts.values()].reduce((sum, { rows }) => sum + PART_BYTES + rows.length * ROW_BYTES, 0),
    },
  });

/** An interval within the span of a question. */
interface Interval extends Span {
  /** Start of the interval, which may lie before the span. */
  start: number;
  /** Its key among the parts of a statement. */
  name: string;
  /** Version of the data that its rows depend on. */
  version: string;
}

/** The parts of the queries of a project over data of a version. */
export function createIntervalParts(cache: PartsCache, version: DataVersion): IntervalParts {
  let days: Promise<DayVersions> | undefined;
  let reused = 0;
  const unread: Rendered[] = [];

  return {
    reused: () => ({ count: reused, statements: unread }),
    rows: async <Row extends IntervalRow>(
      { statement, span, buckets, maxRows = Number.POSITIVE_INFINITY }: IntervalQuestion,
      run: RunRows<Row>,
    ) => {
      const identity = identityOf(statement);
      if (identity === null || buckets.starts.length > MAX_INTERVALS) return null;
      days ??= version.days();
      const { day } = await days;
      const profiles = identity.readsProfiles ? version.profiles : '';
      const intervals = buckets.starts.map((start, index): Interval => {
        const from = Math.max(start, span.from);
        const to = Math.min(buckets.ends[index] ?? span.to, span.to);
        return {
          start,
          from,
          to,
          name: `${start} ${from} ${to}`,
          version: `${profiles} ${daysWithin({ from, to }).map(day).join()}`,
        };
      });
      const known = cache.get(identity.key) ?? new Map<string, Part>();
      if (known.has(TOO_MANY)) return null;
      // the rows of a statement have the columns of that statement
      const rowsOf = ({ name }: Interval) => (known.get(name)?.rows ?? []) as readonly Row[];
      const isCurrent = ({ name, version: wanted }: Interval) => known.get(name)?.version === wanted;
      const low = intervals.findIndex((one) => !isCurrent(one));
      const high = intervals.findLastIndex((one) => !isCurrent(one)) + 1;
      const cached = [...intervals.slice(0, Math.max(0, low)), ...intervals.slice(high)].flatMap(rowsOf);
      const changed = low < 0 ? [] : intervals.slice(low, high);
      const [first, last] = [changed[0], changed.at(-1)];
      reused += intervals.length - changed.length;
      if (!first || !last) {
        unread.push(render(statement(span, buckets)));
        return cached;
      }
      const part = statement({ from: first.from, to: last.to }, sliceOf(buckets, low, high));
      const computed = await run(Number.isFinite(maxRows) ? sql`${part} limit ${whole(maxRows + 1)}` : part);
      if (cached.length + computed.length > maxRows) {
        cache.set(identity.key, new Map([[TOO_MANY, { version: '', rows: [] }]]));
        return null;
      }
      // others may have added parts meanwhile
      cache.set(identity.key, withParts(cache.get(identity.key), changed, computed));
      return [...cached, ...computed];
    },
  };
}

/** The parts with those of computed intervals. Beyond the limit, the ones that were computed longest ago are dropped. */
function withParts(
  known: ReadonlyMap<string, Part> | undefined,
  computed: readonly Interval[],
  rows: readonly IntervalRow[],
): ReadonlyMap<string, Part> {
  const parts = new Map(known);
  const byStart = new Map(computed.map(({ start }) => [start, [] as IntervalRow[]]));
  for (const row of rows) byStart.get(row.start)?.push(row);
  for (const { name, start, version } of computed) {
    parts.delete(name);
    parts.set(name, { version, rows: byStart.get(start) ?? [] });
  }
  for (const name of parts.keys()) {
    if (parts.size <= MAX_PARTS) break;
    parts.delete(name);
  }
  return parts;
}

/** What a statement is beside its span and intervals. */
interface Identity {
  key: string;
  /** It reads properties of persons or groups, whose changes no day shows. */
  readsProfiles: boolean;
}

const ANY_SPAN: Span = { from: 0, to: 1 };
const ANY_BUCKETS: Buckets = { starts: [0], ends: [1], days: [''], labels: [''] };

/** Null: its rows depend on more than the events of their interval and the newest profiles, or may change by themselves. */
function identityOf(statement: IntervalStatement): Identity | null {
  const example = statement(ANY_SPAN, ANY_BUCKETS);
  if (hasSubqueryOrUserSql(example)) return null;
  const tables = new Set(joinsOf([example]).map(({ table }) => table));
  if (tables.has('sessions')) return null;
  if (example.size > MAX_IDENTITY) return null;
  const { sql: text, params } = render(example);
  const values = Object.values(params);
  if (values.reduce<number>((sum, value) => sum + lengthOf(value), 0) > MAX_IDENTITY) return null;
  const key = createHash('sha256')
    .update(JSON.stringify([text, values]))
    .digest('base64');
  return { key, readsProfiles: tables.has('persons') || tables.has('groups') };
}

/** Characters of a value of a statement, about. */
const lengthOf = (value: unknown): number =>
  Array.isArray(value)
    ? value.reduce<number>((sum, one) => sum + lengthOf(one), 0)
    : typeof value === 'string'
      ? value.length
      : 8;

/** The UTC days that a span touches, in days since 1970. */
function daysWithin({ from, to }: Span): number[] {
  const first = Math.floor(from / DAY);
  return Array.from({ length: Math.max(0, Math.floor((to - 1) / DAY) - first + 1) }, (_, index) => first + index);
}

const sliceOf = ({ starts, ends, days, labels }: Buckets, low: number, high: number): Buckets => ({
  starts: starts.slice(low, high),
  ends: ends.slice(low, high),
  days: days.slice(low, high),
  labels: labels.slice(low, high),
});
