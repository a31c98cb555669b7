import { sql } from 'kysely';
import type { Json } from '../kernel/json.js';
import type { Db } from '../ports/db.js';

/** A row of `jobs` that this server runs. */
export interface ClaimedJob {
  id: number;
  kind: string;
  /** Null: the row stands for a schedule. */
  projectId: number | null;
  payload: Json;
  /** Runs started since the last successful one, including this one. */
  attempt: number;
}

/** The server that works on a row, and the end of its lease. */
export interface Lease {
  by: string;
  until: Date;
}

/** Adds a job of a project, due now. */
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

/** Inserts the rows of schedules that have none. */
export async function insertSchedules(db: Db, schedules: readonly { kind: string; runAt: Date }[], now: Date): Promise<void> {
  if (schedules.length === 0) return;
  await db
    .insertInto('jobs')
    .values(schedules.map(({ kind, runAt }) => ({ kind, project_id: null, payload: 'null', created_at: now, run_at: runAt })))
    .onConflict((conflict) => conflict.column('kind').where('project_id', 'is', null).doNothing())
    .execute();
}

/** Longer than any lease, milliseconds. A lease that ends later was written before the clock was set back. */
export const FAR_AHEAD_MS = 10 * 60_000;

/** A kind to claim rows of. */
export interface ClaimKind {
  kind: string;
  /** Longest time until a row is due, milliseconds. A row that is due later was written before the clock was set back. */
  longestWaitMs?: number;
}

/** Claims rows that are due, or whose lease has expired. Servers that claim at the same time do not wait for one another. */
export async function claimJobs(
  db: Db,
  kinds: readonly ClaimKind[],
  lease: Lease,
  now: Date,
  limit: number,
): Promise<ClaimedJob[]> {
  if (kinds.length === 0) return [];
  const names = kinds.map(({ kind }) => kind);
  const waits = kinds.map(({ longestWaitMs = FAR_AHEAD_MS }) => longestWaitMs);
  const { rows } = await sql<ClaimedJob>`
    update jobs j set leased_by = ${lease.by}, leased_until = ${lease.until}, attempts = attempts + 1
    from (
      select jobs.id from jobs
      join unnest(${names}::text[], ${waits}::float8[]) as claim (kind, longest_wait) on claim.kind = jobs.kind
      where case when leased_until is null
        then run_at <= ${now} or run_at > ${now}::timestamptz + longest_wait * interval '1 millisecond'
        else leased_until <= ${now} or leased_until > ${new Date(now.getTime() + FAR_AHEAD_MS)} end
      order by coalesce(leased_until, run_at), id
      limit ${limit}
      for update of jobs skip locked
    ) due
    where j.id = due.id
    returning j.id, j.kind, j.project_id as "projectId", j.payload, j.attempts as attempt`.execute(db);
  return rows;
}

/** Extends leases. Resolves with the jobs that this server still has. */
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

/** Deletes a finished job. Resolves with false if another server has it by now or it is gone. */
export async function deleteJob(db: Db, id: number, by: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('jobs').where('id', '=', id).where('leased_by', '=', by).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Releases a job, due for any server at `runAt`. `attempts`: its runs that count. */
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
