import { UuidSet, type UuidState } from './uuid-set.js';

/**
 * Which events were stored lately, and which are on their way. It *vouches* for the time since {@link since}: what came after that and
 * was stored is in it.
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

  /** Claims what is neither stored nor claimed; answers with what it was. */
  claim(project: number, uuid: string, now: number): UuidState {
    const older = this.#older.state(project, uuid);
    if (older !== 'absent') return older;
    if (this.#younger.size >= this.capacity && this.#younger.state(project, uuid) === 'absent') {
      this.#older = this.#younger;
      this.#olderSince = this.#youngerSince;
      this.#younger = new UuidSet();
      this.#youngerSince = now;
    }
    return this.#younger.claim(project, uuid);
  }

  /** What was claimed is stored, or it is not and may be claimed again. */
  settle(project: number, uuid: string, isStored: boolean): void {
    if (this.#younger.settle(project, uuid, isStored) || this.#older.settle(project, uuid, isStored)) return;
    if (isStored) this.#younger.add(project, uuid);
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
