import { accessOf } from '../../access/index.js';
import type { ProjectContext } from '../../identity/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { lockFlags } from '../flags/index.js';
import { readUsedBy } from './used-by-store.js';

const MAX_TOLD = 20;

/** @throws ApiError invalid_input, naming the flags and cohorts that look at the cohort */
export async function requireUnused(tx: DbTransaction, context: ProjectContext, cohortId: number): Promise<void> {
  // whoever changes a flag looks at its cohorts under this lock
  await lockFlags(tx, context.project.id);
  const { flags, cohorts } = await readUsedBy(tx, context.project.id, cohortId);
  if (flags.length + cohorts.length === 0) return;
  const within = { ...context, deps: { ...context.deps, db: tx } };
  const [flagAccess, cohortAccess] = await Promise.all([accessOf(within, 'feature_flag'), accessOf(within, 'cohort')]);
  const told = [
    ...flags.filter((flag) => flagAccess.levelOn(flag) !== 'none').map(({ key }) => `feature flag "${key}"`),
    ...cohorts
      .filter((cohort) => cohortAccess.levelOn(cohort) !== 'none')
      .map(({ id, name }) => (name ? `cohort "${name}" (${id})` : `cohort ${id}`)),
  ].slice(0, MAX_TOLD);
  const untold = flags.length + cohorts.length - told.length;
  const users = [...told, ...(untold > 0 ? [`${untold} ${told.length > 0 ? 'more' : 'that you cannot see'}`] : [])].join(', ');
  throw new ApiError('invalid_input', `This cohort is used by ${users}. Take it out there first.`, 'deleted');
}
