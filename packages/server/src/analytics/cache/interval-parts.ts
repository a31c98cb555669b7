import type { Cache, Caches } from '../../caches/index.js';
import type { DataVersion, DayVersions, Workload } from '../../ports/events.js';
import type { Buckets, Span } from '../buckets.js';
import { type Fragment, type Rendered, render, sql, whole } from '../sql/fragment.js';
import { type Identity, identityOf } from './identity.js';
import { createPaces, type Paces } from './paces.js';
import type { PersonRows, RunStatement } from './person-rows.js';
import { createTurns, type Turns } from './turns.js';

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
  /** For each interval the time from which on events matter to it, where that is before its start. */
  since?: readonly number[];
  /** Its rows depend on who came to be in it, too. */
  readsBirths?: boolean;
  /** With more rows than this for all intervals together, the caller computes the result in another way. Default: any number. */
  maxRows?: number;
}

/** Writes a statement whose rows each depend on the events of one interval, for a span and its intervals. */
export type IntervalStatement = (span: Span, buckets: Buckets) => Fragment;

/** Statements with the same rows as another one. */
export interface OtherForms {
  /** For when the other one has no rows. */
  otherwise?: Fragment;
  /** A form with a select by person, whose rows may be cached. */
  byPerson?: Fragment;
}

/** The rows of the intervals of a statement that were computed before. */
export interface IntervalParts {
  /**
   * The rows of a statement for all intervals. Only the intervals whose data have changed are computed, from the first to the last of
   * them; the others come from the cache.
   * @param run runs the statement in the engine
   * @returns null: there are more than `maxRows`, or the statement has no intervals of its own
   */
  rows<Row extends IntervalRow>(question: IntervalQuestion, run: RunRows<Row>): Promise<Row[] | null>;
  /**
   * The rows of a statement that depend on the events of a span alone: from the cache, if the span is over and they have not changed.
   * @param forms other forms of the statement; after one without rows, the next time its other form is the only one
   */
  rowsOfSpan<Row extends object>(statement: Fragment, span: Span, run: RunRows<Row>, forms?: OtherForms): Promise<Row[]>;
  /** What came from the cache so far. */
  reused(): ReusedIntervals;
}

/** Intervals that came from the cache. */
export interface ReusedIntervals {
  count: number;
  /** Rows by person of persons whose events have not changed came from the cache. */
  isByPerson: boolean;
  /** Statements of which nothing had to be read: they give the rows of all their intervals. */
  statements: readonly Rendered[];
}

type RunRows<Row> = (statement: Fragment) => Promise<Row[]>;

/** The rows of one interval. */
interface Part {
  /** Version of the data from before the rows were computed. */
  version: string;
  rows: readonly object[];
  bytes: number;
}

/** The parts of each statement, by its text without span and intervals; in it by the start of their interval and what of it is in the span. */
export interface PartsCache {
  parts: Cache<string, ReadonlyMap<string, Part>>;
  paces: Paces;
  /** Tiles of a dashboard may need the same intervals at once: the second waits, and finds those that the first has read. */
  turns: Turns;
}

const DAY = 86_400_000;
/** Statements about more intervals are computed as a whole. */
const MAX_INTERVALS = 1_000;
/** Parts of one statement, those of several ranges together. */
const MAX_PARTS = 2 * MAX_INTERVALS;
const MAX_BYTES = 32 * 1024 * 1024;
/** Longer spans are read each time, because comparing their days takes long. */
const MAX_SPAN = 1_000 * DAY;
/** Bytes of the rows of a span that are cached. */
const MAX_SPAN_BYTES = 1024 * 1024;
/** Marks a statement with more rows than its caller takes, instead of its parts. */
const TOO_MANY = 'too many';
/** Marks a statement without rows, of which there is another form. */
const NO_ROWS = 'no rows';
/** The name of the only part of a statement about a whole span. */
const WHOLE_SPAN = 'whole';
const PART_BYTES = 200;
const ROW_BYTES = 100;

export const createPartsCache = (caches: Caches): PartsCache => ({
  parts: caches.create({
    name: 'query_parts',
    max: {
      bytes: MAX_BYTES,
      bytesOf: (parts) => [...parts.values()].reduce((sum, { bytes }) => sum + PART_BYTES + bytes, 0),
    },
  }),
  paces: createPaces(caches),
  turns: createTurns(),
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

/** The data of a project that queries read. */
interface ProjectData {
  projectId: number;
  version: DataVersion;
  /** When the version was read, epoch milliseconds. */
  now: number;
  /** Who waits for the rows: nobody at a screen waits for a slower read of another workload. */
  workload: Workload;
  /** Cached rows by person, and what runs the statements that read them. Absent: there are none. */
  persons?: { rows: PersonRows; run: RunStatement } | null;
}

/** The parts of the queries of a project over data of a version. */
export function createIntervalParts(
  { parts: cache, paces, turns }: PartsCache,
  { projectId, version, now, workload, persons }: ProjectData,
): IntervalParts {
  let days: Promise<DayVersions> | undefined;
  let births: Promise<DayVersions> | undefined;
  let reused = 0;
  let isByPerson = false;
  const unread: Rendered[] = [];

  /** The version of what rows depend on: the events of some days, who came to be on days, and all profiles. */
  async function versionsFor({ readsProfiles }: Identity, readsBirths: boolean): Promise<(events: Span, born: Span) => string> {
    days ??= version.days();
    if (readsBirths) births ??= version.births();
    const [{ day }, birth] = [await days, readsBirths ? await births : undefined];
    const profiles = readsProfiles ? version.profiles : '';
    const born = (span: Span) => (birth ? daysWithin(span).map(birth.day).join() : '');
    return (events, own) => `${profiles} ${daysWithin(events).map(day).join()} ${born(own)}`;
  }

  /** The rows of intervals: of those that are current in the cache, and of the others by statements. Null: there are more than `maxRows`. */
  async function currentRows<Row extends IntervalRow>(
    key: string,
    intervals: readonly Interval[],
    { statement, span, buckets, readsBirths = false, maxRows = Number.POSITIVE_INFINITY }: IntervalQuestion,
    run: RunRows<Row>,
  ): Promise<Row[] | null> {
    const known = cache.get(key) ?? new Map<string, Part>();
    if (known.has(TOO_MANY)) return null;
    // the rows of a statement have the columns of that statement
    const rowsOf = ({ name }: Interval) => (known.get(name)?.rows ?? []) as readonly Row[];
    const isCurrent = ({ name, version: wanted }: Interval) => known.get(name)?.version === wanted;
    const low = intervals.findIndex((one) => !isCurrent(one));
    const high = intervals.findLastIndex((one) => !isCurrent(one)) + 1;
    const cached = [...intervals.slice(0, Math.max(0, low)), ...intervals.slice(high)].flatMap(rowsOf);
    const changed = low < 0 ? [] : intervals.slice(low, high);
    if (changed.length === 0) {
      unread.push(render(statement(span, buckets)));
      reused += intervals.length;
      return cached;
    }
    reused += intervals.length - changed.length;
    const rows = [...cached];
    // the newest first; many at a time, unless that takes long
    for (let end = high; end > low; ) {
      const [newest] = intervals.slice(end - 1, end);
      if (newest && isCurrent(newest)) {
        rows.push(...rowsOf(newest));
        reused += 1;
        end -= 1;
        continue;
      }
      const chunk = changed.slice(0, end - low);
      // who came to be when is read as a whole each time
      const begin = readsBirths ? low : end - paces.next(key, projectId, chunk, now);
      const computed = await readChunk(intervals.slice(begin, end), sliceOf(buckets, begin, end));
      if (rows.length + computed.length > maxRows) {
        cache.set(key, new Map([[TOO_MANY, { version: '', rows: [], bytes: 0 }]]));
        return null;
      }
      // others may have added parts meanwhile
      cache.set(key, withParts(cache.get(key), intervals.slice(begin, end), computed));
      rows.push(...computed);
      end = begin;
    }
    return rows;

    async function readChunk(chunk: readonly Interval[], its: Buckets): Promise<Row[]> {
      const within = { from: chunk[0]?.from ?? span.from, to: chunk.at(-1)?.to ?? span.to };
      const part = statement(within, its);
      const begun = performance.now();
      const computed = await run(Number.isFinite(maxRows) ? sql`${part} limit ${whole(maxRows + 1)}` : part);
      paces.took(key, projectId, within, performance.now() - begun, now);
      return computed;
    }
  }

  async function rowsOfSpan<Row extends object>(
    statement: Fragment,
    span: Span,
    run: RunRows<Row>,
    byPerson = statement,
  ): Promise<Row[]> {
    // a range that is not over changes with nearly every event: the versions of its days would cost more than they save
    const identity = span.to > now || span.to - span.from > MAX_SPAN ? null : identityOf(statement);
    if (identity === null) return rowsByPerson(statement, byPerson, run);
    const wanted = (await versionsFor(identity, false))(span, span);
    const known = cache.get(identity.key)?.get(WHOLE_SPAN);
    if (known?.version === wanted) {
      reused += 1;
      unread.push(render(statement));
      // the rows of a statement have the columns of that statement
      return known.rows as Row[];
    }
    const rows = await run(statement);
    const bytes = JSON.stringify(rows).length * 2;
    if (bytes <= MAX_SPAN_BYTES) cache.set(identity.key, new Map([[WHOLE_SPAN, { version: wanted, rows, bytes }]]));
    return rows;
  }

  async function rowsByPerson<Row extends object>(statement: Fragment, byPerson: Fragment, run: RunRows<Row>): Promise<Row[]> {
    if (!persons) return run(statement);
    let isWhole = false;
    const rows = await persons.rows.rowsOf(byPerson, { projectId, workload, run: persons.run }, () => {
      isWhole = true;
      return run(statement);
    });
    if (isWhole) return rows;
    unread.push(render(statement));
    isByPerson = true;
    return rows;
  }

  return {
    reused: () => ({ count: reused, isByPerson, statements: unread }),
    rows: async <Row extends IntervalRow>(question: IntervalQuestion, run: RunRows<Row>) => {
      const { statement, span, buckets, since = [], readsBirths = false } = question;
      const identity = identityOf(statement(ANY_SPAN, ANY_BUCKETS));
      if (identity === null || buckets.starts.length > MAX_INTERVALS) return null;
      const versionOf = await versionsFor(identity, readsBirths);
      const intervals = buckets.starts.map((start, index): Interval => {
        const from = Math.max(start, span.from);
        const to = Math.min(buckets.ends[index] ?? span.to, span.to);
        return {
          start,
          from,
          to,
          name: `${start} ${from} ${to}`,
          version: versionOf({ from: Math.min(from, since[index] ?? from), to }, { from: start, to }),
        };
      });
      const known = cache.get(identity.key);
      const isCached = known !== undefined && intervals.every((one) => known.get(one.name)?.version === one.version);
      const end = isCached ? null : await turns.take(`${workload} ${identity.key}`);
      try {
        return await currentRows(identity.key, intervals, question, run);
      } finally {
        end?.();
      }
    },
    rowsOfSpan: async <Row extends object>(
      statement: Fragment,
      span: Span,
      run: RunRows<Row>,
      { otherwise, byPerson }: OtherForms = {},
    ) => {
      if (!otherwise) return rowsOfSpan(statement, span, run, byPerson);
      const key = identityOf(statement)?.key ?? null;
      const rows = key !== null && cache.get(key)?.has(NO_ROWS) ? [] : await rowsOfSpan(statement, span, run, byPerson);
      if (rows.length > 0) return rows;
      if (key !== null) cache.set(key, new Map([[NO_ROWS, { version: '', rows: [], bytes: 0 }]]));
      return rowsOfSpan(otherwise, span, run);
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
    const own = byStart.get(start) ?? [];
    parts.set(name, { version, rows: own, bytes: own.length * ROW_BYTES });
  }
  for (const name of parts.keys()) {
    if (parts.size <= MAX_PARTS) break;
    parts.delete(name);
  }
  return parts;
}

const ANY_SPAN: Span = { from: 0, to: 1 };
const ANY_BUCKETS: Buckets = { starts: [0], ends: [1], days: [''], labels: [''] };

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
