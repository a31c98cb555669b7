import { sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import { selectPage } from '../../http/select-page.js';
import type { Db } from '../../ports/db.js';

/** Which object of a source became which one of a project. */
export interface ImportedObjectRow {
  kind: string;
  source_id: string;
  target_id: string;
}

/** A page of what was imported from a source. @param kind undefined: all kinds */
export const listImportedObjects = (db: Db, projectId: number, source: string, kind: string | undefined, page: Page) =>
  selectPage<ImportedObjectRow>(
    db,
    {
      columns: sql`o.kind, o.source_id, o.target_id`,
      from: sql`imported_objects o`,
      where: [
        sql`o.project_id = ${projectId}`,
        sql`o.source = ${source}`,
        ...(kind === undefined ? [] : [sql`o.kind = ${kind}`]),
      ],
      orderBy: sql`o.kind, o.source_id`,
    },
    page,
  );

/** Notes what was imported from a source; the last note about an object counts. */
export async function noteImportedObjects(
  db: Db,
  projectId: number,
  source: string,
  objects: readonly ImportedObjectRow[],
  now: Date,
): Promise<void> {
  // a statement may not write a row twice
  const last = new Map(objects.map((object) => [JSON.stringify([object.kind, object.source_id]), object]));
  if (last.size === 0) return;
  await db
    .insertInto('imported_objects')
    .values([...last.values()].map((object) => ({ ...object, project_id: projectId, source, created_at: now })))
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'source', 'kind', 'source_id'])
        .doUpdateSet((e) => ({ target_id: e.ref('excluded.target_id'), created_at: e.ref('excluded.created_at') })),
    )
    .execute();
}
