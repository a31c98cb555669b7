import { sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import { isUuid } from '../../kernel/ids.js';
import type { Db, DbTransaction } from '../../ports/db.js';

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
