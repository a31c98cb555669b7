import { type Cache, type Caches, ENTRY_BYTES } from '../../caches/index.js';
import { hasNumber, sortedNumbers, sortedNumbersText } from '../../kernel/sorted-numbers.js';
import type { EventsStore } from '../../ports/events.js';
import type { RecentUuids } from './recent-uuids.js';
import { daysOf, type StoredKey } from './stored-store.js';

/** Bytes of what is remembered: 80 days of 100,000 events, or 80,000 days without any. */
const MAX_BYTES = 32 * 1024 * 1024;

interface Limits {
  /** Events of a day that are looked up before its list is read. */
  lookups: number;
  /** Events of a day beyond which there is no list. */
  listed: number;
}

/**
 * The lookups of a hundred events, ten at a time, cost the engine as much as a list of two million: 150 ms. That one takes a quarter of the memory, and
 * blocks the event loop for 25 ms.
 */
const LIMITS: Limits = { lookups: 100, listed: 2_000_000 };

/** What is known of a day of a project. */
interface StoredDay {
  /** It holds as long as the recent uuids remember everything from this generation on. */
  generation: number;
  /**
   * The ends of the uuids that are stored on the day (see {@link endOf}), in ascending order. `some`: there are events, whose list was not
   * read, or not lately. `many`: too many for a list.
   */
  ends: Uint32Array | 'some' | 'many';
  /** Events that were looked up while there was no list. */
  lookups: number;
}

/**
 * The uuids that the event store has on days of projects: the last 32 bits of each, which rarely agree by chance. What this process has stored since is
 * among the recent uuids, so an event that is neither there nor in the lists of its days is not stored: nobody has to look it up. A day without any
 * event has an empty list, as most days of an import. Only for a store that no other process writes to.
 *
 *     unknown ──> empty list ────────────────────────────────────────> unknown
 *        │                                                                ^
 *        └──────> some ── after many lookups, in the background ──> list ─┘ when the recent uuids may lack what was stored since
 */
export class StoredDays {
  /** By project and day. */
  readonly #days: Cache<number, StoredDay>;
  #isListing = false;

  constructor(
    private readonly events: Pick<EventsStore, 'query'>,
    private readonly recent: RecentUuids,
    caches: Caches,
    private readonly limits = LIMITS,
  ) {
    const bytesOf = ({ ends }: StoredDay) => ENTRY_BYTES + (typeof ends === 'string' ? 0 : ends.byteLength);
    this.#days = caches.create({ name: 'stored_days', max: { bytes: MAX_BYTES, bytesOf } });
  }

  /**
   * The events that may be stored already, of some that are not among the recent uuids.
   * @throws EventsUnavailable the event store does not answer
   */
  async notIn<T>(all: readonly T[], keyOf: (one: T) => Pick<StoredKey, 'projectId' | 'timestamp' | 'uuid'>): Promise<T[]> {
    const located = all.map((one) => {
      const { projectId, timestamp, uuid } = keyOf(one);
      return { one, end: endOf(uuid), days: daysOf(timestamp).map((day) => ({ key: dayKey(projectId, day), projectId, day })) };
    });
    const days = new Map(located.flatMap((one) => one.days.map((day) => [day.key, day] as const)));
    let known = this.#knownOf(days.keys());
    const unknown = new Map<number, number[]>();
    for (const { key, projectId, day } of days.values()) {
      if (known.get(key)) continue;
      const ofProject = unknown.get(projectId) ?? [];
      ofProject.push(day);
      unknown.set(projectId, ofProject);
    }
    for (const [projectId, ofProject] of unknown) await this.#read(projectId, ofProject);
    // what was known before may not hold any more
    if (unknown.size > 0) known = this.#knownOf(days.keys());
    return located
      .filter((one) => one.days.map((day) => this.#mayHave(day, known.get(day.key), one.end)).includes(true))
      .map(({ one }) => one);
  }

  /** What is known of days now, by their keys. */
  #knownOf(keys: Iterable<number>): ReadonlyMap<number, StoredDay | undefined> {
    return new Map(Array.from(keys, (key) => [key, this.#known(key)]));
  }

  #known(key: number): StoredDay | undefined {
    const known = this.#days.get(key);
    return known?.ends === 'some' || (known && this.recent.remembersFrom(known.generation)) ? known : undefined;
  }

  #mayHave({ projectId, day }: { projectId: number; day: number }, known: StoredDay | undefined, end: number): boolean {
    if (!known || known.ends === 'many') return true;
    if (known.ends !== 'some') return hasNumber(known.ends, end);
    known.lookups++;
    if (known.lookups >= this.limits.lookups && !this.#isListing) void this.#list(projectId, day, known);
    return true;
  }

  /**
   * The generation from which on the recent uuids must remember everything, so that they complete what a statement returns that begins now. An event that
   * it does not see because it is being stored, or is in the log alone, may belong to the generation before: it was reserved there.
   */
  #generation(): number {
    return this.recent.generation - 1;
  }

  /** Reads which of the days have events. */
  async #read(projectId: number, days: readonly number[]): Promise<void> {
    const generation = this.#generation();
    const { rows } = await this.events.query<{ day: number }>({
      sql: `select distinct toUInt16(toDate(timestamp)) as day from events
        where project_id = {project:UInt32} and toDate(timestamp) in (select toDate(arrayJoin({days:Array(UInt16)})))`,
      params: { project: projectId, days },
      maxSeconds: 10,
      // as for a lookup: what is in the log alone is among the recent uuids
      allowStale: true,
    });
    const used = new Set(rows.map(({ day }) => day));
    for (const day of days) {
      this.#days.set(dayKey(projectId, day), { generation, ends: used.has(day) ? 'some' : NONE, lookups: 0 });
    }
  }

  /** Reads the list of a day; nobody waits for it. After a failure the events of the day are looked up as before. */
  async #list(projectId: number, day: number, known: StoredDay): Promise<void> {
    this.#isListing = true;
    const generation = this.#generation();
    try {
      const { rows } = await this.events.query<{ stored: number; ends: string }>({
        sql: `select count() as stored, ${sortedNumbersText('groupArray(end)')} as ends
          from (
            select toUInt32(bitAnd(toUInt128(uuid), 4294967295)) as end from events
            where project_id = {project:UInt32} and toDate(timestamp) = toDate({day:UInt16}) limit {limit:UInt32} + 1
          )
          having stored <= {limit:UInt32}`,
        params: { project: projectId, day, limit: this.limits.listed },
        maxSeconds: 30,
        tenant: projectId,
        workload: 'background',
      });
      const [row] = rows;
      this.#days.set(dayKey(projectId, day), {
        generation,
        ends: row ? sortedNumbers(row.stored, row.ends) : 'many',
        lookups: 0,
      });
    } catch {
      known.lookups = 0;
    } finally {
      this.#isListing = false;
    }
  }
}

const NONE = new Uint32Array();

/** Days are below 65,536. */
const dayKey = (projectId: number, day: number): number => projectId * 65_536 + day;

/** The last 32 bits of a dashed UUID: those of its random part, in the versions that clients use. */
const endOf = (uuid: string): number => Number.parseInt(uuid.slice(-8), 16);
