import { UuidSet } from './uuid-set.js';

/**
 * Which events were stored lately. It *vouches* for the time since {@link since}: what was stored after that is in it.
 * Two generations: when the younger is full, the older is forgotten.
 */
export class RecentUuids {
  #older = new UuidSet();
  #younger = new UuidSet();
  #olderSince: number;
  #youngerSince: number;

  /** `since`: nothing is known of before; epoch milliseconds. `capacity`: pairs per generation. */
  constructor(
    since: number,
    private readonly capacity: number,
  ) {
    this.#olderSince = since;
    this.#youngerSince = since;
  }

  /** Epoch milliseconds. */
  get since(): number {
    return this.#olderSince;
  }

  has(project: number, uuid: string): boolean {
    return this.#younger.has(project, uuid) || this.#older.has(project, uuid);
  }

  add(project: number, uuid: string, now: number): void {
    if (this.#younger.size >= this.capacity) {
      this.#older = this.#younger;
      this.#olderSince = this.#youngerSince;
      this.#younger = new UuidSet();
      this.#youngerSince = now;
    }
    this.#younger.add(project, uuid);
  }

  /** Takes in what the store says was stored since `since`. */
  learn(rows: readonly { project_id: number; uuid: string }[], since: number): void {
    for (const row of rows) this.#older.add(row.project_id, row.uuid);
    this.#olderSince = since;
  }

  /** What was stored before `now` is no longer vouched for (it is still known). */
  doubt(now: number): void {
    this.#olderSince = now;
    this.#youngerSince = now;
  }
}
