import { sql } from 'kysely';
import { accessOf } from '../../access/index.js';
import { behavioralCohorts } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { withTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { lockFlags } from '../feature-flags/index.js';

/** Flags and cohorts that an error names at most. */
const MAX_NAMED = 20;

/** Refuses to delete a cohort that is in use. @throws ApiError invalid_input: names the flags and cohorts that use it */
export async function requireUnused(tx: DbTransaction, context: ProjectContext, cohortId: number): Promise<void> {
  // changes of flags check their cohorts under the same lock
  await lockFlags(tx, context.project.id);
  const used = await readUsedBy(tx, context.project.id, cohortId);
  if (used.flags.length + used.cohorts.length === 0) return;
  const users = await named(tx, context, used);
  throw new ApiError('invalid_input', `This cohort is used by ${users}. Take it out there first.`, 'deleted');
}

/**
 * Refuses behavioral conditions in cohorts that flags use, directly or through other cohorts: flag evaluation reads no events.
 * @throws ApiError invalid_input: names the flags
 */
export async function requireNoFlagOnBehavior(tx: DbTransaction, context: ProjectContext): Promise<void> {
  const behavioral = behavioralCohorts(await readNestedCohorts(tx, context.project.id));
  if (behavioral.size === 0) return;
  await lockFlags(tx, context.project.id);
  const flags = await readFlagsNaming(tx, context.project.id, [...behavioral]);
  if (flags.length === 0) return;
  const users = await named(tx, context, { flags, cohorts: [] });
  throw new ApiError('invalid_input', `Flags cannot ask what people did, and this cohort is used by ${users}.`, 'filters');
}

/** Lists flags and cohorts for an error: the visible ones by name, the hidden ones as a number. */
async function named(tx: DbTransaction, context: ProjectContext, { flags, cohorts }: UsedBy): Promise<string> {
  const within = withTransaction(context, tx);
  const [flagAccess, cohortAccess] = await Promise.all([accessOf(within, 'feature_flag'), accessOf(within, 'cohort')]);
  const names = [
    ...flags.filter((flag) => flagAccess.levelOn(flag) !== 'none').map(({ key }) => `feature flag "${key}"`),
    ...cohorts
      .filter((cohort) => cohortAccess.levelOn(cohort) !== 'none')
      .map(({ id, name }) => (name ? `cohort "${name}" (${id})` : `cohort ${id}`)),
  ].slice(0, MAX_NAMED);
  const unnamed = flags.length + cohorts.length - names.length;
  return [...names, ...(unnamed > 0 ? [`${unnamed} ${names.length > 0 ? 'more' : 'that you cannot see'}`] : [])].join(', ');
}

/** Flags and cohorts whose conditions name a cohort, with the fields that the access rules need. */
interface UsedBy {
  flags: { id: number; created_by: number | null; key: string }[];
  cohorts: { id: number; created_by: number | null; name: string | null }[];
}

/** Reads what uses a cohort. */
async function readUsedBy(db: Db, projectId: number, cohortId: number): Promise<UsedBy> {
  const names = sql`jsonb_path_exists(filters, '$.** ? (@.type == "cohort").value ? (@ == $id || @ == $text)',
    jsonb_build_object('id', ${cohortId}::int, 'text', ${String(cohortId)}::text), true)`;
  const { rows } = await sql<UsedBy>`
    select
      coalesce((select json_agg(json_build_object('id', id, 'created_by', created_by, 'key', key) order by id)
        from feature_flags where project_id = ${projectId} and not deleted and ${names}), '[]') as flags,
      coalesce((select json_agg(json_build_object('id', id, 'created_by', created_by, 'name', name) order by id)
        from cohorts where project_id = ${projectId} and not deleted and id <> ${cohortId} and ${names}), '[]') as cohorts`.execute(
    db,
  );
  return rows[0] ?? { flags: [], cohorts: [] };
}

/** Reads the cohorts of a project that have behavioral conditions or name other cohorts. */
async function readNestedCohorts(db: Db, projectId: number): Promise<{ id: number; filters: unknown }[]> {
  const { rows } = await sql<{ id: number; filters: unknown }>`
    select id, filters from cohorts where project_id = ${projectId} and not deleted
      and jsonb_path_exists(filters, '$.** ? (@.type == "behavioral" || @.type == "cohort")')`.execute(db);
  return rows;
}

/** Reads the flags whose conditions name any of these cohorts. */
async function readFlagsNaming(db: Db, projectId: number, cohortIds: readonly number[]): Promise<UsedBy['flags']> {
  const { rows } = await sql<UsedBy['flags'][number]>`
    select id, created_by, key from feature_flags where project_id = ${projectId} and not deleted
      and exists (
        select from jsonb_path_query(filters, '$.** ? (@.type == "cohort").value') as named
        where named #>> '{}' = any (${cohortIds.map(String)}::text[])
      ) order by id`.execute(db);
  return rows;
}
