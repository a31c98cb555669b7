import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';
import type { EventsStore } from '../../ports/events.js';

/** All distinct ids of a person, in the order in which they came. */
export async function allDistinctIds(db: Db, projectId: number, personId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('person_distinct_ids')
    .select('distinct_id')
    .where('project_id', '=', projectId)
    .where('person_id', '=', personId)
    .orderBy('created_at')
    .orderBy('distinct_id')
    .execute();
  return rows.map(({ distinct_id }) => distinct_id);
}

/** UUIDs of the persons with these numbers, UUIDs or distinct ids. */
export async function findUuids(
  db: Db,
  projectId: number,
  { numbers, uuids, distinctIds }: { numbers: readonly number[]; uuids: readonly string[]; distinctIds: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ uuid: string }>`
    select uuid from persons where project_id = ${projectId} and (id = any(${numbers}::bigint[]) or uuid = any(${uuids}::uuid[]) or id in (
      select person_id from person_distinct_ids where project_id = ${projectId} and distinct_id = any(${distinctIds}::text[])
    )) order by id`.execute(db);
  return rows.map(({ uuid }) => uuid);
}

/** The static cohorts that a person is in. */
export const cohortsOf = (db: Db, projectId: number, personId: number) =>
  db
    .selectFrom('cohort_people as m')
    .innerJoin('cohorts as c', 'c.id', 'm.cohort_id')
    .select(['c.id', 'c.name'])
    .where('c.project_id', '=', projectId)
    .where('m.person_id', '=', personId)
    .orderBy('c.id')
    .execute();

/** The ids with which values of flags are computed for a person. */
export const hashKeysOf = (db: Db, projectId: number, personId: number) =>
  db
    .selectFrom('feature_flag_hash_keys')
    .select(['flag_key', 'hash_key'])
    .where('project_id', '=', projectId)
    .where('person_id', '=', personId)
    .orderBy('flag_key')
    .execute();

/** An event as an export has it. */
interface ExportedEvent {
  uuid: string;
  event: string;
  distinct_id: string;
  /** Epoch milliseconds. */
  at: number;
  /** JSON. */
  properties: string;
  elements_chain: string;
  groups: string[];
}

/** Events of one statement. */
const PAGE = 5_000;

/** All events of distinct ids, oldest first, in pages. */
export async function* eventsOf(
  events: EventsStore,
  projectId: number,
  distinctIds: readonly string[],
): AsyncGenerator<readonly ExportedEvent[]> {
  for (let last = { at: -9e15, uuid: '00000000-0000-0000-0000-000000000000' }; ; ) {
    const { rows } = await events.query<ExportedEvent>({
      sql: `select toString(uuid) as uuid, event, distinct_id, toUnixTimestamp64Milli(timestamp) as at, toJSONString(properties) as properties,
          elements_chain, [group_0, group_1, group_2, group_3, group_4] as groups
        from events final
        where project_id = {project:UInt32} and distinct_hash in (select cityHash64(arrayJoin({ids:Array(String)})))
          and (at, uuid) > ({at:Int64}, {uuid:String})
        order by at, uuid limit ${PAGE}`,
      params: { project: projectId, ids: distinctIds, ...last },
      tenant: projectId,
      workload: 'export',
    });
    yield rows;
    const end = rows.at(-1);
    if (!end || rows.length < PAGE) return;
    last = { at: end.at, uuid: end.uuid };
  }
}
