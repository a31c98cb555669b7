import type { Survey } from '@tidemark/wire';
import { sql } from 'kysely';
import type { JsonObject } from '../kernel/json.js';
import type { Db } from '../ports/db.js';

/** A fingerprint of all rows of the definitions: it changes with each of them, and with nothing else. null: the project was deleted. */
export async function definitionsFingerprint(db: Db, projectId: number): Promise<string | null> {
  // a row's xmin is the transaction that wrote it last
  const { rows } = await sql<{ mark: string | null }>`
    select concat_ws('|', p.xmin,
      (select md5(string_agg(concat(id, ':', xmin), ',' order by id)) from feature_flags where project_id = p.id),
      (select md5(string_agg(concat(id, ':', xmin), ',' order by id)) from cohorts where project_id = p.id),
      (select md5(string_agg(concat(group_type_index, ':', xmin), ',' order by group_type_index)) from group_types where project_id = p.id),
      (select md5(string_agg(concat(id, ':', xmin), ',' order by id)) from early_access_features where project_id = p.id),
      (select md5(string_agg(concat(id, ':', xmin), ',' order by id)) from experiments where project_id = p.id),
      (select md5(string_agg(concat(id, ':', xmin), ',' order by id)) from surveys where project_id = p.id)
    ) as mark
    from projects p where p.id = ${projectId}`.execute(db);
  return rows[0]?.mark ?? null;
}

/** A flag as evaluation needs it. */
export interface FlagRow {
  id: number;
  key: string;
  name: string;
  filters: unknown;
  active: boolean;
  version: number;
  ensure_experience_continuity: boolean;
  bucketing_identifier: 'distinct_id' | 'device_id';
  evaluation_runtime: 'all' | 'client' | 'server';
  evaluation_contexts: string[];
  is_remote_configuration: boolean;
  has_encrypted_payloads: boolean;
  /** Whether a running experiment uses it. */
  has_experiment: boolean;
}

export interface CohortRow {
  id: number;
  name: string | null;
  filters: unknown;
  is_static: boolean;
}

export interface GroupTypeRow {
  group_type_index: number;
  group_type: string;
}

export interface EarlyAccessRow {
  id: string;
  name: string;
  description: string;
  stage: string;
  documentation_url: string;
  payload: unknown;
  flag_key: string | null;
}

/** A survey as clients need it. */
export interface SurveyRow {
  uuid: string;
  name: string;
  description: string;
  type: Survey['type'];
  questions: Survey['questions'];
  conditions: Survey['conditions'];
  appearance: Survey['appearance'];
  translations: NonNullable<Survey['translations']> | null;
  start_date: Date;
  end_date: Date | null;
  linked_flag_key: string | null;
  targeting_flag_key: string | null;
  schedule: Survey['schedule'];
  iteration_count: number | null;
  iteration_frequency_days: number | null;
  enable_partial_responses: boolean;
}

/** All rows of a project's definitions, in order of creation. */
export async function loadDefinitionRows(db: Db, projectId: number) {
  const [{ rows: flags }, { rows: cohorts }, { rows: groupTypes }, { rows: earlyAccess }, { rows: surveys }, { rows: projects }] =
    await Promise.all([
      sql<FlagRow>`
      select id, key, name, filters, active, version, ensure_experience_continuity, bucketing_identifier, evaluation_runtime,
        evaluation_contexts, is_remote_configuration, has_encrypted_payloads,
        exists (
          select from experiments e
          where e.feature_flag_id = f.id and not e.deleted and e.start_date is not null and e.end_date is null
        ) as has_experiment
      from feature_flags f where project_id = ${projectId} and not deleted order by id`.execute(db),
      sql<CohortRow>`
      select id, name, filters, is_static from cohorts where project_id = ${projectId} and not deleted order by id`.execute(db),
      sql<GroupTypeRow>`
      select group_type_index, group_type from group_types where project_id = ${projectId} order by group_type_index`.execute(db),
      sql<EarlyAccessRow>`
      select e.id, e.name, e.description, e.stage, e.documentation_url, e.payload, f.key as flag_key
      from early_access_features e left join feature_flags f on f.id = e.feature_flag_id and not f.deleted
      where e.project_id = ${projectId} order by e.created_at, e.id`.execute(db),
      // a flag that is deleted is on for nobody, so its survey is for nobody
      sql<SurveyRow>`
      select s.uuid, s.name, s.description, s.type, s.questions, s.conditions, s.appearance, s.translations, s.start_date, s.end_date,
        s.schedule, s.iteration_count, s.iteration_frequency_days, s.enable_partial_responses, l.key as linked_flag_key, t.key as targeting_flag_key
      from surveys s left join feature_flags l on l.id = s.linked_flag_id left join feature_flags t on t.id = s.targeting_flag_id
      where s.project_id = ${projectId} and not s.archived and s.start_date is not null order by s.created_at, s.id`.execute(db),
      sql<{ timezone: string; settings: JsonObject }>`select timezone, settings from projects where id = ${projectId}`.execute(
        db,
      ),
    ]);
  return { flags, cohorts, groupTypes, earlyAccess, surveys, project: projects[0] ?? { timezone: 'UTC', settings: {} } };
}

/** A person as flags see them. */
export interface PersonRow {
  id: number;
  properties: JsonObject;
  /** Hash keys by flag key: the ids that bucket the person. */
  hash_keys: Record<string, string>;
  /** Ids of static cohorts with this person. */
  cohorts: number[];
}

export async function findPerson(db: Db, projectId: number, distinctId: string): Promise<PersonRow | null> {
  const { rows } = await sql<PersonRow>`
    select p.id, p.properties,
      coalesce((select json_object_agg(h.flag_key, h.hash_key) from feature_flag_hash_keys h
        where h.project_id = ${projectId} and h.person_id = p.id), '{}') as hash_keys,
      coalesce((select json_agg(c.cohort_id) from cohort_people c where c.person_id = p.id), '[]') as cohorts
    from person_distinct_ids d join persons p on p.id = d.person_id
    where d.project_id = ${projectId} and d.distinct_id = ${distinctId}`.execute(db);
  return rows[0] ?? null;
}

export interface GroupRow {
  group_type_index: number;
  group_key: string;
  properties: JsonObject;
}

/** Groups by parallel arrays of type index and key. */
export async function findGroups(db: Db, projectId: number, indexes: number[], keys: string[]): Promise<GroupRow[]> {
  const { rows } = await sql<GroupRow>`
    select g.group_type_index, g.group_key, g.group_properties as properties
    from unnest(${indexes}::int[], ${keys}::text[]) as w (type_index, key)
    join groups g on g.project_id = ${projectId} and g.group_type_index = w.type_index and g.group_key = w.key`.execute(db);
  return rows;
}

/** An anonymous id as the hash key of flags, for the person of both ids. */
export interface HashKey {
  projectId: number;
  distinctId: string;
  anonDistinctId: string;
  flagKeys: readonly string[];
}

/**
 * Inserts hash keys for the persons of each pair of ids, in one statement; existing hash keys stay.
 * @returns the positions of the pairs whose person exists
 */
export async function insertHashKeys(db: Db, keys: readonly HashKey[]): Promise<Set<number>> {
  const { rows } = await sql<{ place: number }>`
    with wanted as (
      select * from unnest(
        ${keys.map(({ projectId }) => projectId)}::int[],
        ${keys.map(({ distinctId }) => distinctId)}::text[],
        ${keys.map(({ anonDistinctId }) => anonDistinctId)}::text[],
        ${keys.map(({ flagKeys }) => JSON.stringify(flagKeys))}::text[]
      ) with ordinality as w (project_id, distinct_id, anon_distinct_id, flag_keys, place)
    ), person as (
      select distinct w.place, d.project_id, d.person_id, w.anon_distinct_id, w.flag_keys
      from wanted w cross join lateral unnest(array[w.distinct_id, w.anon_distinct_id]) as i (id)
      join person_distinct_ids d on d.project_id = w.project_id and d.distinct_id = i.id
    ), kept as (
      insert into feature_flag_hash_keys (project_id, person_id, flag_key, hash_key)
      select project_id, person_id, flag_key, anon_distinct_id
      from person, jsonb_array_elements_text(flag_keys::jsonb) as f (flag_key)
      order by person_id, flag_key, place
      on conflict do nothing
    )
    select distinct place::int - 1 as place from person`.execute(db);
  return new Set(rows.map(({ place }) => place));
}

/** Sets the last call of flags, by id, unless it is later than `unlessAfter`. */
export async function recordFlagCalls(db: Db, ids: number[], now: Date, unlessAfter: Date): Promise<void> {
  await sql`
    update feature_flags set last_called_at = ${now}
    where id = any(${ids}::int[]) and (last_called_at is null or last_called_at < ${unlessAfter})`.execute(db);
}

/** {@link recordFlagCalls}, by project and key. */
export async function recordFlagCallsByKey(
  db: Db,
  projectIds: number[],
  keys: string[],
  now: Date,
  unlessAfter: Date,
): Promise<void> {
  await sql`
    update feature_flags f set last_called_at = ${now}
    from unnest(${projectIds}::int[], ${keys}::text[]) as w (project_id, key)
    where f.project_id = w.project_id and f.key = w.key and not f.deleted
      and (f.last_called_at is null or f.last_called_at < ${unlessAfter})`.execute(db);
}
