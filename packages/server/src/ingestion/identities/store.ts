import { sql } from 'kysely';
import type { JsonObject } from '../../kernel/json.js';
import { jsonLists } from '../../kernel/json-lists.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import type { PersonOverrideRow, PersonRow } from '../../ports/events.js';
import type { Scheduler } from '../../ports/system.js';
import { personUuid } from './person-task.js';

/*
 * Every statement takes a whole batch, which may span projects: each row carries its project id.
 */

export interface FoundPerson {
  /** Position of the requested distinct id, from 1. */
  n: number;
  id: number;
  project_id: number;
  uuid: string;
  version: number;
  is_identified: boolean;
  /** Epoch milliseconds, UTC. */
  created_at: number;
}

const CREATED_AT = sql`(extract(epoch from p.created_at) * 1000)::float8 as created_at`;

/** The persons of the distinct ids, without their properties. */
export async function findPersons(db: Db, projectIds: number[], distinctIds: string[]): Promise<FoundPerson[]> {
  const { rows } = await sql<FoundPerson>`
    select w.n::int as n, p.id, p.project_id, p.uuid, p.version, p.is_identified, ${CREATED_AT}
    from unnest(${projectIds}::int[], ${distinctIds}::text[]) with ordinality as w (project_id, distinct_id, n)
    join person_distinct_ids d on d.project_id = w.project_id and d.distinct_id = w.distinct_id
    join persons p on p.id = d.person_id`.execute(db);
  return rows;
}

export interface LoadedPerson extends Omit<FoundPerson, 'n'> {
  /** JSON text. */
  properties: string;
}

export async function loadPersonRows(db: Db, ids: number[]): Promise<LoadedPerson[]> {
  const { rows } = await sql<LoadedPerson>`
    select p.id, p.project_id, p.uuid, p.version, p.is_identified, ${CREATED_AT}, p.properties::text as properties
    from persons p where p.id = any(${ids}::bigint[])`.execute(db);
  return rows;
}

/** Locks the persons until the transaction ends, in the order of their ids. Returns id → version of those that exist. */
export async function lockPersons(trx: DbTransaction, ids: number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; version: number }>`
    select id, version from persons where id = any(${ids}::bigint[]) order by id for update`.execute(trx);
  return new Map(rows.map((row) => [row.id, row.version]));
}

/** What a write of many rows uses. */
export interface Writing {
  trx: DbTransaction;
  scheduler: Pick<Scheduler, 'yield'>;
}

export interface PersonValues {
  project_id: number;
  uuid: string;
  properties: JsonObject;
  is_identified: boolean;
  version: number;
  /** Epoch milliseconds, UTC. */
  created_at: number;
}

/** Inserts persons and returns their ids in the same order. */
export async function insertPersons(
  { trx, scheduler }: Writing,
  now: number,
  persons: readonly PersonValues[],
): Promise<number[]> {
  const ids = new Map<string, number>();
  // in one order over all statements, so that two servers that insert the same persons do not deadlock
  const sorted = [...persons].sort((a, b) => a.project_id - b.project_id || (a.uuid < b.uuid ? -1 : 1));
  for await (const list of jsonLists(sorted, JSON.stringify, scheduler)) {
    const { rows } = await sql<{ id: number; project_id: number; uuid: string }>`
      insert into persons (project_id, uuid, properties, is_identified, version, created_at, updated_at)
      select project_id, uuid, properties, is_identified, version, to_timestamp(created_at / 1000), ${time(now)}
      from json_to_recordset(${list}::json) as v (project_id int, uuid uuid, properties jsonb,
        is_identified boolean, version bigint, created_at float8)
      order by project_id, uuid
      returning id, project_id, uuid`.execute(trx);
    for (const row of rows) ids.set(`${row.project_id}:${row.uuid}`, row.id);
  }
  return persons.map((p) => ids.get(`${p.project_id}:${p.uuid}`) ?? 0);
}

export type PersonUpdate = Omit<PersonValues, 'project_id' | 'uuid'> & { id: number };

/** Changes persons, whose rows must be locked. */
export async function updatePersons({ trx, scheduler }: Writing, now: number, persons: readonly PersonUpdate[]): Promise<void> {
  for await (const list of jsonLists(persons, JSON.stringify, scheduler)) {
    await sql`
      update persons p
      set properties = v.properties, is_identified = v.is_identified, version = v.version,
        created_at = to_timestamp(v.created_at / 1000), updated_at = ${time(now)}
      from json_to_recordset(${list}::json) as v (id bigint, properties jsonb,
        is_identified boolean, version bigint, created_at float8)
      where p.id = v.id`.execute(trx);
  }
}

export interface DistinctIdValues {
  projectId: number;
  distinctId: string;
  personId: number;
}

export async function insertDistinctIds(
  trx: DbTransaction,
  now: number,
  version: number,
  rows: readonly DistinctIdValues[],
): Promise<void> {
  await sql`
    insert into person_distinct_ids (project_id, distinct_id, person_id, version, created_at)
    select project_id, distinct_id, person_id, ${version}::bigint, ${time(now)}
    from unnest(${rows.map((r) => r.projectId)}::int[], ${rows.map((r) => r.distinctId)}::text[],
      ${rows.map((r) => r.personId)}::bigint[]) as v (project_id, distinct_id, person_id)
    order by project_id, distinct_id`.execute(trx);
}

export interface MovedDistinctId {
  project_id: number;
  distinct_id: string;
  version: number;
  /** The person it belongs to after the move. */
  person_id: number;
}

/**
 * Moves all distinct ids of the sources to the targets, including ids linked since the sources were read. Memberships of static cohorts and
 * hash keys of flags move too, where the target has none.
 */
export async function moveDistinctIds(trx: DbTransaction, sources: number[], targets: number[]): Promise<MovedDistinctId[]> {
  const { rows } = await sql<MovedDistinctId>`
    with m as (select * from unnest(${sources}::bigint[], ${targets}::bigint[]) as m (source, target)),
    listed as (
      insert into cohort_people (cohort_id, person_id)
      select c.cohort_id, m.target from cohort_people c join m on m.source = c.person_id
      order by c.cohort_id, m.target on conflict do nothing
    ),
    shares as (
      insert into feature_flag_hash_keys (project_id, person_id, flag_key, hash_key)
      select h.project_id, m.target, h.flag_key, h.hash_key from feature_flag_hash_keys h join m on m.source = h.person_id
      order by m.target, h.flag_key on conflict do nothing
    )
    update person_distinct_ids d set person_id = m.target, version = d.version + 1
    from m where d.person_id = m.source
    returning d.project_id, d.distinct_id, d.version, d.person_id`.execute(trx);
  return rows;
}

/** All distinct ids of a person. */
export async function distinctIdsOf(trx: DbTransaction, projectId: number, personId: number) {
  return trx
    .selectFrom('person_distinct_ids')
    .select(['distinct_id', 'version'])
    .where('project_id', '=', projectId)
    .where('person_id', '=', personId)
    .execute();
}

export async function deletePersons(trx: DbTransaction, ids: number[]): Promise<void> {
  await sql`delete from persons where id = any(${ids}::bigint[])`.execute(trx);
}

/** Maximal distinct_ids per purge row; usually few, but unbounded in principle. */
const IDS_PER_PURGE = 1_000;

/** Queues the deletion of what the event store has of a deleted person, for the purge job. `withEvents`: their events, too. */
export async function insertPurges(
  trx: DbTransaction,
  projectId: number,
  { uuid, distinctIds, withEvents }: { uuid: string; distinctIds: readonly string[]; withEvents: boolean },
  now: Date,
): Promise<void> {
  for (let at = 0; at === 0 || at < distinctIds.length; at += IDS_PER_PURGE) {
    const distinct_ids = distinctIds.slice(at, at + IDS_PER_PURGE);
    // a person who was merged into another one had the UUID of one of their distinct ids
    const person_ids = [...new Set([uuid, ...distinct_ids.map((id) => personUuid(projectId, id))])];
    await trx
      .insertInto('person_purges')
      .values({ project_id: projectId, distinct_ids, person_ids, with_events: withEvents, created_at: now })
      .execute();
  }
}

interface OutboxValues {
  kind: 'person' | 'distinct_id';
  projectId: number;
  key: string;
  version: number;
}

/**
 * Inserts an outbox entry for each row, in the transaction that changes it, so that a crash cannot lose the copy to the event store.
 * @returns the ids of the entries
 */
export async function insertOutboxEntries(
  trx: DbTransaction,
  persons: readonly PersonRow[],
  overrides: readonly PersonOverrideRow[],
): Promise<number[]> {
  const entries: OutboxValues[] = [
    ...persons.map((row) => ({ kind: 'person' as const, projectId: row.project_id, key: row.person_id, version: row.version })),
    ...overrides.map((row) => ({
      kind: 'distinct_id' as const,
      projectId: row.project_id,
      key: row.distinct_id,
      version: row.version,
    })),
  ];
  if (entries.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    insert into analytics_outbox (kind, project_id, key, version)
    select * from unnest(${entries.map((e) => e.kind)}::text[], ${entries.map((e) => e.projectId)}::int[],
      ${entries.map((e) => e.key)}::text[], ${entries.map((e) => e.version)}::bigint[])
    returning id`.execute(trx);
  return rows.map((row) => row.id);
}

/** Which of the projects still exist. */
export async function existingProjects(db: Db, ids: number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`select id from projects where id = any(${ids}::int[])`.execute(db);
  return new Set(rows.map((row) => row.id));
}

const time = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`;
