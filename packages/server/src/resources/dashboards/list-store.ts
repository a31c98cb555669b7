import { type RawBuilder, sql } from 'kysely';
import type { Page } from '../../http/pagination.js';
import { likePattern } from '../../kernel/like-pattern.js';
import type { Db } from '../../ports/db.js';
import { itemJoins } from './store.js';

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

/** A dashboard of a list: what the access rules look at, and the rest as the start of a JSON object, ready to be sent. */
export interface ListedDashboard {
  id: number;
  created_by: number | null;
  restriction_level: number;
  /** The caller's own row among the collaborators. */
  collaborator_level: number | null;
  /** JSON text of an object without its closing brace. */
  json: string;
}

const bool = (value: RawBuilder<unknown>) => sql`case when ${value} then 'true' else 'false' end`;
const utc = (time: RawBuilder<unknown>) =>
  sql`to_json(replace(to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '.000000Z', 'Z'))`;

// Joined from texts: `json_build_object` of a hundred rows takes the database longer than finding them, and objects made of
// the rows here take longer still.
const userJson = sql`coalesce('{"id":' || u.id || ',"uuid":"' || u.uuid || '","distinct_id":' || to_json(u.distinct_id)
  || ',"first_name":' || to_json(u.first_name) || ',"last_name":' || to_json(u.last_name) || ',"email":' || to_json(u.email)
  || ',"is_email_verified":' || ${bool(sql`u.is_email_verified`)} || ',"hedgehog_config":' || u.hedgehog_config || '}', 'null')`;
const itemJson = sql`'{"id":' || d.id || ',"name":' || coalesce(to_json(d.name)::text, 'null')
  || ',"description":' || to_json(d.description) || ',"pinned":' || ${bool(sql`d.pinned`)}
  || ',"created_at":' || ${utc(sql`d.created_at`)} || ',"created_by":' || ${userJson}
  || ',"is_shared":' || ${bool(sql`s.enabled`)} || ',"deleted":' || ${bool(sql`d.deleted`)}
  || ',"creation_mode":' || to_json(d.creation_mode) || ',"tags":' || to_json(d.tags)`;

/** One page of the project's dashboards as `userId` meets them, and how many there are: one statement. */
export async function listDashboards(
  db: Db,
  projectId: number,
  userId: number,
  filter: ListFilter,
  page: Page,
): Promise<{ count: number; rows: ListedDashboard[] }> {
  const wanted = sql`from dashboards d where ${sql.join(conditions(projectId, userId, filter), sql` and `)}`;
  const order = sql`order by d.pinned desc, d.name, d.id`;
  // the count stands on the left, so that a page beyond the end still has it
  const { rows } = await sql<{ count: number } & (ListedDashboard | { id: null })>`
    select found.count, d.id, d.created_by, d.restriction_level, c.level as collaborator_level, ${itemJson} as json
    from (select count(*) as count ${wanted}) found
    left join (select d.*, row_number() over (${order}) as nr ${wanted} ${order} limit ${page.limit} offset ${page.offset}) d
      on true
    ${itemJoins(userId)}
    order by d.nr`.execute(db);
  return { count: rows[0]?.count ?? 0, rows: rows.filter((row): row is ListedDashboard & { count: number } => row.id !== null) };
}

function conditions(projectId: number, userId: number, filter: ListFilter): RawBuilder<unknown>[] {
  const { tags, creation_mode, exclude_generated, search, hidden } = filter;
  const found = [sql`d.project_id = ${projectId} and not d.deleted`];
  if (hidden.length > 0) found.push(sql`(d.id <> all (${[...hidden]}::int[]) or d.created_by = ${userId})`);
  if (tags?.length) found.push(sql`d.tags && ${[...tags]}::text[]`);
  if (creation_mode) found.push(sql`d.creation_mode = ${creation_mode}`);
  if (exclude_generated) found.push(sql`coalesce(not starts_with(d.name, ${GENERATED}), true)`);
  if (search) {
    const part = likePattern(search);
    found.push(sql`(d.name ilike ${part} or d.description ilike ${part})`);
  }
  return found;
}
