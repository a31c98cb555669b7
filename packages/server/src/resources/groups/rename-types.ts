import type { ProjectContext } from '../../auth/index.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { byCaller, changesBetween, recordActivities } from '../activity/index.js';
import type { Renaming } from './schema.js';
import { type GroupTypeRow, lockTypes, renameTypes } from './type-store.js';

/** Gives group types the names that people read, all or none; answers with all types. @throws ApiError not_found */
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

/** The type after the renamings that are about it; the last counts. */
function renamed(type: GroupTypeRow, renamings: readonly Renaming[]): GroupTypeRow {
  let { name_singular, name_plural } = type;
  for (const renaming of renamings) {
    if (renaming.group_type_index !== type.group_type_index) continue;
    if (renaming.name_singular !== undefined) name_singular = renaming.name_singular;
    if (renaming.name_plural !== undefined) name_plural = renaming.name_plural;
  }
  return { ...type, name_singular, name_plural };
}
