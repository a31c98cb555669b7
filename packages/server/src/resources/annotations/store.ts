import { sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import { type User, userJson } from '../../identity/index.js';
import type { Db } from '../../ports/db.js';

/** What can change of an annotation. */
export interface AnnotationState {
  content: string | null;
  date_marker: Date | null;
  creation_type: 'USR' | 'GIT';
  deleted: boolean;
}

/** An annotation as the database has it. */
export interface AnnotationRow extends AnnotationState {
  id: number;
  author: User | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = sql`a.id, a.content, a.date_marker, a.creation_type, a.deleted, a.created_at, a.updated_at,
  (select ${userJson} from users u where u.id = a.created_by) as author`;

/** Annotations that are not deleted, the latest moment first. */
export async function listAnnotations(
  db: Db,
  projectId: number,
  search: string | undefined,
  { limit, offset }: Page,
): Promise<{ count: number; rows: AnnotationRow[] }> {
  const found = search ? sql`and position(lower(${search}) in lower(coalesce(a.content, ''))) > 0` : sql``;
  const where = sql`a.project_id = ${projectId} and not a.deleted ${found}`;
  const [counted, page] = await Promise.all([
    sql<{ count: number }>`select count(*) as count from annotations a where ${where}`.execute(db),
    sql<AnnotationRow>`
      select ${COLUMNS} from annotations a where ${where} order by a.date_marker desc nulls last, a.id desc
      limit ${limit} offset ${offset}`.execute(db),
  ]);
  return { count: counted.rows[0]?.count ?? 0, rows: page.rows };
}

/** An annotation of the project, deleted or not. `lock` holds off other writers until the transaction ends. */
export async function readAnnotation(db: Db, projectId: number, id: number, lock = false): Promise<AnnotationRow | null> {
  const locking = lock ? sql`for update of a` : sql``;
  const { rows } = await sql<AnnotationRow>`
    select ${COLUMNS} from annotations a where a.project_id = ${projectId} and a.id = ${id} ${locking}`.execute(db);
  return rows[0] ?? null;
}

/** Makes an annotation; answers with its number. */
export async function insertAnnotation(
  db: Db,
  projectId: number,
  annotation: AnnotationState & { created_by: number },
  now: Date,
): Promise<number> {
  const { id } = await db
    .insertInto('annotations')
    .values({ ...annotation, project_id: projectId, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateAnnotation(db: Db, projectId: number, id: number, state: AnnotationState, now: Date): Promise<void> {
  await db
    .updateTable('annotations')
    .set({ ...state, updated_at: now })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}
