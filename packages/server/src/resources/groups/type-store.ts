import { sql } from 'kysely';
import type { Db } from '../../ports/db.js';

export interface GroupTypeRow {
  group_type: string;
  group_type_index: number;
  name_singular: string | null;
  name_plural: string | null;
  detail_dashboard: number | null;
  default_columns: unknown;
  created_at: Date;
}

const types = (db: Db, projectId: number) =>
  db
    .selectFrom('group_types')
    .select(['group_type', 'group_type_index', 'name_singular', 'name_plural', 'detail_dashboard', 'default_columns'])
    .select('created_at')
    .where('project_id', '=', projectId)
    .orderBy('group_type_index');

export const listTypes = (db: Db, projectId: number): Promise<GroupTypeRow[]> => types(db, projectId).execute();

/** As {@link listTypes}; nobody else renames them until the transaction ends. */
export const lockTypes = (db: Db, projectId: number): Promise<GroupTypeRow[]> => types(db, projectId).forUpdate().execute();

/** Writes the names of some types. */
export async function renameTypes(
  db: Db,
  projectId: number,
  renamed: readonly Pick<GroupTypeRow, 'group_type_index' | 'name_singular' | 'name_plural'>[],
): Promise<void> {
  await sql`
    update group_types as t set name_singular = v.singular, name_plural = v.plural
    from unnest(${renamed.map((type) => type.group_type_index)}::smallint[], ${renamed.map((type) => type.name_singular)}::text[],
      ${renamed.map((type) => type.name_plural)}::text[]) as v (index, singular, plural)
    where t.project_id = ${projectId} and t.group_type_index = v.index`.execute(db);
}
