import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

/** A run as it is stored. */
export interface RunRow {
  name: string;
  started_at: Date;
  leased_until: Date;
  ended_at: Date | null;
  error_message: string | null;
  /** JSON text. */
  results: string | null;
  /** The experiment whose results it computes. */
  experiment_id: number | null;
}

interface NewRun {
  name: string;
  run: string;
  experimentId: number | null;
  startedAt: Date;
  leasedUntil: Date;
}

/** How far the clocks of servers may differ; milliseconds. */
const AHEAD_MS = 60_000;

/** Inserts a run of a project. Resolves with false if one of this name is running. */
export async function insertRun(
  db: Db,
  projectId: number,
  { name, run, experimentId, startedAt, leasedUntil }: NewRun,
): Promise<boolean> {
  const fresh = { run, started_at: startedAt, leased_until: leasedUntil, experiment_id: experimentId };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('query_runs')
    .values({ project_id: projectId, name, ...fresh })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'name'])
        .doUpdateSet({ ...fresh, ended_at: null, error_message: null, results: null, size: 0 })
        .where((w) =>
          w.or([
            w('query_runs.ended_at', 'is not', null),
            w('query_runs.leased_until', '<', startedAt),
            // inserted before the clock was set back
            w('query_runs.started_at', '>', new Date(startedAt.getTime() + AHEAD_MS)),
          ]),
        ),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** A run of a project by its name, started after `since`. */
export const readRun = (db: Db, projectId: number, name: string, since: Date): Promise<RunRow | undefined> =>
  db
    .selectFrom('query_runs')
    .select(['name', 'started_at', 'leased_until', 'ended_at', 'error_message', 'results', 'experiment_id'])
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .where('started_at', '>', since)
    .executeTakeFirst();

/** Extends the leases of runs. Resolves with the runs that have not been cancelled. */
export async function extendRuns(db: Db, runs: readonly string[], leasedUntil: Date): Promise<string[]> {
  const rows = await db
    .updateTable('query_runs')
    .set({ leased_until: leasedUntil })
    .where((w) => w('run', '=', w.fn.any(w.val(runs))))
    .returning('run')
    .execute();
  return rows.map(({ run }) => run);
}

/** Stores the end of a run, unless it was cancelled before. */
export async function endRun(
  db: Db,
  run: string,
  end: { endedAt: Date; results: string | null; errorMessage: string | null },
): Promise<void> {
  const { endedAt, results, errorMessage } = end;
  await db
    .updateTable('query_runs')
    .set({ ended_at: endedAt, results, error_message: errorMessage, size: results?.length ?? 0 })
    .where('run', '=', run)
    .execute();
}

/** Deletes the oldest results of a project beyond `most` characters; their runs get the error message instead. */
export async function dropOldResults(db: Db, projectId: number, most: number, errorMessage: string): Promise<void> {
  await sql`
    update query_runs set results = null, size = 0, error_message = ${errorMessage}
    where run in (
      select run from (
        select run, sum(size) over (order by ended_at desc, run) as total from query_runs
        where project_id = ${projectId} and size > 0
      ) kept
      where total > ${most}::bigint
    )`.execute(db);
}

/** Deletes a run whose caller has waited for it. */
export async function deleteRun(db: Db, run: string): Promise<void> {
  await db.deleteFrom('query_runs').where('run', '=', run).execute();
}

/** Deletes a run by its name and notifies all servers, so that its own cancels it. Resolves with whether there was one. */
export async function cancelRun(db: Db, projectId: number, name: string): Promise<boolean> {
  const { rows } = await sql`
    with gone as (delete from query_runs where project_id = ${projectId} and name = ${name} returning ended_at)
    select case when ended_at is null then pg_notify('tidemark_changes', ${String(projectId)}) end from gone`.execute(db);
  return rows.length > 0;
}

/** Deletes the runs that were started at or before `time`. */
export async function deleteRunsBefore(db: Db, time: Date): Promise<void> {
  await db.deleteFrom('query_runs').where('started_at', '<=', time).execute();
}
