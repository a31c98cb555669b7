import { sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import type { Db, DbTransaction } from '../../ports/db.js';

/** Who shall be in a list: by distinct id, by uuid or by e-mail address. Who is unknown is left out. */
export interface Wanted {
  distinctIds: readonly string[];
  uuids: readonly string[];
  emails: readonly string[];
}

/** Puts people of the project into a cohort; who is in it already stays. */
export async function addMembers(tx: DbTransaction, projectId: number, cohortId: number, wanted: Wanted): Promise<void> {
  // held, so that nobody who is deleted at this moment gets in
  await sql`
    insert into cohort_people (cohort_id, person_id)
    select ${cohortId}::int, id from (
      select id from persons where id in (
        select person_id from person_distinct_ids
        where project_id = ${projectId} and distinct_id = any (${wanted.distinctIds}::text[])
        union all select id from persons where project_id = ${projectId} and uuid = any (${wanted.uuids}::uuid[])
        ${
          // by a condition on all of the project's people, so only where it is asked for
          wanted.emails.length === 0
            ? sql``
            : sql`union all select id from persons where project_id = ${projectId}
                and properties ->> 'email' = any (${wanted.emails}::text[])`
        }
      ) order by id for key share
    ) known
    on conflict do nothing`.execute(tx);
}

/** Takes somebody out of a cohort; resolves to false when they are not in it. */
export async function removeMember(tx: DbTransaction, projectId: number, cohortId: number, uuid: string): Promise<boolean> {
  const { rows } = await sql`
    delete from cohort_people where cohort_id = ${cohortId}
      and person_id = (select id from persons where project_id = ${projectId} and uuid = ${uuid})
    returning 1`.execute(tx);
  return rows.length > 0;
}

/** Uuids of the people in a cohort, newest first; one more than the page has when there are more. */
export async function listMembers(db: Db, projectId: number, cohortId: number, { limit, offset }: Page): Promise<string[]> {
  const { rows } = await sql<{ uuid: string }>`
    select p.uuid from cohort_people m join persons p on p.id = m.person_id
    where m.cohort_id = ${cohortId} and p.project_id = ${projectId}
    order by p.created_at desc, p.id desc limit ${limit + 1} offset ${offset}`.execute(db);
  return rows.map(({ uuid }) => uuid);
}
