import { isForeignKeyViolation, sqlState } from '../../kernel/sql.js';
import type { DbTransaction } from '../../ports/db.js';
import type { PersonOverrideToInsert, PersonRow, PersonToInsert } from '../../ports/events.js';
import { NO_PROPERTIES } from './apply-properties.js';
import { personUuid } from './person-task.js';
import type { ReducedBatch } from './reduce.js';
import * as store from './store.js';
import { type PersonState, survivor } from './unit-of-work.js';

/** Result of a write: rows for the event store, and the new state of each person (for the cache). */
export interface WriteResult {
  persons: PersonRow[];
  overrides: PersonOverrideToInsert[];
  outboxIds: number[];
  states: { id: number; version: number; person: PersonState }[];
}

/** Ids of the stored persons that the changes depend on: their versions must not have changed since the read. */
export function touchedIds({ updated, merged, linked }: ReducedBatch): number[] {
  const persons = [...updated, ...merged, ...linked.map(({ person }) => person)];
  return [...new Set(persons.flatMap(({ stored }) => (stored ? [stored.id] : [])))];
}

/**
 * Writes the changes of a batch with at most seven statements, and one more for each 2 MiB of properties.
 * @throws OptimisticLockError the version of a person has changed since the read
 */
export async function write(writing: store.Writing, batch: ReducedBatch, now: number): Promise<WriteResult> {
  const { trx } = writing;
  const { created, updated, merged, linked } = batch;
  await lockTouched(trx, batch);
  // derived from the time, so that a person that was deleted and created again gets versions above the former ones
  const first = now * 1000;
  const ids = new Map<PersonState, number>();
  for (const person of updated) if (person.stored) ids.set(person, person.stored.id);
  for (const { person } of linked) if (person.stored) ids.set(person, person.stored.id);
  if (created.length > 0) {
    const inserted = await store.insertPersons(
      writing,
      now,
      created.map((person) => ({ ...values(person), project_id: person.projectId, uuid: person.uuid, version: first })),
    );
    for (const [i, person] of created.entries()) ids.set(person, inserted[i] ?? 0);
  }
  const idOf = (person: PersonState): number => ids.get(person) ?? 0;
  const versionOf = (person: PersonState): number => (person.stored ? person.stored.version + 1 : first);
  if (linked.length > 0) {
    const rows = linked.map(({ projectId, distinctId, person }) => ({ projectId, distinctId, personId: idOf(person) }));
    await store.insertDistinctIds(trx, now, first, rows);
  }
  if (updated.length > 0) {
    const rows = updated.map((person) => ({ ...values(person), id: idOf(person), version: versionOf(person) }));
    await store.updatePersons(writing, now, rows);
  }
  const moved = await mergeStored(trx, merged, idOf);

  const changed = [...created, ...updated];
  const firstIds = new Map(created.map((person) => [person, [] as string[]]));
  for (const { person, distinctId } of linked) firstIds.get(person)?.push(distinctId);
  const persons: PersonToInsert[] = [
    ...created.map((person) => ({
      ...personRow(person, versionOf(person), false),
      first_distinct_ids: firstIds.get(person) ?? [],
    })),
    ...updated.map((person) => personRow(person, versionOf(person), false)),
    ...merged.map((person) => personRow(person, versionOf(person), true)),
  ];
  const fresh = linked.map(({ projectId, distinctId, person }) => ({
    projectId,
    distinctId,
    uuid: person.uuid,
    version: first,
    // its events until now are those of somebody without a profile
    former: [personUuid(projectId, distinctId)],
  }));
  const overrides = [...fresh.filter(({ former, uuid }) => !former.includes(uuid)), ...moved].map(
    (row): PersonOverrideToInsert => ({
      project_id: row.projectId,
      distinct_id: row.distinctId,
      person_id: row.uuid,
      version: row.version,
      former_person_ids: row.former,
    }),
  );
  const outboxIds = await store.insertOutboxEntries(trx, persons, overrides);
  const states = changed.map((person) => ({ id: idOf(person), version: versionOf(person), person }));
  return { persons, overrides, outboxIds, states };
}

async function lockTouched(trx: DbTransaction, batch: ReducedBatch): Promise<void> {
  const ids = touchedIds(batch);
  if (ids.length === 0) return;
  const locked = await store.lockPersons(trx, ids);
  // a distinct id leaves its person only when the person is deleted, so the links need no check of their own
  for (const { stored } of [...batch.updated, ...batch.merged, ...batch.linked.map(({ person }) => person)]) {
    if (stored && locked.get(stored.id) !== stored.version) throw new OptimisticLockError();
  }
}

/** Moves the distinct ids of merged persons to their survivors and deletes the merged persons. */
async function mergeStored(trx: DbTransaction, merged: readonly PersonState[], idOf: (person: PersonState) => number) {
  const sources = merged.flatMap((person) => (person.stored ? [person.stored.id] : []));
  if (sources.length === 0) return [];
  const targets = merged.map(survivor);
  const moved = await store.moveDistinctIds(trx, sources, targets.map(idOf));
  await store.deletePersons(trx, sources);
  const uuids = new Map(targets.map((person) => [idOf(person), person.uuid]));
  /** By the person into whom they were merged. */
  const formerOf = new Map<number, string[]>();
  for (const [index, person] of merged.entries()) {
    const target = targets[index];
    if (target) formerOf.set(idOf(target), [...(formerOf.get(idOf(target)) ?? []), person.uuid]);
  }
  return moved.map((row) => ({
    projectId: row.project_id,
    distinctId: row.distinct_id,
    uuid: uuids.get(row.person_id) ?? '',
    version: row.version,
    former: formerOf.get(row.person_id) ?? [],
  }));
}

const values = (person: PersonState) => ({
  properties: propertiesOf(person),
  is_identified: person.isIdentified,
  created_at: person.createdAt,
});

const propertiesOf = (person: PersonState) => (person.properties ?? NO_PROPERTIES).values;

const personRow = (person: PersonState, version: number, isDeleted: boolean): PersonToInsert => ({
  project_id: person.projectId,
  person_id: person.uuid,
  properties: isDeleted ? {} : propertiesOf(person),
  is_identified: person.isIdentified,
  is_deleted: isDeleted,
  created_at: person.createdAt,
  previous_created_at: person.stored?.createdAt ?? null,
  version,
});

/** Another transaction changed a person between the read and the write of this batch; a retry reads the new state. */
export class OptimisticLockError extends Error {
  override name = 'Conflict';
}

/** serialization_failure, deadlock_detected, unique_violation, foreign_key_violation. */
const CONFLICT_STATES = new Set(['40001', '40P01', '23505', '23503']);

export const isWriteConflict = (error: unknown): boolean =>
  error instanceof OptimisticLockError || CONFLICT_STATES.has(sqlState(error));

/** The project of a row was deleted: no other foreign key of these rows can fail. */
export const isMissingReference = isForeignKeyViolation;
