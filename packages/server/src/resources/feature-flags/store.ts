import { sql } from 'kysely';
import { type User, userJson } from '../../auth/index.js';
import { jsonColumn } from '../../http/json-column.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';

/** The fields that updates can change, and that versions have. */
export interface FlagState {
  key: string;
  /** What the flag is for. */
  name: string;
  filters: JsonObject;
  active: boolean;
  deleted: boolean;
  ensure_experience_continuity: boolean;
  bucketing_identifier: 'distinct_id' | 'device_id';
  evaluation_runtime: 'all' | 'client' | 'server';
  evaluation_contexts: string[];
  is_remote_configuration: boolean;
  has_encrypted_payloads: boolean;
  has_enriched_analytics: boolean;
  tags: string[];
  usage_dashboard_id: number | null;
  analytics_dashboards: number[];
}

export const STATE_FIELDS = [
  'key',
  'name',
  'filters',
  'active',
  'deleted',
  'ensure_experience_continuity',
  'bucketing_identifier',
  'evaluation_runtime',
  'evaluation_contexts',
  'is_remote_configuration',
  'has_encrypted_payloads',
  'has_enriched_analytics',
  'tags',
  'usage_dashboard_id',
  'analytics_dashboards',
] as const satisfies readonly (keyof FlagState)[];

/** An early access feature of a flag. */
export interface FeatureOfFlag {
  id: string;
  name: string;
  description: string;
  stage: string;
  documentation_url: string;
  payload: JsonObject;
}

/** A row of the table `feature_flags`, with the objects that use the flag. */
export interface FlagRow extends FlagState {
  id: number;
  version: number;
  created_by: number | null;
  /** The user who created it. */
  author: User | null;
  created_at: Date;
  updated_at: Date;
  last_modified_by: number | null;
  /** The user who last changed it. */
  editor: User | null;
  last_called_at: Date | null;
  /** Ids of experiments that are not deleted, oldest first. */
  experiment_set: number[];
  /** Ids of the running experiments. */
  running_experiments: number[];
  features: FeatureOfFlag[];
  /** Surveys that are shown only to people for whom it is on, oldest first. */
  surveys: { id: string }[];
  /** Whether its conditions give everybody the same value. */
  is_constant: boolean;
}

/** The flag of an early access feature, an experiment or a survey, with the fields that their responses and the access rules need. */
export type LinkedFlag = Pick<
  FlagRow,
  'id' | 'key' | 'name' | 'filters' | 'active' | 'deleted' | 'ensure_experience_continuity' | 'version' | 'created_by'
>;

/** Selects a {@link LinkedFlag} of `feature_flags` under this alias; null where the join found none. */
export const linkedFlagJson = (alias: string) => {
  const f = sql.ref(alias);
  return sql<LinkedFlag | null>`case when ${f}.id is not null then json_build_object('id', ${f}.id, 'key', ${f}.key, 'name', ${f}.name,
    'filters', ${f}.filters, 'active', ${f}.active, 'deleted', ${f}.deleted,
    'ensure_experience_continuity', ${f}.ensure_experience_continuity, 'version', ${f}.version, 'created_by', ${f}.created_by) end`;
};

/** Key of the advisory lock of writers of flags, together with the project id. Every server has the same. */
const WRITERS_LOCK = 1_181_507_911;

/** Identifies a flag by id or key; a key finds only flags that are not deleted. */
export type FlagKey = { id: number } | { key: string };

/** Matches conditions for everybody. */
const TAKES_ALL = `(!exists(@.properties) || @.properties == null || @.properties.size() == 0) &&
  (!exists(@.rollout_percentage) || @.rollout_percentage == null || @.rollout_percentage == 100)`;
const TAKES_ALL_PATH = `$.groups[*] ? (${TAKES_ALL})`;

/** Condition for a flag that gives everybody the same value: a condition for everybody, and no difference by variant, holdout or enrolment. */
export const isConstant = sql<boolean>`(
  jsonb_typeof(f.filters->'groups') = 'array'
  and jsonb_path_exists(f.filters, ${sql.lit(TAKES_ALL_PATH)}, '{}', true)
  and not coalesce((f.filters->'feature_enrollment')::text = 'true', false)
  and not jsonb_path_exists(f.filters, '$.super_groups[*]', '{}', true)
  and not jsonb_path_exists(f.filters, '$.holdout.id', '{}', true)
  and not jsonb_path_exists(f.filters, '$.holdout_groups[*]', '{}', true)
  and case when not jsonb_path_exists(f.filters, '$.multivariate.variants[*]', '{}', true) then true
    when jsonb_array_length(f.filters->'groups') = 1 and jsonb_typeof(f.filters->'groups'->0->'variant') = 'string' then true
    else jsonb_path_exists(f.filters, '$.multivariate.variants[*] ? (@.rollout_percentage == 100)', '{}', true)
      and not jsonb_path_exists(f.filters, '$.groups[*].variant ? (@.type() == "string")', '{}', true) end)`;

/** The columns of a {@link FlagRow}, from `feature_flags f`. */
export const flagColumns = sql`f.id, f.key, f.name,
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

/** Reads a flag of the project. */
export async function readFlag(db: Db, projectId: number, key: FlagKey): Promise<FlagRow | null> {
  const found = 'id' in key ? sql`f.id = ${key.id}` : sql`f.key = ${key.key} and not f.deleted`;
  const { rows } = await sql<FlagRow>`
    select ${flagColumns} from feature_flags f where f.project_id = ${projectId} and ${found}`.execute(db);
  return rows[0] ?? null;
}

/** Serializes writers of a project's flags until the transaction ends, so that keys and dependencies stay as they were checked. */
export async function lockFlags(tx: Db, projectId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${WRITERS_LOCK}, ${projectId})`.execute(tx);
}

/** A flag to insert. */
export interface NewFlag extends FlagState {
  created_by: number | null;
}

/** Inserts a flag; resolves to its id. */
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

/** The changed fields of a flag, and the user. Each change is a new version. */
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

/** The key of the flag with the targeting filters of a survey. */
export const flagOfSurvey = (uuid: string): string => `survey-targeting-${uuid}`;

/** A flag in short. */
export interface FlagName {
  id: number;
  key: string;
  name: string;
  active: boolean;
  created_by: number | null;
}

/** Reads these flags in short, oldest first. */
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

/** Stores the time of a user's last view of a flag. */
export async function stampView(db: Db, projectId: number, flagId: number, userId: number, now: Date): Promise<void> {
  await db
    .insertInto('feature_flag_views')
    .values({ feature_flag_id: flagId, user_id: userId, project_id: projectId, last_viewed_at: now })
    .onConflict((conflict) => conflict.columns(['feature_flag_id', 'user_id']).doUpdateSet({ last_viewed_at: now }))
    .execute();
}
