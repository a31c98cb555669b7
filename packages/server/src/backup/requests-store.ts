import { sql } from 'kysely';
import type { Db } from '../ports/db.js';

/** A backup that was asked for. */
export interface BackupRequest {
  id: number;
  target: string;
  keep: number | null;
  isScheduled: boolean;
}

/** Asks the service for a backup. @returns the id of the request */
export async function requestBackup(
  db: Db,
  { target, keep, isScheduled, now }: Omit<BackupRequest, 'id'> & { now: number },
): Promise<number> {
  const at = new Date(now);
  const { id } = await db
    .insertInto('backups')
    .values({ target, keep, is_scheduled: isScheduled, state: 'waiting', created_at: at, updated_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** What has become of a request. */
export const readRequest = (db: Db, id: number) =>
  db.selectFrom('backups').select(['state', 'message']).where('id', '=', id).executeTakeFirst();

/** Takes back a request that no server has taken, unless one is busy with another. @returns whether it was taken back */
export async function withdrawRequest(db: Db, id: number): Promise<boolean> {
  const { rows } = await sql`
    delete from backups where id = ${id} and state = 'waiting'
      and not exists (select from backups where state = 'running') returning id`.execute(db);
  return rows.length > 0;
}

/** Takes the oldest request. Only one server at a time calls it. */
export async function takeRequest(db: Db, now: number): Promise<BackupRequest | null> {
  const { rows } = await sql<BackupRequest>`
    update backups set state = 'running', updated_at = ${new Date(now)}
    where id = (select min(id) from backups where state = 'waiting')
    returning id, target, keep, is_scheduled as "isScheduled"`.execute(db);
  return rows[0] ?? null;
}

/** Stores how far a request is, or its end. */
export async function updateRequest(
  db: Db,
  id: number,
  { state, message, now }: { state: 'running' | 'done' | 'failed'; message: string; now: number },
): Promise<void> {
  await db
    .updateTable('backups')
    .set({ state, message, updated_at: new Date(now) })
    .where('id', '=', id)
    .execute();
}

/** Fails the requests that a server ran which has ended. */
export async function failAbandoned(db: Db, now: number): Promise<void> {
  await db
    .updateTable('backups')
    .set({ state: 'failed', message: 'The service ended before the backup was whole.', updated_at: new Date(now) })
    .where('state', '=', 'running')
    .execute();
}

/** Scheduled backups so far; epoch milliseconds, null: none. */
export interface ScheduledBackups {
  /** When the newest one that is done began. */
  done: number | null;
  /** When the newest one was tried. */
  tried: number | null;
  /** When the newest one that ended failed; null: it did not. */
  failed: number | null;
}

/** What has become of the scheduled backups. */
export async function readScheduled(db: Db): Promise<ScheduledBackups> {
  const { rows } = await sql<Record<keyof ScheduledBackups, Date | null>>`
    select max(created_at) filter (where state = 'done') as done, max(created_at) as tried,
      (select case state when 'failed' then updated_at end from backups
        where is_scheduled and state in ('done', 'failed') order by id desc limit 1) as failed
    from backups where is_scheduled`.execute(db);
  const { done = null, tried = null, failed = null } = rows[0] ?? {};
  return { done: done?.getTime() ?? null, tried: tried?.getTime() ?? null, failed: failed?.getTime() ?? null };
}

/** Deletes requests that ended before a time. */
export async function deleteRequests(db: Db, before: number): Promise<void> {
  await db.deleteFrom('backups').where('state', 'in', ['done', 'failed']).where('updated_at', '<', new Date(before)).execute();
}
