import { type RawBuilder, sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import type { Db } from '../../ports/db.js';
import { type DashboardItemRow, itemColumns, itemJoins } from './store.js';

/** Which dashboards a list is about; what is undefined does not narrow it. */
export interface ListFilter {
  /** Any of these. */
  tags?: readonly string[] | undefined;
  creation_mode?: string | undefined;
  /** Leaves out what was made by other features, which is told by its name. */
  exclude_generated?: boolean | undefined;
  /** Part of the name or description, in any case. */
  search?: string | undefined;
  /** Ids that the caller sees only where they made them. */
  hidden: readonly number[];
}

const GENERATED = 'Generated Dashboard';

/** One page of the project's dashboards as `userId` meets them, and how many there are: one statement. */
export async function listDashboards(
  db: Db,
  projectId: number,
  userId: number,
  filter: ListFilter,
  page: Page,
): Promise<{ count: number; rows: DashboardItemRow[] }> {
  const wanted = sql`from dashboards d where ${sql.join(conditions(projectId, userId, filter), sql` and `)}`;
  const order = sql`order by d.pinned desc, d.name, d.id`;
  // the count stands on the left, so that a page beyond the end still has it
  const { rows } = await sql<{ count: number } & (DashboardItemRow | { id: null })>`
    select all_of_them.count, ${itemColumns}
    from (select count(*) as count ${wanted}) all_of_them
    left join (select d.* ${wanted} ${order} limit ${page.limit} offset ${page.offset}) d on true
    ${itemJoins(userId)} ${order}`.execute(db);
  return { count: rows[0]?.count ?? 0, rows: rows.filter((row): row is DashboardItemRow & { count: number } => row.id !== null) };
}

function conditions(projectId: number, userId: number, filter: ListFilter): RawBuilder<unknown>[] {
  const { tags, creation_mode, exclude_generated, search, hidden } = filter;
  const found = [sql`d.project_id = ${projectId} and not d.deleted`];
  if (hidden.length > 0) found.push(sql`(d.id <> all (${[...hidden]}::int[]) or d.created_by = ${userId})`);
  if (tags?.length) found.push(sql`d.tags && ${[...tags]}::text[]`);
  if (creation_mode) found.push(sql`d.creation_mode = ${creation_mode}`);
  if (exclude_generated) found.push(sql`coalesce(not starts_with(d.name, ${GENERATED}), true)`);
  if (search) {
    const part = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
    found.push(sql`(d.name ilike ${part} or d.description ilike ${part})`);
  }
  return found;
}
