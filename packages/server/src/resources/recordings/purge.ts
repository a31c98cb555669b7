import { sql } from 'kysely';
import type { Deps } from '../../deps.js';
import type { Db } from '../../ports/db.js';

/** Deletes recordings whose retention period is over, and the rows of deleted ones. Any number of servers may run it at the same time. */
export async function purgeRecordings({ db, clock }: Pick<Deps, 'db' | 'clock'>, signal?: AbortSignal): Promise<void> {
  const now = new Date(clock.now());
  for (let removed = AT_ONCE; removed === AT_ONCE; ) {
    signal?.throwIfAborted();
    removed = await expireRecordings(db, now);
  }
  await forgetDeleted(db, now);
}

/** Rows of one statement, so that a purge does not block requests for long. */
const AT_ONCE = 500;
/** SDKs send nothing more of sessions that were deleted so long ago. */
const FORGET_AFTER = '30 days';

/** Removes recordings whose retention period is over, and queues the deletion of their blobs; returns their number. */
async function expireRecordings(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with expired as (
      delete from recordings where id in (
        select r.id from recordings r join projects p on p.id = r.project_id
        where r.deleted_at is null and r.end_time < ${now}::timestamptz - case p.settings ->> 'session_recording_retention_period'
          when '30d' then interval '30 days' when '90d' then interval '90 days'
          when '1y' then interval '1 year' when '5y' then interval '5 years' end
        limit ${AT_ONCE}
      ) returning project_id, session_id
    ), purged as (
      insert into blob_purges (prefix, created_at)
      select 'recordings/' || project_id || '/' || session_id || '/', ${now} from expired
      on conflict do nothing
    )
    select count(*) as count from expired`.execute(db);
  return rows[0]?.count ?? 0;
}

async function forgetDeleted(db: Db, now: Date): Promise<void> {
  await sql`delete from recordings where deleted_at < ${now}::timestamptz - ${FORGET_AFTER}::interval`.execute(db);
}
