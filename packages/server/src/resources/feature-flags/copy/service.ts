import { accessOf } from '../../../access/index.js';
import { type OrganizationContext, openProject, type ProjectContext } from '../../../auth/index.js';
import { inTransaction } from '../../../http/in-transaction.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Db } from '../../../ports/db.js';
import type { FlagFields } from '../schema.js';
import { changeFlag, createFlag } from '../service.js';
import { type FlagRow, lockFlags, readFlag } from '../store.js';
import { type FlagView, flagView } from '../view.js';
import type { CopyFields } from './schema.js';
import { type Names, readNamesOf } from './store.js';
import { translateFilters } from './translate.js';

type Place = Pick<ProjectContext, 'deps' | 'principal' | 'project' | 'membership'>;

/** Copies a flag to other projects of the organization. A project that fails does not affect the others. @throws ApiError not_found, permission_denied */
export async function copyFlag(
  context: OrganizationContext,
  { feature_flag_key: key, from_project, target_project_ids }: CopyFields,
) {
  const source = await placeOf(context, from_project);
  const row = await readFlag(context.deps.db, source.project.id, { key });
  if (!row) throw new ApiError('not_found', 'Feature flag to copy does not exist.');
  (await accessOf(source, 'feature_flag')).requireOn(row, 'viewer');
  const names = await readNamesOf(context.deps.db, source.project.id);
  const success: (FlagView & { project_id: number })[] = [];
  const failed: { project_id: number; error_message: string }[] = [];
  for (const id of target_project_ids) {
    try {
      success.push({ ...(await copyTo(await placeOf(context, id), row, names)), project_id: id });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed.push({ project_id: id, error_message: error.message });
    }
  }
  return { success, failed };
}

/** A project of the organization that the caller may enter. @throws ApiError not_found, permission_denied */
async function placeOf({ deps, principal, organization }: OrganizationContext, projectId: number): Promise<Place> {
  const opened = await openProject(deps, principal, String(projectId));
  if (opened.project.organizationId !== organization.id) throw new ApiError('not_found', 'Project not found.');
  return { deps, principal, ...opened };
}

async function copyTo(target: Place, row: FlagRow, names: Names): Promise<FlagView> {
  const { deps, project } = target;
  const access = await accessOf(target, 'feature_flag');
  const copied = await inTransaction(deps.db, async (tx: Db) => {
    // lock before reading, so that no other request creates the flag in between
    await lockFlags(tx, project.id);
    const filters = translateFilters(row.filters, names, await readNamesOf(tx, project.id));
    const fields = { ...copiedFields(row), filters };
    const existing = await readFlag(tx, project.id, { key: row.key });
    if (existing) return changeFlag(tx, target, existing.id, fields, (found) => access.requireOn(found, 'editor'));
    access.requireResource('editor');
    return createFlag(tx, target, { ...fields, key: row.key });
  });
  return flagView(access, deps.clock.now(), copied);
}

/** The fields that are copied. Dashboards are not: they belong to one project. */
const copiedFields = (row: FlagRow): FlagFields => ({
  name: row.name,
  active: row.active,
  ensure_experience_continuity: row.ensure_experience_continuity,
  bucketing_identifier: row.bucketing_identifier,
  evaluation_runtime: row.evaluation_runtime,
  evaluation_contexts: row.evaluation_contexts,
  is_remote_configuration: row.is_remote_configuration,
  has_encrypted_payloads: row.has_encrypted_payloads,
  has_enriched_analytics: row.has_enriched_analytics,
  tags: row.tags,
});
