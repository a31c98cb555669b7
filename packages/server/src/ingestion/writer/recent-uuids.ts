import { UuidSet, type UuidState } from './uuid-set.js';

/**
 * The uuids of recently stored events and of those in flight. {@link coveredSince} is its coverage watermark: an event created after it and
 * not in the set is not stored.
 *
 *     stored:          ... | older generation | younger generation |
 *                          ^ coveredSince                          ^ now
 *
 * When the younger generation is full, it becomes the older one, the former older one is dropped, and the watermark moves ahead.
 */
export class RecentUuids {
  #older = new UuidSet();
  #younger = new UuidSet();
  #olderSince: number;
  #youngerSince: number;
  /** Number of the younger generation. */
  #generation = 0;

  /** `since`: initial watermark, epoch milliseconds. `capacity`: pairs per generation. */
  constructor(
    since: number,
    private readonly capacity: number,
  ) {
    this.#olderSince = since;
    this.#youngerSince = since;
  }

  /** The coverage watermark, epoch milliseconds. */
  get coveredSince(): number {
    return this.#olderSince;
  }

  /** Number of the generation that events are added to now. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether every event that was stored since some moment of a generation is in the set. */
  remembersFrom(generation: number): boolean {
    return generation >= this.#generation - 1;
  }

  /** Reserves a uuid that is neither stored nor reserved. Returns its state before. */
  reserve(project: number, uuid: string, now: number): UuidState {
    const older = this.#older.state(project, uuid);
    if (older !== 'absent') return older;
    if (this.#younger.size >= this.capacity && this.#younger.state(project, uuid) === 'absent') {
      this.#older = this.#younger;
      this.#olderSince = this.#youngerSince;
      this.#younger = new UuidSet();
      this.#youngerSince = now;
      this.#generation++;
    }
    return this.#younger.reserve(project, uuid);
  }

  /** Ends a reservation: the event is stored, or its uuid may be reserved again. */
  settle(project: number, uuid: string, isStored: boolean): void {
    if (this.#younger.settle(project, uuid, isStored) || this.#older.settle(project, uuid, isStored)) return;
    if (isStored) this.#younger.add(project, uuid);
  }

  /** Adds rows that the event store holds since `since`, and moves the watermark back to it. */
  load(rows: readonly { project_id: number; uuid: string }[], since: number): void {
    for (const row of rows) this.#older.add(row.project_id, row.uuid);
    this.#olderSince = since;
  }

  /** Moves the watermark to `now`: absence of earlier events proves nothing any more. Known uuids stay. */
  resetCoverage(now: number): void {
    this.#olderSince = now;
    this.#youngerSince = now;
    this.#generation += 2;
  }
}
