import type { AccessControlOptions } from '../../access/index.js';
import { ApiError } from '../../kernel/errors.js';
import { recordActivity, ruleEntry } from '../activity/index.js';
import { findRow } from './find-flag.js';
import { flagParams } from './routes.js';
import type { FlagRow } from './row.js';

/** The rules about who may see and change one flag. */
export const accessControls: AccessControlOptions<FlagRow> = {
  resource: 'feature_flag',
  path: '/feature_flags/:id',
  params: flagParams,
  load: async (context) => {
    const row = await findRow(context, context.params['id'] ?? '');
    if (row.deleted) throw new ApiError('not_found');
    return row;
  },
  changed: (tx, context, { id, key }, change) =>
    recordActivity(tx, context.deps, ruleEntry(context, { of: { resource: 'feature_flag', id }, name: key }, change)),
};
