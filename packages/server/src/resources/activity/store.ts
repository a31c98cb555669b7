import { type Insertable, sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import type { DB, Db } from '../../ports/db.js';

/** Entries in one statement: each has eleven parameters, and PostgreSQL allows 65,535. */
export const BATCH = 1_000;

/** Inserts entries in batches. */
export async function insertActivities(db: Db, rows: readonly Insertable<DB['activity_log']>[]): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH) {
    await db
      .insertInto('activity_log')
      .values(rows.slice(at, at + BATCH))
      .execute();
  }
}

/** Inserts entries of another service that are not there yet, and counts them. `rows`: {@link BATCH} at most. */
export async function insertImportedActivities(db: Db, rows: readonly Insertable<DB['activity_log']>[]): Promise<number> {
  if (rows.length === 0) return 0;
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('activity_log')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows);
}

/** Filters of a list; undefined or empty: no filter. */
export interface ActivityFilter {
  scope?: string | undefined;
  item_id?: string | undefined;
  /** A user's uuid. */
  user?: string | undefined;
  activity?: string | undefined;
  /** Only entries from `since` on, and before `until`. */
  since?: Date | undefined;
  until?: Date | undefined;
}

/** What the access rules hide from the caller: all objects of a resource or those with these ids, except the caller's own. */
export interface Hidden {
  resource: string;
  ids: number[] | 'all';
}

/** Whose log is read. */
interface Reader {
  userId: number;
  hidden: readonly Hidden[];
  /** Scopes whose entries are all hidden. */
  hiddenScopes: readonly string[];
}

const columns = ['id', 'user_id', 'activity', 'scope', 'item_id', 'detail', 'created_at'] as const;

export type ActivityRow = Awaited<ReturnType<typeof listProjectActivities>>['rows'][number];

/** Lists a page of a project's log, newest first, without entries that are hidden from the caller. */
export function listProjectActivities(db: Db, projectId: number, reader: Reader, filter: ActivityFilter, page: Page) {
  let own = filtered(db, filter).where('project_id', '=', projectId);
  for (const { resource, ids } of reader.hidden) {
    const isHidden =
      ids === 'all' ? sql<boolean>`resource = ${resource}` : sql<boolean>`resource = ${resource} and resource_id = any(${ids})`;
    own = own.where(sql<boolean>`((${isHidden}) is not true or ${isCreator(reader.userId, resource)})`);
  }
  if (reader.hiddenScopes.length > 0) own = own.where('scope', 'not in', reader.hiddenScopes);
  return readPageOf(own, page);
}

/** Lists a page of an organization's log, newest first, without the entries of its projects. */
export const listOrganizationActivities = (db: Db, organizationId: string, filter: ActivityFilter, page: Page) =>
  readPageOf(filtered(db, filter).where('organization_id', '=', organizationId).where('project_id', 'is', null), page);

function filtered(db: Db, filter: ActivityFilter) {
  let found = db.selectFrom('activity_log');
  if (filter.scope) found = found.where('scope', '=', filter.scope);
  if (filter.item_id) found = found.where('item_id', '=', filter.item_id);
  if (filter.activity) found = found.where('activity', '=', filter.activity);
  if (filter.since) found = found.where('created_at', '>=', filter.since);
  if (filter.until) found = found.where('created_at', '<', filter.until);
  if (filter.user) {
    const { user } = filter;
    found = found.where('user_id', 'in', (e) => e.selectFrom('users').select('users.id').where('users.uuid', '=', user));
  }
  return found;
}

async function readPageOf(found: ReturnType<typeof filtered>, page: Page) {
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

/** The condition that a user created the object of an entry, for resources with a column for it. */
function isCreator(userId: number, resource: string) {
  const table = TABLES[resource];
  return table
    ? sql<boolean>`exists (select from ${sql.table(table)} o where o.id = resource_id and o.created_by = ${userId})`
    : sql<boolean>`false`;
}

/** Tables of resources with a column `created_by`. */
const TABLES: Record<string, string> = { dashboard: 'dashboards', insight: 'insights' };
