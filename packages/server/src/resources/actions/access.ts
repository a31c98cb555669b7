import { type AccessControlOptions, findersOf } from '../../access/index.js';
import { recordActivity, ruleEntry } from '../activity/index.js';
import { actionParams } from './schema.js';
import { type ActionRow, readAction } from './store.js';

const { readLive, findVisible, findEditable } = findersOf<ActionRow>({
  resource: 'action',
  read: ({ deps, project }, id) => readAction(deps.db, project.id, id),
});

export { findEditable, findVisible };

/** The access rules of single actions. */
export const accessControls: AccessControlOptions<ActionRow> = {
  resource: 'action',
  path: '/actions/:id',
  params: actionParams,
  load: readLive,
  changed: (tx, context, { id, name }, change) =>
    recordActivity(tx, context.deps, ruleEntry(context, { of: { resource: 'action', id }, name }, change)),
};
