import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import type { Page } from '../../http/pagination.js';
import { containsText, isReadable, type Reader, selectPage } from '../../http/select-page.js';
import { isUuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db, DbTransaction } from '../../ports/db.js';

/** A row of the table `cohorts`. */
export interface CohortRow {
  id: number;
  name: string | null;
  description: string;
  /** `{ properties: { type, values } }`; `{}` in static cohorts. */
  filters: JsonObject;
  is_static: boolean;
  deleted: boolean;
  /** Number of people; null: not counted yet. */
  count: number | null;
  version: number;
  is_calculating: boolean;
  last_calculation: Date | null;
  errors_calculating: number;
  created_by: number | null;
  created_at: Date;
}

/** The filter that selects the people in a cohort, for queries. */
export const inCohort = ({ id }: Pick<CohortRow, 'id'>): JsonObject => ({ type: 'cohort', key: 'id', value: id });

// the count of a static cohort is computed on each read: its people can be deleted or merged at any time
const COLUMNS = sql.raw(
  `id, name, description, filters, is_static, deleted,
  case when is_static then (select count(*)::int from cohort_people m where m.cohort_id = cohorts.id) else count end as count, version, is_calculating, last_calculation, errors_calculating, created_by, created_at`,
);

/** Reads a cohort of the project, deleted or not. */
export async function readCohort(db: Db, projectId: number, id: number): Promise<CohortRow | null> {
  const { rows } = await sql<CohortRow>`
    select ${COLUMNS} from cohorts where project_id = ${projectId} and id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Serializes changes of a project's cohorts until the transaction ends, so that two changes cannot form a cycle. */
export async function lockCohorts(tx: DbTransaction, projectId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('cohorts'), ${projectId}::int)`.execute(tx);
}

/** Reads a cohort and locks its row against changes and new references. */
export async function lockCohort(tx: DbTransaction, projectId: number, id: number): Promise<CohortRow | null> {
  const { rows } = await sql<CohortRow>`
    select ${COLUMNS} from cohorts where project_id = ${projectId} and id = ${id} for update`.execute(tx);
  return rows[0] ?? null;
}

/** Filters of a list; undefined: no filter. */
interface CohortFilter {
  search: string | undefined;
  isStatic: boolean | undefined;
}

/** Lists a page of cohorts, newest first, without those that the access rules hide from `reader`. */
export function listCohorts(db: Db, projectId: number, reader: Reader, { search, isStatic }: CohortFilter, page: Page) {
  const where = [sql`project_id = ${projectId} and not deleted`, isReadable('cohorts', reader)];
  if (isStatic !== undefined) where.push(sql`is_static = ${isStatic}`);
  if (search !== undefined) where.push(containsText(search, 'name', 'description'));
  return selectPage<CohortRow>(db, { columns: COLUMNS, from: sql`cohorts`, where, orderBy: sql`created_at desc, id desc` }, page);
}

/** The fields of a new cohort. */
interface NewCohort {
  name: string | null;
  description: string;
  filters: JsonObject;
  is_static: boolean;
  created_by: number;
}

export async function insertCohort(tx: DbTransaction, projectId: number, cohort: NewCohort, now: Date): Promise<number> {
  const { id } = await tx
    .insertInto('cohorts')
    .values({ ...cohort, filters: jsonColumn(cohort.filters), project_id: projectId, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The fields of an update; undefined fields stay. */
interface CohortChange {
  name?: string | null | undefined;
  description?: string | undefined;
  filters?: JsonObject | undefined;
  deleted?: boolean | undefined;
}

/** Updates a cohort. Its version grows, because other people may be in it now. */
export async function updateCohort(
  tx: DbTransaction,
  projectId: number,
  id: number,
  { filters, ...columns }: CohortChange,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('cohorts')
    .set((eb) => ({
      ...columns,
      ...(filters === undefined ? {} : { filters: jsonColumn(filters) }),
      version: eb('version', '+', 1),
      updated_at: now,
    }))
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

/** Stores the number of people, or counts a failure (`count` null). A cohort that changed since it was read is left alone. */
export async function saveCount(
  db: Db,
  projectId: number,
  { id, version }: Pick<CohortRow, 'id' | 'version'>,
  count: number | null,
  now: Date,
): Promise<void> {
  const counted =
    count === null ? sql`errors_calculating = errors_calculating + 1` : sql`count = ${count}, errors_calculating = 0`;
  await sql`
    update cohorts set ${counted}, last_calculation = ${now}
    where project_id = ${projectId} and id = ${id} and version = ${version}`.execute(db);
}

/** People to add to a static cohort. Unknown ids and addresses are ignored. */
export interface NewMembers {
  distinctIds: readonly string[];
  uuids: readonly string[];
  emails: readonly string[];
}

/** People by their distinct ids or UUIDs: a text of the form of a UUID may be either. */
export const membersByIds = (ids: readonly string[]): NewMembers => ({
  distinctIds: [...new Set(ids)],
  uuids: [...new Set(ids)].filter(isUuid),
  emails: [],
});

/** Adds people of the project to a static cohort. */
export async function addMembers(tx: DbTransaction, projectId: number, cohortId: number, members: NewMembers): Promise<void> {
  // the row locks keep people out who are being deleted
  await sql`
    insert into cohort_people (cohort_id, person_id)
    select ${cohortId}::int, id from (
      select id from persons where id in (
        select person_id from person_distinct_ids
        where project_id = ${projectId} and distinct_id = any (${members.distinctIds}::text[])
        union all select id from persons where project_id = ${projectId} and uuid = any (${members.uuids}::uuid[])
        ${
          // reads all people of the project, so it runs only if there are addresses
          members.emails.length === 0
            ? sql``
            : sql`union all select id from persons where project_id = ${projectId}
                and properties ->> 'email' = any (${members.emails}::text[])`
        }
      ) order by id for key share
    ) known
    on conflict do nothing`.execute(tx);
}

/** Adds the people of another static cohort of the project. */
export async function copyMembers(tx: DbTransaction, projectId: number, cohortId: number, from: number): Promise<void> {
  // the row locks keep people out who are being deleted
  await sql`
    insert into cohort_people (cohort_id, person_id)
    select ${cohortId}::int, id from (
      select id from persons
      where project_id = ${projectId} and id in (select person_id from cohort_people where cohort_id = ${from})
      order by id for key share
    ) members`.execute(tx);
}

/** Removes a person from a cohort; false: the person was not in it. */
export async function removeMember(tx: DbTransaction, projectId: number, cohortId: number, uuid: string): Promise<boolean> {
  const { rows } = await sql`
    delete from cohort_people where cohort_id = ${cohortId}
      and person_id = (select id from persons where project_id = ${projectId} and uuid = ${uuid})
    returning 1`.execute(tx);
  return rows.length > 0;
}

/** Lists UUIDs of the people in a cohort, newest first; one more than `limit` shows that there is another page. */
export async function listMembers(db: Db, projectId: number, cohortId: number, { limit, offset }: Page): Promise<string[]> {
  const { rows } = await sql<{ uuid: string }>`
    select p.uuid from cohort_people m join persons p on p.id = m.person_id
    where m.cohort_id = ${cohortId} and p.project_id = ${projectId}
    order by p.created_at desc, p.id desc limit ${limit + 1} offset ${offset}`.execute(db);
  return rows.map(({ uuid }) => uuid);
}
