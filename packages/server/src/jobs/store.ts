import { sql } from 'kysely';
import type { Json } from '../kernel/json.js';
import type { Db } from '../ports/db.js';

export interface ClaimedJob {
  id: number;
  kind: string;
  projectId: number;
  payload: Json;
  /** Runs begun, this one included. */
  attempt: number;
}

/** Who works, and until when what they take is theirs. */
export interface Lease {
  by: string;
  until: Date;
}

/** Adds a job of a project, to be run from now on. */
export async function insertJob(
  db: Db,
  projectId: number,
  { kind, payload, now }: { kind: string; payload: Json; now: Date },
): Promise<void> {
  await db
    .insertInto('jobs')
    .values({ kind, project_id: projectId, payload: JSON.stringify(payload), created_at: now, run_at: now })
    .execute();
}

/** No lease and no pause lasts for so long: what lies further in the future was written before the clock was set back. */
const FAR_AHEAD_MS = 10 * 60_000;
const farAhead = (now: Date): Date => new Date(now.getTime() + FAR_AHEAD_MS);

/** Takes jobs that wait, or whose server has not been heard of. Nobody waits for anybody. */
export async function claimJobs(db: Db, kinds: readonly string[], lease: Lease, now: Date, most: number): Promise<ClaimedJob[]> {
  const { rows } = await sql<ClaimedJob>`
    update jobs j set leased_by = ${lease.by}, leased_until = ${lease.until}, attempts = attempts + 1
    from (
      select id from jobs
      where kind = any(${kinds})
        and (coalesce(leased_until, run_at) <= ${now} or coalesce(leased_until, run_at) > ${farAhead(now)})
      order by coalesce(leased_until, run_at), id
      limit ${most}
      for update skip locked
    ) free
    where j.id = free.id
    returning j.id, j.kind, j.project_id as "projectId", j.payload, j.attempts as attempt`.execute(db);
  return rows;
}

/** Moves on the end of the leases; answers with the jobs that are still this server's. */
export async function extendLeases(db: Db, ids: readonly number[], { by, until }: Lease): Promise<number[]> {
  const rows = await db
    .updateTable('jobs')
    .set({ leased_until: until })
    .where((w) => w('id', '=', w.fn.any(w.val(ids))))
    .where('leased_by', '=', by)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Ends a job; false: it is another server's by now, or gone. */
export async function deleteJob(db: Db, id: number, by: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('jobs').where('id', '=', id).where('leased_by', '=', by).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Gives a job back, to be run by anybody from `runAt` on; `attempts`: runs that count. */
export async function returnJob(
  db: Db,
  id: number,
  by: string,
  { runAt, attempts }: { runAt: Date; attempts: number },
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ leased_by: null, leased_until: null, run_at: runAt, attempts })
    .where('id', '=', id)
    .where('leased_by', '=', by)
    .execute();
}
