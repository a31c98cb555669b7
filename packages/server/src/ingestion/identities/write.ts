import type { DbTransaction } from '../../ports/db.js';
import type { PersonOverrideRow, PersonRow } from '../../ports/events.js';
import { NO_PROPERTIES } from './apply-properties.js';
import { Conflict } from './conflict.js';
import type { Folded } from './fold.js';
import { noteRows } from './note-rows.js';
import { personUuid } from './person-uuid.js';
import { type PersonState, survivor } from './picture.js';
import * as store from './store.js';

/** What was written: rows for the event store, and who has which properties now. */
export interface Written {
  persons: PersonRow[];
  overrides: PersonOverrideRow[];
  outboxIds: number[];
  states: { id: number; version: number; person: PersonState }[];
}

/** The stored persons that the changes rest on: they must still be as they were read. */
export function touchedIds({ updated, merged, attached }: Folded): number[] {
  const persons = [...updated, ...merged, ...attached.map(({ person }) => person)];
  return [...new Set(persons.flatMap(({ stored }) => (stored ? [stored.id] : [])))];
}

/**
 * Writes what a batch changed, with at most seven statements whatever its size.
 * @throws Conflict a person is not as it was read
 */
export async function write(trx: DbTransaction, folded: Folded, now: number): Promise<Written> {
  const { created, updated, merged, attached } = folded;
  await holdTouched(trx, folded);
  // counted from the time, so that somebody deleted and made anew gets versions above the former ones
  const first = now * 1000;
  const ids = new Map<PersonState, number>();
  for (const person of updated) if (person.stored) ids.set(person, person.stored.id);
  for (const { person } of attached) if (person.stored) ids.set(person, person.stored.id);
  if (created.length > 0) {
    const inserted = await store.insertPersons(
      trx,
      now,
      created.map((person) => ({ ...values(person), project_id: person.projectId, uuid: person.uuid, version: first })),
    );
    for (const [i, person] of created.entries()) ids.set(person, inserted[i] ?? 0);
  }
  const idOf = (person: PersonState): number => ids.get(person) ?? 0;
  const versionOf = (person: PersonState): number => (person.stored ? person.stored.version + 1 : first);
  if (attached.length > 0) {
    const rows = attached.map(({ projectId, distinctId, person }) => ({ projectId, distinctId, personId: idOf(person) }));
    await store.insertDistinctIds(trx, now, first, rows);
  }
  if (updated.length > 0) {
    const rows = updated.map((person) => ({ ...values(person), id: idOf(person), version: versionOf(person) }));
    await store.updatePersons(trx, now, rows);
  }
  const moved = await mergeStored(trx, merged, idOf);

  const changed = [...created, ...updated];
  const persons = [
    ...changed.map((person) => personRow(person, versionOf(person), false)),
    ...merged.map((person) => personRow(person, versionOf(person), true)),
  ];
  const fresh = attached.map(({ projectId, distinctId, person }) => ({
    projectId,
    distinctId,
    uuid: person.uuid,
    version: first,
  }));
  const overrides = [...fresh.filter((row) => personUuid(row.projectId, row.distinctId) !== row.uuid), ...moved].map(
    (row): PersonOverrideRow => ({
      project_id: row.projectId,
      distinct_id: row.distinctId,
      person_id: row.uuid,
      version: row.version,
    }),
  );
  const outboxIds = await noteRows(trx, persons, overrides);
  const states = changed.map((person) => ({ id: idOf(person), version: versionOf(person), person }));
  return { persons, overrides, outboxIds, states };
}

async function holdTouched(trx: DbTransaction, folded: Folded): Promise<void> {
  const ids = touchedIds(folded);
  if (ids.length === 0) return;
  const held = await store.lockPersons(trx, ids);
  // a distinct id leaves its person only when the person is deleted, so whose the ids are needs no look of its own
  for (const { stored } of [...folded.updated, ...folded.merged, ...folded.attached.map(({ person }) => person)]) {
    if (stored && held.get(stored.id) !== stored.version) throw new Conflict();
  }
}

/** Moves the distinct ids of merged persons to those they became part of, and deletes the merged. */
async function mergeStored(trx: DbTransaction, merged: readonly PersonState[], idOf: (person: PersonState) => number) {
  const sources = merged.flatMap((person) => (person.stored ? [person.stored.id] : []));
  if (sources.length === 0) return [];
  const targets = merged.map(survivor);
  const moved = await store.moveDistinctIds(trx, sources, targets.map(idOf));
  await store.deletePersons(trx, sources);
  const uuids = new Map(targets.map((person) => [idOf(person), person.uuid]));
  return moved.map((row) => ({
    projectId: row.project_id,
    distinctId: row.distinct_id,
    uuid: uuids.get(row.person_id) ?? '',
    version: row.version,
  }));
}

const values = (person: PersonState) => ({
  properties: propertiesOf(person),
  is_identified: person.isIdentified,
  created_at: person.createdAt,
});

const propertiesOf = (person: PersonState) => (person.properties ?? NO_PROPERTIES).values;

const personRow = (person: PersonState, version: number, isDeleted: boolean): PersonRow => ({
  project_id: person.projectId,
  person_id: person.uuid,
  properties: isDeleted ? {} : propertiesOf(person),
  is_identified: person.isIdentified,
  is_deleted: isDeleted,
  created_at: person.createdAt,
  version,
});
