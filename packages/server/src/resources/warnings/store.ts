import type { Page } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';

/** Lists a page of ingestion warnings, newest first. */
export async function listWarnings(db: Db, projectId: number, page: Page) {
  const found = db.selectFrom('ingestion_warnings').where('project_id', '=', projectId);
  const [rows, total] = await Promise.all([
    found.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute(),
    found.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
  ]);
  return { rows, count: total.count };
}
