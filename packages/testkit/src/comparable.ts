/** An object of JSON. */
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields that differ between an object and its copy, wherever they stand. */
const OWN = new Set([
  // the copy is another object, which was made now by the person who imported it
  'created_at',
  'created_by',
  'updated_at',
  'last_modified_at',
  'last_modified_by',
  'created_by_email',
  // how it was made: by the import
  'creation_mode',
  'use_template',
  'use_dashboard',
  'is_sample',
  // shares are prepared and switched off, because their links are others: their settings are compared
  'is_shared',
  // numbers of changes
  'version',
  // the project
  'team',
  'team_id',
  'project_id',
  // results and when they were computed
  'result',
  'results',
  'columns',
  'types',
  'hasMore',
  'hogql',
  'last_refresh',
  'complete_until',
  'is_cached',
  'query_status',
  'cache_target_age',
  'next_allowed_client_refresh',
  'timings',
  'clickhouse',
  'resolved_date_range',
  'last_calculation',
  'is_calculating',
  'errors_calculating',
  // who looks at it or calls it, and when
  'last_viewed_at',
  'last_accessed_at',
  'last_called_at',
  'last_seen_at',
  'view_count',
]);

/** Identities of an object itself. */
export const IDENTITY = new Set(['id', 'uuid', 'short_id']);

/** The kind that the number in a field belongs to. */
const REFERENCES: Readonly<Record<string, string>> = {
  dashboard: 'dashboards',
  dashboard_id: 'dashboards',
  dashboards: 'dashboards',
  usage_dashboard: 'dashboards',
  analytics_dashboards: 'dashboards',
  dashboard_item: 'insights',
  insight: 'insights',
  insight_id: 'insights',
  insight_short_id: 'insight short ids',
  experiment_set: 'experiments',
  feature_flag: 'feature_flags',
  feature_flag_id: 'feature_flags',
  linked_flag: 'feature_flags',
  linked_flag_id: 'feature_flags',
  targeting_flag: 'feature_flags',
  targeting_flag_id: 'feature_flags',
  features: 'early_access_features',
  surveys: 'surveys',
  variableId: 'insight_variables',
};

/** An object without some fields. */
export const omit = (object: Json, fields: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));

/** What people call objects, by their kind and number. */
export type Names = Map<string, string>;

/** What people call an object. */
export function nameOf(object: Json): string {
  for (const field of ['key', 'group_type', 'name', 'derived_name', 'content', 'template_name']) {
    const value = object[field];
    if (typeof value === 'string' && value !== '') return value.replace(SURVEY_FLAG, 'survey-targeting');
  }
  return 'without a name';
}

/** Keys of flags of surveys, which are named after the uuid of the survey. */
const SURVEY_FLAG = /^survey-targeting-.*/;

/** A value without what is of one copy alone; numbers of other objects become their names. */
export function comparable(value: unknown, key: string, names: Names): unknown {
  const kind = REFERENCES[key];
  if (kind !== undefined) return referred(value, kind, names);
  if (Array.isArray(value)) return value.map((one) => comparable(one, key === 'tiles' ? 'tile' : '', names));
  if (typeof value === 'string') return value.replace(SURVEY_FLAG, 'survey-targeting');
  if (!isObject(value)) return value;
  const named = (of: string, id: unknown): unknown => {
    if (Array.isArray(id)) return id.map((one) => named(of, one));
    return isNumeric(id) ? { [of]: names.get(`${of} ${id}`) ?? 'gone' } : id;
  };
  const shown: Json = {};
  for (const [field, inner] of Object.entries(value)) {
    if (OWN.has(field)) continue;
    if (field === 'dashboard_tiles') continue; // `dashboards` says the same
    if (field === 'id' && (key === 'tile' || key === 'text')) continue;
    const isCohort =
      (field === 'value' && String(value['type']).endsWith('cohort')) ||
      (field === 'breakdown' && value['breakdown_type'] === 'cohort');
    if (isCohort) shown[field] = named('cohorts', inner);
    else if (field === 'key' && value['type'] === 'flag') shown[field] = named('feature_flags', inner);
    else if (field === 'id' && (value['kind'] === 'ActionsNode' || value['type'] === 'actions')) {
      shown[field] = named('actions', inner);
    } else if (field === 'variables' && isObject(inner)) {
      shown[field] = Object.fromEntries(
        Object.entries(inner).map(([id, one]) => [names.get(`insight_variables ${id}`) ?? id, comparable(one, '', names)]),
      );
    } else if (field === 'record_id') shown[field] = named('feature_flags', inner);
    else if (field === 'insight' && isObject(inner)) {
      // a tile shows its insight as a whole
      shown[field] = comparable(omit(inner, [...IDENTITY]), '', names);
    } else shown[field] = comparable(inner, field, names);
  }
  return shown;
}

/** The names of referred objects, which stand there by their number or as a whole. */
function referred(value: unknown, kind: string, names: Names): unknown {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value)) return sorted(value.map((one) => referred(one, kind, names)));
  const id = isObject(value) ? value['id'] : value;
  return names.get(`${kind} ${id}`) ?? (isObject(value) ? nameOf(value) : 'gone');
}

const isNumeric = (id: unknown): boolean => typeof id === 'number' || (typeof id === 'string' && /^\d+$/.test(id));

/** In an order that two copies share. */
export const sorted = (list: readonly unknown[]): unknown[] =>
  list
    .map((one) => [JSON.stringify(ordered(one)), one] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, one]) => one);

/** A value whose objects have their fields by name. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, ordered(value[key])]),
  );
}
