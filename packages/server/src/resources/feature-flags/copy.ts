import { sql } from 'kysely';
import { z } from 'zod';
import { accessOf } from '../../access/index.js';
import { type OrganizationContext, openProject, organizationRoute, type ProjectContext } from '../../auth/index.js';
import { integer, list, text } from '../../http/fields.js';
import { inTransaction } from '../../http/in-transaction.js';
import { ApiError } from '../../kernel/errors.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import { type FlagFields, flagSchema } from './schema.js';
import { changeFlag, createFlag } from './service.js';
import { type FlagRow, lockFlags, readFlag } from './store.js';
import { type FlagView, flagView, settingsOf } from './view.js';

const copySchema = z
  .object({
    feature_flag_key: text({ max: 400 }).describe('Key of the flag.'),
    from_project: integer().describe('Number of the project to copy from.'),
    target_project_ids: list(integer())
      .transform((ids) => [...new Set(ids)])
      .describe('Numbers of the projects to copy to.'),
  })
  .meta({ example: { feature_flag_key: 'new-checkout', from_project: 1, target_project_ids: [2, 3] } });
type CopyFields = z.output<typeof copySchema>;

const copiedSchema = z.object({
  success: z.array(flagSchema.extend({ project_id: z.int().describe('Number of the project.') })).describe('The copied flags.'),
  failed: z
    .array(
      z.object({
        project_id: z.int().describe('Number of the project.'),
        error_message: z.string().describe('Why the copy failed.'),
      }),
    )
    .describe('Projects without a copy; nothing in them has changed.'),
});

/** Routes under `/api/organizations/:organization_id`. */
export const copyRoutes = [
  organizationRoute({
    method: 'POST',
    path: '/feature_flags/copy_flags/',
    scope: 'feature_flag:write',
    summary: 'Copy a feature flag to other projects',
    description:
      'Updates the flag with the same key in each project, or creates it. Cohorts, flags and group types of the conditions must exist in the project under the same names.',
    body: copySchema,
    status: 200,
    response: copiedSchema,
    errors: [404],
    handle: ({ body, ...context }) => copyFlag(context, body),
  }),
];

type Place = Pick<ProjectContext, 'deps' | 'principal' | 'project' | 'membership'>;

/** Copies a flag to other projects of the organization. A project that fails does not affect the others. @throws ApiError not_found, permission_denied */
async function copyFlag(context: OrganizationContext, { feature_flag_key: key, from_project, target_project_ids }: CopyFields) {
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
  ...settingsOf(row),
});

/** The names of the objects that filters refer to by numbers. Numbers differ between projects. */
interface Names {
  cohorts: { id: number; name: string | null }[];
  flags: { id: number; key: string }[];
  group_types: { index: number; name: string }[];
}

/** Reads the names of a project in one statement; among cohorts with the same name the oldest comes first. */
async function readNamesOf(db: Db, projectId: number): Promise<Names> {
  const { rows } = await sql<Names>`
    select
      coalesce((select json_agg(json_build_object('id', id, 'name', name) order by id) from cohorts
        where project_id = ${projectId} and not deleted), '[]') as cohorts,
      coalesce((select json_agg(json_build_object('id', id, 'key', key)) from feature_flags
        where project_id = ${projectId} and not deleted), '[]') as flags,
      coalesce((select json_agg(json_build_object('index', group_type_index, 'name', group_type)) from group_types
        where project_id = ${projectId}), '[]') as group_types`.execute(db);
  return rows[0] ?? { cohorts: [], flags: [], group_types: [] };
}

/**
 * Translates filters of one project for another one, where it finds cohorts, flags and group types by their names.
 * @throws ApiError does_not_exist: the other project has none of the name
 */
function translateFilters(filters: JsonObject, from: Names, to: Names): JsonObject {
  const condition = (one: Json): Json => {
    if (!isObject(one)) return one;
    const { properties } = one;
    return {
      ...one,
      ...(Array.isArray(properties) ? { properties: properties.map(property) } : {}),
      ...groupTypeOf(one, 'aggregation_group_type_index', from, to),
    };
  };
  const property = (one: Json): Json => {
    if (!isObject(one)) return one;
    if (one['type'] === 'cohort') return { ...one, value: cohortOf(one['value'] ?? null, from, to) };
    if (one['type'] === 'flag') return { ...one, key: flagOf(one['key'] ?? null, from, to) };
    return { ...one, ...groupTypeOf(one, 'group_type_index', from, to) };
  };
  const conditions = Object.entries(filters).filter(([field]) => field === 'groups' || field === 'super_groups');
  return {
    ...filters,
    ...Object.fromEntries(conditions.map(([field, value]) => [field, Array.isArray(value) ? value.map(condition) : value])),
    ...groupTypeOf(filters, 'aggregation_group_type_index', from, to),
  };
}

function cohortOf(value: Json, from: Names, to: Names): Json {
  if (Array.isArray(value)) return value.map((one) => cohortOf(one, from, to));
  const cohort = from.cohorts.find(({ id }) => String(id) === String(value));
  const found = cohort?.name ? to.cohorts.find(({ name }) => name === cohort.name) : undefined;
  return found?.id ?? refuse(`The project has no cohort called ${cohort?.name ?? String(value)}.`);
}

function flagOf(value: Json, from: Names, to: Names): Json {
  const flag = from.flags.find(({ id, key }) => String(id) === value || key === value);
  const found = flag && to.flags.find(({ key }) => key === flag.key);
  return found ? String(found.id) : refuse(`The project has no feature flag with the key ${flag?.key ?? String(value)}.`);
}

function groupTypeOf(object: JsonObject, field: string, from: Names, to: Names): JsonObject {
  const index = object[field];
  if (typeof index !== 'number') return {};
  const type = from.group_types.find((one) => one.index === index);
  const found = type && to.group_types.find(({ name }) => name === type.name);
  return { [field]: found?.index ?? refuse(`The project has no group type ${type?.name ?? index}.`) };
}

function refuse(detail: string): never {
  throw new ApiError('does_not_exist', detail);
}
