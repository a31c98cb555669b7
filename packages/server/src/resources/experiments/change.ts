import { type Access, accessOf } from '../../access/index.js';
import { comparedVariants } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { inTransaction, lockRow, withTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { recordActivity } from '../activity/index.js';
import { changeFlag, type FlagChangeFields, type FlagRow } from '../feature-flags/index.js';
import { updateEntry } from './activity.js';
import { countChange, type ExperimentRow, type ExperimentState, readExperiment, updateExperiment } from './store.js';
import { areSame } from './variants.js';

/** The transaction of a change of an experiment. */
export interface Change {
  tx: DbTransaction;
  context: ProjectContext;
  now: Date;
  /** Changes the flag of the experiment. @throws ApiError permission_denied, and the errors of flags */
  changeFlag(row: ExperimentRow, fields: FlagChangeFields | ((flag: FlagRow) => FlagChangeFields)): Promise<void>;
}

/**
 * Updates an experiment, its flag and the activity log in one transaction. `decide` gets the locked experiment and returns the fields to change.
 * @throws ApiError not_found, and the errors of `decide`
 */
export function changeExperiment(
  context: ProjectContext,
  id: number,
  decide: (before: ExperimentRow, change: Change) => Promise<Partial<ExperimentState>>,
): Promise<ExperimentRow> {
  const { deps, project, principal } = context;
  return inTransaction(deps.db, async (tx) => {
    await lockRow(tx, 'experiments', project.id, id);
    const before = await read(tx, project.id, id);
    const change = toolsOf(tx, context);
    const state = await decide(before, change);
    if (before.deleted && state.deleted !== false) throw new ApiError('not_found');
    if (Object.keys(state).length > 0) {
      await updateExperiment(tx, project.id, id, { ...stateOf(before), ...state }, change.now);
    }
    const after = await read(tx, project.id, id);
    const entry = updateEntry(context, before, after);
    await recordActivity(tx, deps, entry);
    // the variants of a draft are stored in its flag
    const isChanged = entry.detail.changes?.length || !areSame(comparedVariants(before), comparedVariants(after));
    if (!isChanged) return after;
    await countChange(tx, project.id, id, principal.userId);
    return read(tx, project.id, id);
  });
}

/** What a transaction needs to change experiments and flags by its own connection. */
export function toolsOf(tx: DbTransaction, context: ProjectContext): Change {
  const within = withTransaction(context, tx);
  return {
    tx,
    context: within,
    now: new Date(context.deps.clock.now()),
    changeFlag: async (row, fields) => {
      const access = await flagAccess(within);
      await changeFlag(tx, within, row.flag.id, fields, (flag) => access.requireOn(flag, 'editor'));
    },
  };
}

/** The caller's access to flags. */
export const flagAccess = (context: ProjectContext): Promise<Access> => accessOf(context, 'feature_flag');

async function read(tx: DbTransaction, projectId: number, id: number): Promise<ExperimentRow> {
  const row = await readExperiment(tx, projectId, id);
  if (!row) throw new ApiError('not_found');
  return row;
}

function stateOf(row: ExperimentRow): ExperimentState {
  const { id: _id, created_by: _by, author: _author, created_at: _at, updated_at: _changed, flag: _flag, ...rest } = row;
  const { version: _version, modifier: _modifier, ...state } = rest;
  return state;
}
