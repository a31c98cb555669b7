import { crc32 } from 'node:zlib';
import { hasNumber, mergedNumbers, sortedNumbers, sortedNumbersText } from '../../kernel/sorted-numbers.js';
import { createTurns } from '../../kernel/turns.js';
import type { EventRow, EventsStore } from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';

const DAY = 86_400_000;
/** The first day that the engine's times can have: 1900-01-01. */
const FIRST_DAY = -25_567;
/** How long rows whose insert failed may still come into the tables, milliseconds. */
const FAILED_MS = 600_000;
/** Lists that nobody has used for so long are dropped, milliseconds. */
const IDLE_MS = 900_000;
/** Numbers of new events that a list takes in together. */
const RECORDED_AT_ONCE = 4_096;
/** Bytes of one of these numbers until then. */
const RECORDED_BYTES = 40;
/** Numbers that are searched in one turn of the event loop. */
const SEARCHED_AT_ONCE = 20_000;

export interface ListLimits {
  /** Bytes of all lists together; no further list is read when more than three quarters of them are used. */
  bytes: number;
  /** Look-ups in the tables of a project, after which its lists are read. A look-up costs as much as reading the lists of ten days. Default: 5. */
  lookups?: number;
}

/** What is read of an event. */
type StoredEvent = Pick<EventRow, 'project_id' | 'timestamp' | 'distinct_id'>;

/** Finds the days on which distinct ids have events, for the only writer of an event store. */
export interface DaysOfIds {
  /** Records events that were inserted, or may have been. Call it before the caller of the insert learns of its end. */
  inserted(events: readonly StoredEvent[]): void;
  /** Records that rows may be stored later than they were inserted, or not at all. */
  failed(rows: readonly { project_id: number }[]): void;
  /**
   * Finds the days, from one on, on which any of these distinct ids has events. Days of another distinct id may be among them, by chance: one
   * of 40,000 for a day of 100,000 distinct ids. Events that are inserted meanwhile may be missing.
   * @throws EventsUnavailable | QueryFailed
   */
  find(projectId: number, ids: readonly string[], from: number): Promise<ReadonlySet<number>>;
}

/** The distinct ids of a day, as CRC-32. */
interface DayList {
  numbers: Uint32Array;
  /** Those of new events, which `numbers` lack. */
  recorded: Set<number>;
}

/** The lists of a project. */
interface Lists {
  /** The distinct ids of all events from this day on are listed; Infinity: of none. */
  from: number;
  /** New events are recorded from this day on, also of days whose list is being read. */
  recordedFrom: number;
  days: Map<number, DayList>;
  /** Look-ups in the tables since lists were read. */
  lookups: number;
  isReading: boolean;
  /** Uptime of their last use. */
  usedAt: number;
}

/**
 * Remembers the distinct ids of each day where they are often searched, so that a search reads no tables. The newest day is read first, each next one
 * in the background; earlier ones than the lists reach are searched in the tables.
 */
export function createDaysOfIds(
  query: EventsStore['query'],
  scheduler: Pick<Scheduler, 'uptime' | 'yield'>,
  { bytes: maxBytes, lookups: maxLookups = 5 }: ListLimits,
): DaysOfIds {
  const projects = new Map<number, Lists>();
  /** The uptime until which a project has no lists: rows of it may come late. */
  const failedUntil = new Map<number, number>();
  let bytes = 0;
  const hasRoom = () => bytes <= (maxBytes * 3) / 4;

  function forget(projectId: number): void {
    const lists = projects.get(projectId);
    projects.delete(projectId);
    for (const day of lists?.days.keys() ?? []) if (lists) drop(lists, day);
  }

  function drop(lists: Lists, day: number): void {
    const list = lists.days.get(day);
    if (list) bytes -= bytesOf(list);
    lists.days.delete(day);
  }

  function forgetIdle(): void {
    const now = scheduler.uptime();
    for (const [id, { usedAt }] of projects) if (now - usedAt > IDLE_MS) forget(id);
  }

  /** The lists of a project; null: rows of it may come late. */
  function use(projectId: number): Lists | null {
    forgetIdle();
    const now = scheduler.uptime();
    if (now < (failedUntil.get(projectId) ?? Number.NEGATIVE_INFINITY)) return null;
    const lists = projects.get(projectId) ?? {
      from: Number.POSITIVE_INFINITY,
      recordedFrom: Number.POSITIVE_INFINITY,
      days: new Map(),
      lookups: 0,
      isReading: false,
      usedAt: now,
    };
    lists.usedAt = now;
    projects.set(projectId, lists);
    return lists;
  }

  function listOf(lists: Lists, day: number): DayList {
    const list = lists.days.get(day) ?? { numbers: new Uint32Array(), recorded: new Set<number>() };
    lists.days.set(day, list);
    return list;
  }

  /** Replaces the numbers of a list by these and those that were recorded. */
  function setNumbers(list: DayList, numbers: Uint32Array): void {
    bytes -= bytesOf(list);
    list.numbers = mergedNumbers(numbers, Uint32Array.from(list.recorded).sort());
    list.recorded.clear();
    bytes += bytesOf(list);
  }

  function record(lists: Lists, { timestamp, distinct_id }: StoredEvent): void {
    const day = Math.floor(timestamp / DAY);
    if (day < lists.recordedFrom) return;
    const number = crc32(distinct_id);
    const list = listOf(lists, day);
    if (list.recorded.has(number) || hasNumber(list.numbers, number)) return;
    list.recorded.add(number);
    bytes += RECORDED_BYTES;
    if (list.recorded.size >= RECORDED_AT_ONCE) setNumbers(list, list.numbers);
    while (bytes > maxBytes && lists.days.size > 0) dropOldest(lists);
  }

  function dropOldest(lists: Lists): void {
    const oldest = Math.min(...lists.days.keys());
    drop(lists, oldest);
    lists.recordedFrom = oldest + 1;
    lists.from = Math.max(lists.from, oldest + 1);
  }

  /** Reads the lists of the days from one on that are not listed yet; nobody waits for it. */
  async function read(projectId: number, lists: Lists, first: number): Promise<void> {
    lists.isReading = true;
    lists.lookups = 0;
    lists.recordedFrom = first;
    let reached = lists.from;
    /** Whether nothing else has changed what is listed, such as a drop of the oldest list. */
    const isCurrent = () => projects.get(projectId) === lists && lists.from === reached && lists.recordedFrom === first;
    try {
      const days = await daysWithEvents(projectId, first, reached);
      for (const day of days) {
        if (!hasRoom()) return;
        const numbers = await numbersOf(projectId, day);
        if (!isCurrent()) return;
        setNumbers(listOf(lists, day), numbers);
        reached = day;
        lists.from = day;
      }
      if (isCurrent()) lists.from = first;
    } catch {
      // later look-ups lead to the next attempt
    } finally {
      lists.isReading = false;
      lists.recordedFrom = lists.from;
      for (const day of lists.days.keys()) if (day < lists.from) drop(lists, day);
    }
  }

  /** The days with events, from one until before another, the newest first. */
  async function daysWithEvents(projectId: number, from: number, until: number): Promise<number[]> {
    const { rows } = await query<{ day: number }>({
      sql: `select distinct toInt32(toDate32(timestamp)) as day from events where ${BETWEEN} order by day desc`,
      params: { project: projectId, ...between(from, until) },
      maxSeconds: 30,
      tenant: projectId,
      workload: 'background',
    });
    return rows.map(({ day }) => day);
  }

  async function numbersOf(projectId: number, day: number): Promise<Uint32Array> {
    const { rows } = await query<{ count: number; ids: string }>({
      sql: `select length(groupUniqArray(CRC32(distinct_id)) as numbers) as count, ${sortedNumbersText('numbers')} as ids
        from events where ${BETWEEN}`,
      params: { project: projectId, ...between(day, day + 1) },
      maxSeconds: 30,
      tenant: projectId,
      workload: 'background',
    });
    const [row] = rows;
    return row ? sortedNumbers(Number(row.count), row.ids) : new Uint32Array();
  }

  async function searchTables(projectId: number, ids: readonly string[], from: number, until: number): Promise<number[]> {
    const { rows } = await query<{ day: number }>({
      sql: `select distinct toInt32(toDate32(timestamp)) as day from events
        where ${BETWEEN} and distinct_hash in (select cityHash64(arrayJoin({ids:Array(String)})))`,
      params: { project: projectId, ids, ...between(from, until) },
      maxSeconds: 10,
      // with one thread it takes a quarter less of the processor
      workload: 'background',
    });
    return rows.map(({ day }) => day);
  }

  async function searchLists(days: readonly (readonly [number, DayList])[], ids: readonly string[]): Promise<number[]> {
    const numbers = ids.map((id) => crc32(id));
    const found: number[] = [];
    const turns = createTurns(scheduler, SEARCHED_AT_ONCE);
    for (const [day, list] of days) {
      if (turns.isOver(numbers.length)) await turns.next();
      if (numbers.some((number) => list.recorded.has(number) || hasNumber(list.numbers, number))) found.push(day);
    }
    return found;
  }

  return {
    inserted: (events) => {
      if (projects.size === 0) return;
      forgetIdle();
      for (const event of events) {
        const lists = projects.get(event.project_id);
        if (lists) record(lists, event);
      }
    },
    failed: (rows) => {
      for (const { project_id } of rows) {
        forget(project_id);
        failedUntil.set(project_id, scheduler.uptime() + FAILED_MS);
      }
    },
    find: async (projectId, ids, from) => {
      const first = Math.max(FIRST_DAY, from);
      const lists = use(projectId);
      const until = lists?.from ?? Number.POSITIVE_INFINITY;
      const listed = [...(lists?.days ?? [])].filter(([day]) => day >= Math.max(first, until));
      const found = new Set(await searchLists(listed, ids));
      if (first >= until) return found;
      for (const day of await searchTables(projectId, ids, first, until)) found.add(day);
      if (lists && ++lists.lookups >= maxLookups && !lists.isReading && first < lists.from && hasRoom()) {
        void read(projectId, lists, first);
      }
      return found;
    },
  };
}

const bytesOf = ({ numbers, recorded }: DayList): number => numbers.byteLength + recorded.size * RECORDED_BYTES;

const BETWEEN = `project_id = {project:Int32} and timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
          and timestamp < fromUnixTimestamp64Milli({until:Int64}, 'UTC')`;

/** The first day after all that the engine's times can have: 2300-01-01. */
const LAST_DAY = 120_530;

const between = (from: number, until: number) => ({ from: from * DAY, until: Math.min(LAST_DAY, until) * DAY });
