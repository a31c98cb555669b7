import type { Deps } from '../../deps.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { loadPersons } from './load-persons.js';
import { type NormalizedTask, normalizeTask, type PersonBatch, type PersonTask } from './person-task.js';
import { type ReducedBatch, reduceTasks } from './reduce.js';
import { existingProjects, lockPersons } from './store.js';
import { isMissingReference, isWriteConflict, OptimisticLockError, touchedIds, type WriteResult, write } from './write.js';

/** Attempts before a batch fails. Each failed attempt means that a concurrent batch succeeded, or that more persons must be locked. */
const MAX_TRIES = 20;

const NO_WRITES: WriteResult = { persons: [], overrides: [], outboxIds: [], states: [] };

/**
 * Identity resolution of a batch: finds the person of each event and writes the changes of persons in one transaction, or in none if nothing
 * changes.
 *
 * Several servers may resolve events of the same persons concurrently. The first attempt is optimistic; every further one is pessimistic, so
 * that it cannot fail for the same reason again:
 *
 *     load snapshot (no locks) -> reduce -> lock, compare versions -> write -> commit
 *                                                |
 *                                                | a version changed, or a unique or foreign key violation
 *                                                v
 *     begin -> lock contended persons -> load snapshot -> reduce -> write -> commit
 *                   ^                                                 |
 *                   +---- again, with newly contended persons --------+
 *
 * @throws the database's error when the database is unavailable
 */
export async function resolvePersons(
  {
    db,
    clock,
    scheduler,
    services,
  }: Pick<Deps, 'db' | 'clock' | 'scheduler'> & { services: Pick<Deps['services'], 'personProperties'> },
  tasks: readonly PersonTask[],
): Promise<PersonBatch> {
  const { personProperties: cache } = services;
  const readAt = scheduler.uptime();
  let normalized = tasks.map(normalizeTask);
  const contended = new Set<number>();
  const decide = async (source: Db): Promise<ReducedBatch> => {
    const batch = await reduceTasks(await loadPersons({ db: source, scheduler }, cache, normalized), normalized, scheduler);
    for (const id of touchedIds(batch)) contended.add(id);
    return batch;
  };
  for (let tries = 1; ; tries++) {
    try {
      const early = tries === 1 ? await decide(db) : null;
      if (early && isUnchanged(early)) return batchOf(early, NO_WRITES, readAt);
      const { batch, written } = await transaction(db, async (trx) => {
        const locked = early ? null : await lockPersons(trx, [...contended]);
        const batch = early ?? (await decide(trx));
        // All rows must be locked by one ordered statement: two statements could deadlock with another server.
        if (locked && touchedIds(batch).some((id) => !locked.has(id))) throw new OptimisticLockError();
        return { batch, written: await write({ trx, scheduler }, batch, clock.now()) };
      });
      for (const { id, version, person } of written.states) {
        if (person.properties) cache.put(id, version, person.properties);
      }
      return batchOf(batch, written, readAt);
    } catch (error) {
      if (tries >= MAX_TRIES || !isWriteConflict(error)) throw error;
      if (isMissingReference(error)) normalized = await withoutDeletedProjects(db, normalized);
    }
  }
}

/** Each statement must see earlier commits of other servers, whatever the database's default isolation level is. */
const transaction = <T>(db: Db, run: (trx: DbTransaction) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('read committed').execute(run);

const isUnchanged = ({ created, updated, merged, linked }: ReducedBatch): boolean =>
  created.length + updated.length + merged.length + linked.length === 0;

const batchOf = (
  { resolved, warnings }: ReducedBatch,
  { persons, overrides, outboxIds }: WriteResult,
  readAt: number,
): PersonBatch => ({
  resolved,
  persons,
  overrides,
  warnings,
  outboxIds,
  readAt,
});

/** Turns tasks of deleted projects into tasks that change no person: the events are still stored, persons cannot be. */
async function withoutDeletedProjects(db: Db, tasks: readonly NormalizedTask[]): Promise<NormalizedTask[]> {
  const living = await existingProjects(db, [...new Set(tasks.map(({ task }) => task.projectId))]);
  return tasks.map((one) => (living.has(one.task.projectId) ? one : normalizeTask({ ...one.task, processProfile: false })));
}
