import { sql } from 'kysely';
import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db } from '../../ports/db.js';
import { byCaller, changesBetween, recordActivities } from '../activity/index.js';
import type { Renaming } from './schema.js';

/** Sets the display names of group types in one transaction, and returns all types. @throws ApiError not_found */
export function renameGroupTypes(
  { deps, project, principal }: ProjectContext,
  renamings: readonly Renaming[],
): Promise<GroupTypeRow[]> {
  return inTransaction(deps.db, async (trx) => {
    const before = await lockTypes(trx, project.id);
    const known = new Set(before.map((type) => type.group_type_index));
    if (renamings.some((renaming) => !known.has(renaming.group_type_index))) throw new ApiError('not_found');
    const after = before.map((type) => renamed(type, renamings));
    await renameTypes(trx, project.id, after);
    const entries = after.map((type, i) => ({
      ...byCaller({ project, principal }),
      activity: 'updated' as const,
      scope: 'GroupType' as const,
      itemId: type.group_type_index,
      detail: {
        name: type.group_type,
        changes: changesBetween('GroupType', before[i] ?? type, type, ['name_singular', 'name_plural']),
      },
    }));
    await recordActivities(trx, deps, entries);
    return after;
  });
}

/** Applies the renamings to the type that they are about. The last one wins. */
function renamed(type: GroupTypeRow, renamings: readonly Renaming[]): GroupTypeRow {
  let { name_singular, name_plural } = type;
  for (const renaming of renamings) {
    if (renaming.group_type_index !== type.group_type_index) continue;
    if (renaming.name_singular !== undefined) name_singular = renaming.name_singular;
    if (renaming.name_plural !== undefined) name_plural = renaming.name_plural;
  }
  return { ...type, name_singular, name_plural };
}

/** A row of the table `group_types`. */
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

/** Lists the group types of a project, by index. */
export const listTypes = (db: Db, projectId: number): Promise<GroupTypeRow[]> => types(db, projectId).execute();

/** As {@link listTypes}, and locks them until the transaction ends. */
const lockTypes = (db: Db, projectId: number): Promise<GroupTypeRow[]> => types(db, projectId).forUpdate().execute();

/** Stores the names of group types. */
async function renameTypes(
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
