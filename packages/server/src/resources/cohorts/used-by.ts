import { accessOf } from '../../access/index.js';
import { behavioralCohorts } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { ApiError } from '../../kernel/errors.js';
import type { DbTransaction } from '../../ports/db.js';
import { lockFlags } from '../feature-flags/index.js';
import { readFlagsNaming, readMadeCohorts, readUsedBy, type UsedBy } from './used-by-store.js';

const MAX_TOLD = 20;

/** @throws ApiError invalid_input, naming the flags and cohorts that look at the cohort */
export async function requireUnused(tx: DbTransaction, context: ProjectContext, cohortId: number): Promise<void> {
  // whoever changes a flag looks at its cohorts under this lock
  await lockFlags(tx, context.project.id);
  const used = await readUsedBy(tx, context.project.id, cohortId);
  if (used.flags.length + used.cohorts.length === 0) return;
  const users = await named(tx, context, used);
  throw new ApiError('invalid_input', `This cohort is used by ${users}. Take it out there first.`, 'deleted');
}

/**
 * Flags are answered from what is known of a person, without a look at events.
 * @throws ApiError invalid_input, naming the flags that look at a cohort that asks what people did, itself or through another one
 */
export async function requireNoFlagOnBehavior(tx: DbTransaction, context: ProjectContext): Promise<void> {
  const behavioral = behavioralCohorts(await readMadeCohorts(tx, context.project.id));
  if (behavioral.size === 0) return;
  await lockFlags(tx, context.project.id);
  const flags = await readFlagsNaming(tx, context.project.id, [...behavioral]);
  if (flags.length === 0) return;
  const users = await named(tx, context, { flags, cohorts: [] });
  throw new ApiError('invalid_input', `Flags cannot ask what people did, and this cohort is used by ${users}.`, 'filters');
}

/** The flags and cohorts that the caller may see by their names, and the number of the others. */
async function named(tx: DbTransaction, context: ProjectContext, { flags, cohorts }: UsedBy): Promise<string> {
  const within = { ...context, deps: { ...context.deps, db: tx } };
  const [flagAccess, cohortAccess] = await Promise.all([accessOf(within, 'feature_flag'), accessOf(within, 'cohort')]);
  const told = [
    ...flags.filter((flag) => flagAccess.levelOn(flag) !== 'none').map(({ key }) => `feature flag "${key}"`),
    ...cohorts
      .filter((cohort) => cohortAccess.levelOn(cohort) !== 'none')
      .map(({ id, name }) => (name ? `cohort "${name}" (${id})` : `cohort ${id}`)),
  ].slice(0, MAX_TOLD);
  const untold = flags.length + cohorts.length - told.length;
  return [...told, ...(untold > 0 ? [`${untold} ${told.length > 0 ? 'more' : 'that you cannot see'}`] : [])].join(', ');
}
