import { sql } from 'kysely';
import { accessOf } from '../../access/index.js';
import { behavioralCohorts, findReferences, readCohortFilter, UnknownAction, UnknownCohort } from '../../analytics/index.js';
import type { ProjectContext } from '../../auth/index.js';
import { withTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { Db, DbTransaction } from '../../ports/db.js';
import { lockFlags } from '../feature-flags/index.js';

/**
 * Brings the conditions of a cohort into the form that is stored: a tree, in which every leaf has a `type`.
 * @throws ApiError required, or the error of a condition with its path
 */
export function normalizeFilters(given: JsonObject): JsonObject {
  const { properties } = given;
  if (properties === undefined || properties === null) {
    throw new ApiError('required', 'This field is required.', 'filters__properties');
  }
  try {
    readCohortFilter(given);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.code, error.body.detail, ['filters', error.body.attr].filter(Boolean).join('__'));
  }
  return { properties: normalize(Array.isArray(properties) ? { type: 'AND', values: properties } : properties) };
}

function normalize(node: Json): Json {
  if (!isObject(node)) return node;
  const { type, values } = node;
  if (Array.isArray(values) && !('key' in node)) return { ...node, type: type ?? 'AND', values: values.map(normalize) };
  return { ...node, type: type ?? 'person' };
}

/**
 * Checks the cohorts and actions that the conditions of `cohortId` (null: a new cohort) name.
 * @throws ApiError invalid_input: one of them does not exist, or contains the cohort
 */
export async function requireValidReferences(
  db: Db,
  projectId: number,
  cohortId: number | null,
  filters: JsonObject,
): Promise<void> {
  const { cohorts } = await findReferences(db, projectId, [readCohortFilter(filters)]).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    const isUnknown = error instanceof UnknownCohort || error instanceof UnknownAction;
    const path = isUnknown ? pathOf(filters.properties, 'filters__properties', error) : null;
    throw new ApiError(error.code, error.body.detail, path ?? 'filters');
  });
  if (cohortId !== null && cohorts.has(cohortId)) {
    throw new ApiError('invalid_input', 'A cohort cannot contain itself, not even through other cohorts.', 'filters');
  }
}

/** The path of the condition that names a missing cohort or action; null: only another cohort names it. */
function pathOf(node: Json | undefined, path: string, missing: UnknownCohort | UnknownAction): string | null {
  if (node === undefined || !isObject(node)) return null;
  const { type, value, values, key, event_type: eventType } = node;
  const { id } = missing;
  if (type === 'cohort') {
    return missing instanceof UnknownCohort && [value].flat().map(Number).includes(id) ? `${path}__value` : null;
  }
  if (type === 'behavioral') {
    return missing instanceof UnknownAction && eventType === 'actions' && Number(key) === id ? `${path}__key` : null;
  }
  if (!Array.isArray(values)) return null;
  const paths = values.map((one, index) => pathOf(one, `${path}__values__${index}`, missing));
  return paths.find((one) => one !== null) ?? null;
}

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

/** What uses a cohort, as far as the caller may see it, and how much more does. */
export async function usedBy(context: ProjectContext, cohortId: number) {
  const all = await readUsedBy(context.deps.db, context.project.id, cohortId);
  const { flags, cohorts } = await visible(context, all);
  return {
    flags: flags.map(({ id, key }) => ({ id, key })),
    cohorts: cohorts.map(({ id, name }) => ({ id, name })),
    hidden: all.flags.length + all.cohorts.length - flags.length - cohorts.length,
  };
}

/** The flags and cohorts that the caller may see. */
async function visible(context: ProjectContext, { flags, cohorts }: UsedBy): Promise<UsedBy> {
  const [flagAccess, cohortAccess] = await Promise.all([accessOf(context, 'feature_flag'), accessOf(context, 'cohort')]);
  return {
    flags: flags.filter((flag) => flagAccess.levelOn(flag) !== 'none'),
    cohorts: cohorts.filter((cohort) => cohortAccess.levelOn(cohort) !== 'none'),
  };
}

/** Lists flags and cohorts for an error: the visible ones by name, the hidden ones as a number. */
async function named(tx: DbTransaction, context: ProjectContext, { flags, cohorts }: UsedBy): Promise<string> {
  const seen = await visible(withTransaction(context, tx), { flags, cohorts });
  const names = [
    ...seen.flags.map(({ key }) => `feature flag "${key}"`),
    ...seen.cohorts.map(({ id, name }) => (name ? `cohort "${name}" (${id})` : `cohort ${id}`)),
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
