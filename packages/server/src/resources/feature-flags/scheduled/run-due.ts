import { accessOf } from '../../../access/index.js';
import { reopenProject } from '../../../auth/index.js';
import type { Deps } from '../../../deps.js';
import { inTransaction, withTransaction } from '../../../http/in-transaction.js';
import { ApiError } from '../../../kernel/errors.js';
import { objectId } from '../../../kernel/ids.js';
import type { Db } from '../../../ports/db.js';
import { changeFlag } from '../service.js';
import { readFlag } from '../store.js';
import { plannedFields } from './service.js';
import { attempt, claimDue, type DueChange, finishDue } from './store.js';

/** Makes all due changes; resolves to their number. Several servers may run this at the same time. */
export async function runDueChanges(deps: Deps): Promise<number> {
  for (let count = 0; ; count++) {
    if (!(await inTransaction(deps.db, (tx) => runNext(deps, tx)))) return count;
  }
}

async function runNext(deps: Deps, tx: Db): Promise<boolean> {
  const now = new Date(deps.clock.now());
  const change = await claimDue(tx, now);
  if (!change) return false;
  let failure: string | null = null;
  try {
    await attempt(tx, () => make(withTransaction({ deps }, tx), tx, change));
  } catch (error) {
    // other errors are faults of the service or its database: the change stays due
    if (!(error instanceof ApiError)) throw error;
    failure = error.message;
  }
  await finishDue(tx, change.id, now, failure);
  return true;
}

/** @throws ApiError why the change cannot be made */
async function make(
  { deps }: { deps: Deps },
  tx: Db,
  { id, project_id, record_id, payload, user_id: userId }: DueChange,
): Promise<void> {
  if (userId === null) throw new ApiError('permission_denied', 'The user who scheduled the change is gone.');
  const principal = { userId, userUuid: '', email: '', key: null, currentOrganizationId: null, currentProjectId: null };
  const context = { deps, principal, ...(await reopenProject(deps, principal, project_id)) };
  const flagId = objectId(record_id);
  const row = flagId === null ? null : await readFlag(tx, project_id, { id: flagId });
  if (!row || row.deleted) throw new ApiError('not_found', 'The feature flag is deleted.');
  const access = await accessOf(context, 'feature_flag');
  const trigger = { job_type: 'scheduled_change', job_id: String(id) };
  await changeFlag(
    tx,
    { ...context, trigger },
    row.id,
    (found) => plannedFields(found, payload),
    (found) => access.requireOn(found, 'editor'),
  );
}
