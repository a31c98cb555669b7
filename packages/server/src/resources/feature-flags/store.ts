import { type RawBuilder, sql } from 'kysely';
import { userJson } from '../../auth/index.js';
import { jsonColumn } from '../../http/json-column.js';
import { likePattern } from '../../kernel/sql.js';
import type { Db } from '../../ports/db.js';
import { type FlagRow, type FlagState, STATE_FIELDS } from './row.js';

/** Any number, the same in every server: with a project's number, the lock that writers of its flags hold in turn. */
const WRITERS_LOCK = 1_181_507_911;

/** Identifies a flag by id or key; a key finds only flags that are not deleted. */
export type FlagKey = { id: number } | { key: string };

/** That a condition takes everybody. */
const TAKES_ALL = `(!exists(@.properties) || @.properties == null || @.properties.size() == 0) &&
  (!exists(@.rollout_percentage) || @.rollout_percentage == null || @.rollout_percentage == 100)`;
const TAKES_ALL_BY_HASH = `$.groups[*] ? (${TAKES_ALL})`;

/** That everybody gets the same value: some condition takes all, and no variant, holdout or enrolment makes a difference. */
const isConstant = sql<boolean>`(
  jsonb_typeof(f.filters->'groups') = 'array'
  and jsonb_path_exists(f.filters, ${sql.lit(TAKES_ALL_BY_HASH)}, '{}', true)
  and not coalesce((f.filters->'feature_enrollment')::text = 'true', false)
  and not jsonb_path_exists(f.filters, '$.super_groups[*]', '{}', true)
  and not jsonb_path_exists(f.filters, '$.holdout.id', '{}', true)
  and not jsonb_path_exists(f.filters, '$.holdout_groups[*]', '{}', true)
  and case when not jsonb_path_exists(f.filters, '$.multivariate.variants[*]', '{}', true) then true
    when jsonb_array_length(f.filters->'groups') = 1 and jsonb_typeof(f.filters->'groups'->0->'variant') = 'string' then true
    else jsonb_path_exists(f.filters, '$.multivariate.variants[*] ? (@.rollout_percentage == 100)', '{}', true)
      and not jsonb_path_exists(f.filters, '$.groups[*].variant ? (@.type() == "string")', '{}', true) end)`;

/** Condition for a stale flag; status.ts has the reasons. `since`: 30 days ago. */
const isStale = (since: Date) =>
  sql<boolean>`(f.active and f.created_at < ${since}
    and (coalesce(f.last_called_at, f.created_at) < ${since} or (f.updated_at < ${since} and ${isConstant})))`;

const columns = sql`f.id, f.key, f.name,
  case jsonb_typeof(f.filters) when 'object' then f.filters else '{}' end as filters, f.active, f.deleted, f.ensure_experience_continuity, f.bucketing_identifier,
  f.evaluation_runtime, f.evaluation_contexts, f.is_remote_configuration, f.has_encrypted_payloads, f.has_enriched_analytics,
  f.tags, f.usage_dashboard_id, f.analytics_dashboards, f.version, f.created_by, f.created_at, f.updated_at, f.last_modified_by,
  f.last_called_at, ${isConstant} as is_constant,
  (select ${userJson} from users u where u.id = f.created_by) as author,
  (select ${userJson} from users u where u.id = f.last_modified_by) as editor,
  array(select e.id from experiments e where e.feature_flag_id = f.id and not e.deleted order by e.id) as experiment_set,
  array(select e.id from experiments e where e.feature_flag_id = f.id and not e.deleted and not e.archived
    and e.start_date is not null and e.end_date is null order by e.id) as running_experiments,
  coalesce((select json_agg(json_build_object('id', a.id, 'name', a.name, 'description', a.description, 'stage', a.stage,
    'documentation_url', a.documentation_url, 'payload', a.payload) order by a.created_at, a.id)
    from early_access_features a where a.feature_flag_id = f.id), '[]') as features,
  coalesce((select json_agg(json_build_object('id', s.uuid) order by s.id)
    from surveys s where f.id in (s.linked_flag_id, s.targeting_flag_id)), '[]') as surveys`;

/** A flag of the project. */
export async function readFlag(db: Db, projectId: number, key: FlagKey): Promise<FlagRow | null> {
  const found = 'id' in key ? sql`f.id = ${key.id}` : sql`f.key = ${key.key} and not f.deleted`;
  const { rows } = await sql<FlagRow>`
    select ${columns} from feature_flags f where f.project_id = ${projectId} and ${found}`.execute(db);
  return rows[0] ?? null;
}

/** Lets writers of a project's flags in one after the other: what one checks, keys and dependencies, no other changes meanwhile. */
export async function lockFlags(tx: Db, projectId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${WRITERS_LOCK}, ${projectId})`.execute(tx);
}

/** A flag that is to be. */
export interface NewFlag extends FlagState {
  created_by: number | null;
}

/** Makes a flag; answers with its id. */
export async function insertFlag(db: Db, projectId: number, { filters, ...flag }: NewFlag, now: Date): Promise<number> {
  const { id } = await db
    .insertInto('feature_flags')
    .values({
      ...flag,
      filters: jsonColumn(filters),
      project_id: projectId,
      created_at: now,
      updated_at: now,
      last_modified_by: flag.created_by,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** What changes of a flag, and by whom; a change is one more version. */
export interface FlagChange {
  state: Partial<FlagState>;
  userId: number | null;
  now: Date;
}

export async function updateFlag(db: Db, projectId: number, id: number, { state, userId, now }: FlagChange): Promise<void> {
  const { filters, ...rest } = state;
  await db
    .updateTable('feature_flags')
    .set((eb) => ({
      ...rest,
      ...(filters ? { filters: jsonColumn(filters) } : {}),
      version: eb('version', '+', 1),
      updated_at: now,
      last_modified_by: userId,
    }))
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

/** Keeps what a flag is now as the version that it has. */
export async function keepVersion(db: Db, projectId: number, id: number): Promise<void> {
  const snapshot = sql.join(
    STATE_FIELDS.flatMap((field) => [sql.lit(field === 'usage_dashboard_id' ? 'usage_dashboard' : field), sql.ref(field)]),
  );
  await sql`
    insert into feature_flag_versions (flag_id, version, snapshot, created_by, created_at)
    select id, version, jsonb_build_object(${snapshot}), last_modified_by, updated_at
    from feature_flags where project_id = ${projectId} and id = ${id}`.execute(db);
}

/** Which flags a list shall hold; what is undefined holds for all. */
export interface FlagFilter {
  search?: string | undefined;
  /** `STALE`: those that have done their work, as of `stale_since`. */
  active?: boolean | 'STALE' | undefined;
  stale_since: Date;
  created_by?: readonly number[] | undefined;
  /** With any of these. */
  tags?: readonly string[] | undefined;
  type?: FlagType | undefined;
  evaluation_runtime?: string | undefined;
}

export const FLAG_TYPES = ['boolean', 'multivariant', 'experiment', 'remote_config'] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

/** Who lists, and what the access rules hide from them. */
export interface Reader {
  userId: number;
  hidden: readonly number[];
}

/** That a flag was not made by a survey: those are not listed, as they change with their survey. */
const OF_NO_SURVEY = sql`not exists (select from surveys s where s.targeting_flag_id = f.id and s.owns_targeting_flag)`;

const ORDERS = {
  created_at: sql`f.created_at`,
  updated_at: sql`f.updated_at`,
  key: sql`f.key`,
  name: sql`f.name`,
  id: sql`f.id`,
};
export type OrderField = keyof typeof ORDERS;
export interface Order {
  field: OrderField;
  descending: boolean;
}
export const isOrderField = (name: string): name is OrderField => Object.hasOwn(ORDERS, name);

export interface Slice {
  limit: number;
  offset: number;
  order: Order;
}

/** A page of the flags that are not deleted, and how many there are. */
export async function listFlags(
  db: Db,
  projectId: number,
  { userId, hidden }: Reader,
  filter: FlagFilter,
  { limit, offset, order }: Slice,
): Promise<{ count: number; flags: FlagRow[] }> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  const seen = hidden.length === 0 ? [] : [sql`(f.id <> all (${hidden}::int[]) or f.created_by = ${userId})`];
  const where = sql.join(
    [sql`f.project_id = ${projectId}`, sql`not f.deleted`, OF_NO_SURVEY, ...seen, ...conditions(filter)],
    sql` and `,
  );
  const { rows } = await sql<FlagRow & { total: number }>`
    select ${columns}, count(*) over () as total from feature_flags f where ${where}
    order by ${ORDERS[order.field]} ${direction}, f.id ${direction} limit ${limit} offset ${offset}`.execute(db);
  if (rows[0] || offset === 0) return { count: rows[0]?.total ?? 0, flags: rows };
  const all = await sql<{ total: number }>`select count(*) as total from feature_flags f where ${where}`.execute(db);
  return { count: all.rows[0]?.total ?? 0, flags: [] };
}

/** The key of the flag that a survey makes of its targeting filters. */
export const flagOfSurvey = (uuid: string): string => `survey-targeting-${uuid}`;

const HAS_VARIANTS = sql`jsonb_path_exists(f.filters, '$.multivariate.variants[*]', '{}', true)`;
const TYPES: Record<FlagType, RawBuilder<unknown>> = {
  boolean: sql`(not f.is_remote_configuration and not ${HAS_VARIANTS})`,
  multivariant: HAS_VARIANTS,
  experiment: sql`exists (select from experiments e where e.feature_flag_id = f.id and not e.deleted)`,
  remote_config: sql`f.is_remote_configuration`,
};

function conditions(filter: FlagFilter): RawBuilder<unknown>[] {
  const found: RawBuilder<unknown>[] = [];
  if (filter.active === 'STALE') found.push(isStale(filter.stale_since));
  else if (filter.active !== undefined) found.push(sql`f.active = ${filter.active}`);
  if (filter.created_by) found.push(sql`f.created_by = any (${filter.created_by}::int[])`);
  if (filter.tags) found.push(sql`f.tags && ${filter.tags}::text[]`);
  if (filter.type) found.push(TYPES[filter.type]);
  if (filter.evaluation_runtime) found.push(sql`f.evaluation_runtime = ${filter.evaluation_runtime}`);
  if (filter.search !== undefined) {
    const pattern = likePattern(filter.search);
    found.push(sql`(f.key ilike ${pattern} or f.name ilike ${pattern}
      or exists (select from experiments e where e.feature_flag_id = f.id and not e.deleted and e.name ilike ${pattern}))`);
  }
  return found;
}

/** A flag by name alone. */
export interface FlagName {
  id: number;
  key: string;
  name: string;
  active: boolean;
  created_by: number | null;
}

/** These flags by name, in the order of making. */
export async function readNames(db: Db, projectId: number, ids: readonly number[]): Promise<FlagName[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('feature_flags')
    .select(['id', 'key', 'name', 'active', 'created_by'])
    .where('project_id', '=', projectId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
}
