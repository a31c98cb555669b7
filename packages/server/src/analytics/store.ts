import { sql } from 'kysely';
import type { Db } from '../ports/db.js';

/** A cohort as it is stored. */
interface StoredCohort {
  id: number;
  name: string | null;
  is_static: boolean;
  filters: unknown;
}

/** Reads the cohorts of a project that exist among `ids`. */
export async function readCohorts(db: Db, projectId: number, ids: readonly number[]): Promise<StoredCohort[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredCohort>`
    select id, name, is_static, filters from cohorts
    where project_id = ${projectId} and not deleted and id = any (${ids}::int[])`.execute(db);
  return rows;
}

/** The uuids of the members of a static cohort. */
export async function readMembers(db: Db, projectId: number, cohortId: number): Promise<string[]> {
  const { rows } = await sql<{ people: string[] | null }>`
    select array_agg(p.uuid::text) as people from cohort_people c join persons p on p.id = c.person_id
    where c.cohort_id = ${cohortId} and p.project_id = ${projectId}`.execute(db);
  return rows[0]?.people ?? [];
}

/** Maximum number of distinct ids per person in a result. */
const MAX_DISTINCT_IDS = 100;

/** The distinct ids of persons, the oldest first, by the persons' uuids. */
export async function readDistinctIds(db: Db, projectId: number, persons: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ uuid: string; ids: string[] }>`
    select p.uuid::text as uuid, array(
      select d.distinct_id from person_distinct_ids d where d.person_id = p.id order by d.created_at, d.distinct_id limit ${MAX_DISTINCT_IDS}
    ) as ids
    from persons p where p.project_id = ${projectId} and p.uuid = any (${persons}::uuid[])`.execute(db);
  return new Map(rows.map(({ uuid, ids }) => [uuid, ids]));
}

/** The time zone in which a project's days begin. */
export async function readTimezone(db: Db, projectId: number): Promise<string> {
  const { timezone } = await db.selectFrom('projects').select('timezone').where('id', '=', projectId).executeTakeFirstOrThrow();
  return timezone;
}

/** The settings of a project that its queries depend on. */
export interface QuerySettings {
  /** On which day weeks begin: 0 Sunday, 1 Monday. */
  weekStart: 0 | 1;
  /** Filters against events of tests, as stored. */
  testAccountFilters: unknown;
  /** How old results may be, seconds; null: as the service is configured. */
  staleness: number | null;
}

export async function readQuerySettings(db: Db, projectId: number): Promise<QuerySettings> {
  const { rows } = await sql<{ week: string | null; tests: unknown; staleness: number | null }>`
    select settings ->> 'week_start_day' as week, settings -> 'test_account_filters' as tests,
      (settings ->> 'query_staleness_seconds')::int as staleness
    from projects where id = ${projectId}`.execute(db);
  const { week = null, tests = [], staleness = null } = rows[0] ?? {};
  return { weekStart: week === '1' ? 1 : 0, testAccountFilters: tests ?? [], staleness };
}

/** An action as it is stored. */
interface StoredAction {
  id: number;
  name: string | null;
  steps: unknown;
}

/** Reads the actions of a project that exist among `ids`. */
export async function readActions(db: Db, projectId: number, ids: readonly number[]): Promise<StoredAction[]> {
  // larger numbers do not fit int4, and no row has them
  const possible = ids.filter((id) => Math.abs(id) < 2 ** 31);
  if (possible.length === 0) return [];
  const { rows } = await sql<StoredAction>`
    select id, name, steps from actions
    where project_id = ${projectId} and not deleted and id = any (${possible}::int[]) order by id`.execute(db);
  return rows;
}

/** The defaults of the variables of a project that exist among these code names. */
export async function readVariableDefaults(
  db: Db,
  projectId: number,
  codeNames: readonly string[],
): Promise<Map<string, string | number | boolean | null>> {
  const { rows } = await sql<{ code_name: string; default_value: string | number | boolean | null }>`
    select code_name, default_value from insight_variables
    where project_id = ${projectId} and code_name = any (${codeNames}::text[])`.execute(db);
  return new Map(rows.map(({ code_name, default_value }) => [code_name, default_value]));
}
