import type { EventsStore } from '../../ports/events.js';
import type { RecentUuids } from './recent-uuids.js';
import { daysOf, type StoredKey } from './stored-store.js';

/** Days whose state is remembered. */
const MAX_DAYS = 100_000;

/**
 * Days of projects in which the event store had no event. What this process has stored there since is among the recent uuids, so an event of such a
 * day that is not among them is not stored: nobody has to look it up. That is most events of an import. Only for a store that no other process writes
 * to.
 */
export class EmptyDays {
  /** By project and day: the generation of the recent uuids in which the day was empty; null: it has events. */
  readonly #days = new Map<number, number | null>();

  constructor(
    private readonly events: EventsStore,
    private readonly recent: RecentUuids,
  ) {}

  /**
   * The events that may be stored already, of some that are not among the recent uuids.
   * @throws EventsUnavailable the event store does not answer
   */
  async notIn<T>(all: readonly T[], keyOf: (one: T) => Pick<StoredKey, 'projectId' | 'timestamp'>): Promise<T[]> {
    const located = all.map((one) => {
      const { projectId, timestamp } = keyOf(one);
      return { one, projectId, days: daysOf(timestamp) };
    });
    const unknown = new Map<number, Set<number>>();
    for (const { projectId, days } of located) {
      for (const day of days) {
        if (this.#isKnown(projectId, day)) continue;
        const ofProject = unknown.get(projectId) ?? new Set();
        unknown.set(projectId, ofProject.add(day));
      }
    }
    for (const [projectId, days] of unknown) await this.#read(projectId, [...days]);
    return located.filter(({ projectId, days }) => !days.every((day) => this.#isEmpty(projectId, day))).map(({ one }) => one);
  }

  #isKnown(projectId: number, day: number): boolean {
    return this.#days.get(keyOf(projectId, day)) === null || this.#isEmpty(projectId, day);
  }

  #isEmpty(projectId: number, day: number): boolean {
    const generation = this.#days.get(keyOf(projectId, day));
    return typeof generation === 'number' && this.recent.remembersFrom(generation);
  }

  async #read(projectId: number, days: readonly number[]): Promise<void> {
    // events that are stored while the statement runs belong to this generation or a later one
    const { generation } = this.recent;
    const { rows } = await this.events.query<{ day: number }>({
      sql: `select distinct toUInt16(toDate(timestamp)) as day from events
        where project_id = {project:UInt32} and toDate(timestamp) in (select toDate(arrayJoin({days:Array(UInt16)})))`,
      params: { project: projectId, days },
      maxSeconds: 10,
      // as for a lookup: what is in the log alone is among the recent uuids
      allowStale: true,
    });
    const used = new Set(rows.map(({ day }) => day));
    if (this.#days.size + days.length > MAX_DAYS) this.#days.clear();
    for (const day of days) this.#days.set(keyOf(projectId, day), used.has(day) ? null : generation);
  }
}

/** Days are below 65,536. */
const keyOf = (projectId: number, day: number): number => projectId * 65_536 + day;
