import { sql } from 'kysely';
import { type User, userJson } from '../../auth/index.js';
import { FAR_AHEAD_MS } from '../../jobs/index.js';
import type { Db } from '../../ports/db.js';

/** A row of `import_leases`. */
export interface LeaseRow {
  id: string;
  subject: string;
  taker: User | null;
  taken_at: Date;
  expires_at: Date;
}

/** An import that wants a project. */
export interface LeaseRequest {
  id: string;
  holder: string;
  subject: string;
  userId: number;
  now: Date;
  expiresAt: Date;
}

/** Gives a project to an import, unless another one has it. */
export async function takeLease(
  db: Db,
  projectId: number,
  { id, holder, subject, userId, now, expiresAt }: LeaseRequest,
): Promise<void> {
  const fields = { id, holder, subject, taken_by: userId, taken_at: now, expires_at: expiresAt };
  await db
    .insertInto('import_leases')
    .values({ project_id: projectId, ...fields })
    .onConflict((conflict) =>
      conflict
        .column('project_id')
        .doUpdateSet(fields)
        .where((where) =>
          where.or([
            where('import_leases.holder', '=', holder),
            where('import_leases.expires_at', '<=', now),
            where('import_leases.expires_at', '>', new Date(now.getTime() + FAR_AHEAD_MS)),
          ]),
        ),
    )
    .execute();
}

/** Extends a lease, also one that has expired without another import taking the project. */
export async function renewLease(db: Db, projectId: number, id: string, expiresAt: Date): Promise<void> {
  await db
    .updateTable('import_leases')
    .set({ expires_at: expiresAt })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

/** The lease that a project has, if any; it may have expired. */
export async function readLease(db: Db, projectId: number): Promise<LeaseRow | null> {
  const { rows } = await sql<LeaseRow>`
    select l.id, l.subject, l.taken_at, l.expires_at, (select ${userJson} from users u where u.id = l.taken_by) as taker
    from import_leases l where l.project_id = ${projectId}`.execute(db);
  return rows[0] ?? null;
}

/** Ends a lease. @returns whether it was there */
export async function deleteLease(db: Db, projectId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('import_leases')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
