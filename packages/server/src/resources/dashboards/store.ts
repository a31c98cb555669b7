import { sql } from 'kysely';
import type { User } from '../../identity/index.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/** A dashboard as lists show it, with what the access rules look at. */
export interface DashboardItemRow {
  id: number;
  name: string | null;
  description: string;
  pinned: boolean;
  deleted: boolean;
  creation_mode: string;
  tags: string[];
  restriction_level: number;
  /** Null: the user is gone. */
  created_by: number | null;
  creator: User | null;
  created_at: Date;
  is_shared: boolean;
  /** The caller's own row among the collaborators. */
  collaborator_level: number | null;
}

/** A dashboard in full, but for its tiles. */
export interface DashboardRow extends DashboardItemRow {
  use_template: string | null;
  use_dashboard: number | null;
  delete_insights: boolean;
  filters: JsonObject;
  variables: JsonObject;
  last_accessed_at: Date | null;
}

export const itemColumns = sql`
  d.id, d.name, d.description, d.pinned, d.deleted, d.creation_mode, d.tags, d.restriction_level, d.created_by, d.created_at,
  case when u.id is not null then json_build_object(
    'id', u.id, 'uuid', u.uuid, 'distinct_id', u.distinct_id, 'first_name', u.first_name, 'last_name', u.last_name,
    'email', u.email, 'is_email_verified', u.is_email_verified, 'hedgehog_config', u.hedgehog_config
  ) end as creator,
  coalesce(s.enabled, false) as is_shared, c.level as collaborator_level`;

/** What {@link itemColumns} reads beside the dashboard `d`; `userId` is the caller. */
export const itemJoins = (userId: number) => sql`
  left join users u on u.id = d.created_by
  left join sharing_configurations s on s.dashboard_id = d.id
  left join dashboard_collaborators c on c.dashboard_id = d.id and c.user_id = ${userId}`;

export const fullColumns = sql`${itemColumns},
  d.use_template, d.use_dashboard, d.delete_insights, d.filters, d.variables, d.last_accessed_at`;

/** One dashboard, deleted or not, as `userId` meets it. `lock` holds off other writers until the transaction ends. */
export async function readDashboard(
  db: Db,
  projectId: number,
  id: number,
  userId: number,
  { lock = false }: { lock?: boolean } = {},
): Promise<DashboardRow | undefined> {
  // not `for update`: tiles that others add meanwhile refer to the row and need not wait
  const locking = lock ? sql`for no key update of d` : sql``;
  const { rows } = await sql<DashboardRow>`
    select ${fullColumns} from dashboards d ${itemJoins(userId)}
    where d.project_id = ${projectId} and d.id = ${id} ${locking}`.execute(db);
  return rows[0];
}
