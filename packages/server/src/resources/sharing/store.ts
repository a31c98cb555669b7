import { sql } from 'kysely';
import { jsonColumn } from '../../http/json-column.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { SHARED_COLUMN, type SharedObject } from '../shares/index.js';

const COLUMNS = ['id', 'created_at', 'enabled', 'access_token', 'settings', 'password_required'] as const;

const gone = () => new ApiError('not_found');

/** Views of the public page. */
const views = sql<number>`(
  select coalesce(sum(v.views), 0)::int from share_views v where v.sharing_configuration_id = sharing_configurations.id)`.as(
  'view_count',
);

export type SharingRow = NonNullable<Awaited<ReturnType<typeof readSharing>>>;

const sharing = (db: Db, projectId: number, { kind, id }: SharedObject) =>
  db
    .selectFrom('sharing_configurations')
    .select([...COLUMNS, views])
    .where('project_id', '=', projectId)
    .where(SHARED_COLUMN[kind], '=', id);

export const readSharing = (db: Db, projectId: number, object: SharedObject) => sharing(db, projectId, object).executeTakeFirst();

/** Reads the configuration and locks it until the transaction ends. @throws ApiError not_found: deleted meanwhile */
export const lockSharing = (db: Db, projectId: number, object: SharedObject) =>
  sharing(db, projectId, object).forNoKeyUpdate().executeTakeFirstOrThrow(gone);

/** Creates the configuration, disabled, unless it exists. */
export async function insertSharing(
  db: Db,
  projectId: number,
  { kind, id }: SharedObject,
  fields: { access_token: string; created_at: Date },
): Promise<void> {
  await db
    .insertInto('sharing_configurations')
    .values({ project_id: projectId, [SHARED_COLUMN[kind]]: id, ...fields })
    .onConflict((conflict) => conflict.column(SHARED_COLUMN[kind]).doNothing())
    .execute();
}

/** A change of a configuration; undefined fields stay as they are. */
export interface SharingChange {
  enabled?: boolean | undefined;
  settings?: object | undefined;
  password_required?: boolean | undefined;
  /** The user whose access decides what the page shows. */
  published_by?: number | undefined;
  access_token?: string;
  previous_token?: string | null;
  previous_token_expires_at?: Date | null;
}

export const updateSharing = (
  db: Db,
  projectId: number,
  id: number,
  { settings, ...change }: SharingChange,
): Promise<SharingRow> =>
  db
    .updateTable('sharing_configurations')
    .set({ ...change, ...(settings === undefined ? {} : { settings: jsonColumn(settings) }) })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returning([...COLUMNS, views])
    .executeTakeFirstOrThrow();

/** Whether the organization of a project allows public sharing. @throws ApiError not_found: deleted meanwhile */
export async function mayBeShared(db: Db, projectId: number): Promise<boolean> {
  const { allowed } = await db
    .selectFrom('projects as p')
    .innerJoin('organizations as o', 'o.id', 'p.organization_id')
    .select('o.allow_publicly_shared_resources as allowed')
    .where('p.id', '=', projectId)
    .executeTakeFirstOrThrow(gone);
  return allowed;
}
