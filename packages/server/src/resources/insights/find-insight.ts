import { type Access, type AccessContext, accessOf, CAN_EDIT } from '../../access/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { requestsRestore } from '../../http/asks-to-restore.js';
import { objectId } from '../../http/ids.js';
import { ApiError } from '../../kernel/errors.js';
import type { InsightRow } from '../tiles/index.js';
import { insightLevels } from './levels.js';
import { type InsightKey, readInsight } from './store.js';

export type ItemContext = ProjectContext & { params: Record<string, string> };

/** Who looks for an insight, also without a request. */
type LookContext = AccessContext & { params: Record<string, string> };

/** An insight that the caller may see, and what the access rules say to them about insights. */
export interface FoundInsight {
  row: InsightRow;
  access: Access;
}

/** What the access rules look at. */
export const subjectOf = ({ id, created_by_id }: InsightRow) => ({ id, created_by: created_by_id });

/** The insight of a path segment (number or short id). @throws ApiError not_found; permission_denied: hidden from the caller */
export async function findInsight(context: LookContext): Promise<FoundInsight> {
  const found = await find(context);
  if (found.row.deleted) throw new ApiError('not_found');
  found.access.requireOn(subjectOf(found.row), 'viewer');
  return found;
}

/**
 * The insight of a path segment, for somebody who may change it. A deleted one is there only for who restores it.
 * @throws ApiError not_found, permission_denied
 */
export async function findEditable(context: ItemContext): Promise<FoundInsight> {
  const found = await find(context);
  if (found.row.deleted && !(await requestsRestore(context.request))) throw new ApiError('not_found');
  requireEditable(context, found);
  return found;
}

/** @throws ApiError permission_denied */
export function requireEditable(context: ProjectContext, { row, access }: FoundInsight): void {
  access.requireOn(subjectOf(row), 'editor');
  if (insightLevels(context, row).effective_privilege_level >= CAN_EDIT) return;
  throw new ApiError(
    'permission_denied',
    'This insight is on a dashboard that can only be edited by its owner, team members invited to editing the dashboard, and project admins.',
  );
}

async function find(context: LookContext): Promise<FoundInsight> {
  const [row, access] = await Promise.all([readRow(context), accessOf(context, 'insight')]);
  return { row, access };
}

/** The insight of a path segment, deleted or not, whoever asks. @throws ApiError not_found */
export async function readRow({ deps, project, principal, params }: LookContext): Promise<InsightRow> {
  const key = keyOf(params['id'] ?? '');
  const row = key && (await readInsight(deps.db, project.id, key, principal.userId));
  if (!row) throw new ApiError('not_found');
  return row;
}

function keyOf(segment: string): InsightKey | null {
  const id = objectId(segment);
  if (id !== null) return { id };
  return /^[\w-]{1,12}$/.test(segment) ? { short_id: segment } : null;
}
