import { sql } from 'kysely';
import type { Db } from '../ports/db.js';

/** Rows of one statement. Small statements let requests run between them. */
const AT_ONCE = 500;

/** A batch of blob folders whose rows are deleted. */
export const blobPurges = (db: Db) =>
  db.selectFrom('blob_purges').select('prefix').orderBy('created_at').limit(AT_ONCE).execute();

export async function blobsPurged(db: Db, prefix: string): Promise<void> {
  await db.deleteFrom('blob_purges').where('prefix', '=', prefix).execute();
}

/** Deleted projects that may have rows in the event store. */
export const projectPurges = (db: Db) =>
  db.selectFrom('project_purges').select(['project_id', 'created_at']).orderBy('created_at').limit(AT_ONCE).execute();

export async function projectPurged(db: Db, projectId: number): Promise<void> {
  await db.deleteFrom('project_purges').where('project_id', '=', projectId).execute();
}

/** Distinct ids of one statement of the event store, and at most a row more. */
const IDS_AT_ONCE = 4_000;

interface PersonPurge {
  id: number;
  project_id: number;
  distinct_ids: string[];
  person_ids: string[];
  with_events: boolean;
  created_at: Date;
}

/**
 * People whose profiles or events are to be deleted since before `until`, of each project as many as it can have deleted at once. Those of whom
 * the outbox has something wait: what is copied to the event store after the deletion would stay in it.
 */
export async function personPurges(db: Db, until: Date): Promise<PersonPurge[]> {
  const { rows } = await sql<PersonPurge>`
    with outbox as materialized (select project_id, key from analytics_outbox where kind in ('person', 'distinct_id'))
    select id, project_id, distinct_ids, person_ids, with_events, created_at from (
      select *, sum(cardinality(distinct_ids) + 1) over (partition by project_id order by id) as ids from person_purges p
      where created_at <= ${until} and not exists (
        select from outbox o
        where o.project_id = p.project_id and (o.key = any(p.distinct_ids) or o.key = any(p.person_ids::text[]))
      )
    ) due where ids - cardinality(distinct_ids) - 1 < ${IDS_AT_ONCE} order by id limit ${AT_ONCE}`.execute(db);
  return rows;
}

export async function personsPurged(db: Db, ids: readonly number[]): Promise<void> {
  await db.deleteFrom('person_purges').where('id', 'in', ids).execute();
}

/** The projects that keep events for a limited time. */
export async function eventRetentions(db: Db): Promise<{ id: number; days: number }[]> {
  const { rows } = await sql<{ id: number; days: number }>`
    select id, (settings ->> 'events_retention_days')::int as days from projects
    where settings ->> 'events_retention_days' is not null order by id`.execute(db);
  return rows;
}

/** Lets exports expire that would outlive the retention of their project. */
export async function shortenExports(db: Db): Promise<void> {
  await sql`
    update exports e set expires_after = e.created_at + make_interval(days => (p.settings ->> 'exports_retention_days')::int)
    from projects p where p.id = e.project_id and p.settings ->> 'exports_retention_days' is not null
      and e.expires_after > e.created_at + make_interval(days => (p.settings ->> 'exports_retention_days')::int)`.execute(db);
}

/** Deletes the entries of activity logs that are older than their projects keep them. */
export async function deleteOldActivities(db: Db, now: Date, signal?: AbortSignal): Promise<void> {
  for (let deleted = AT_ONCE; deleted === AT_ONCE; ) {
    signal?.throwIfAborted();
    const { rows } = await sql<{ count: number }>`
      with old as (
        delete from activity_log where id in (
          select a.id from projects p join activity_log a on a.project_id = p.id
            and a.created_at < ${now}::timestamptz - make_interval(days => (p.settings ->> 'activity_retention_days')::int)
          where p.settings ->> 'activity_retention_days' is not null limit ${AT_ONCE}
        ) returning 1
      )
      select count(*)::int as count from old`.execute(db);
    deleted = rows[0]?.count ?? 0;
  }
}
