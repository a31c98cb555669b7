import { type Insertable, sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import type { DB, Db } from '../../ports/db.js';

/** Entries of one statement: each has eleven parameters, and a statement may have 65,535. */
const AT_ONCE = 1_000;

export async function insertActivities(db: Db, rows: readonly Insertable<DB['activity_log']>[]): Promise<void> {
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    await db
      .insertInto('activity_log')
      .values(rows.slice(at, at + AT_ONCE))
      .execute();
  }
}

/** What a list is narrowed to; what is undefined or empty is not. */
export interface ActivityFilter {
  scope?: string | undefined;
  item_id?: string | undefined;
  /** A user's uuid. */
  user?: string | undefined;
  activity?: string | undefined;
}

/** What a reader may not see: all objects of a resource, or those with these ids, except what they made themselves. */
export interface Hidden {
  resource: string;
  ids: number[] | 'all';
}

const columns = ['id', 'user_id', 'activity', 'scope', 'item_id', 'detail', 'created_at'] as const;

export type ActivityRow = Awaited<ReturnType<typeof listProjectActivities>>['rows'][number];

/** One page of a project's log as a user may see it, newest first, and how many entries there are. */
export function listProjectActivities(
  db: Db,
  projectId: number,
  reader: { userId: number; hidden: readonly Hidden[] },
  filter: ActivityFilter,
  page: Page,
) {
  let own = filtered(db, filter).where('project_id', '=', projectId);
  for (const { resource, ids } of reader.hidden) {
    const isHidden =
      ids === 'all' ? sql<boolean>`resource = ${resource}` : sql<boolean>`resource = ${resource} and resource_id = any(${ids})`;
    own = own.where(sql<boolean>`((${isHidden}) is not true or ${madeBy(reader.userId, resource)})`);
  }
  return onePage(own, page);
}

/** One page of what is told of an organization apart from its projects, newest first, and how many entries there are. */
export const listOrganizationActivities = (db: Db, organizationId: string, filter: ActivityFilter, page: Page) =>
  onePage(filtered(db, filter).where('organization_id', '=', organizationId).where('project_id', 'is', null), page);

function filtered(db: Db, filter: ActivityFilter) {
  let found = db.selectFrom('activity_log');
  if (filter.scope) found = found.where('scope', '=', filter.scope);
  if (filter.item_id) found = found.where('item_id', '=', filter.item_id);
  if (filter.activity) found = found.where('activity', '=', filter.activity);
  if (filter.user) {
    const { user } = filter;
    found = found.where('user_id', 'in', (e) => e.selectFrom('users').select('users.id').where('users.uuid', '=', user));
  }
  return found;
}

async function onePage(found: ReturnType<typeof filtered>, page: Page) {
  const { count } = await found.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const rows = await found
    .select(columns)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { count, rows };
}

/** Whether the object of an entry was made by a user, for resources whose rows say so. */
function madeBy(userId: number, resource: string) {
  const table = CREATED[resource];
  return table
    ? sql<boolean>`exists (select from ${sql.table(table)} o where o.id = resource_id and o.created_by = ${userId})`
    : sql<boolean>`false`;
}

const CREATED: Record<string, string> = { dashboard: 'dashboards', insight: 'insights' };
