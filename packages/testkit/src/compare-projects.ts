import { createHash } from 'node:crypto';
import type { Api } from './api.js';

type Json = Record<string, unknown>;

/** Everything of a project, comparable with that of another: objects by kind, without what no two projects share. */
export type ProjectContent = Record<string, unknown[]>;

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
const IDENTITY = new Set(['id', 'uuid', 'short_id']);

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

/** A kind of objects that are listed below the project. */
interface Listed {
  kind: string;
  path: string;
  /** Fields besides {@link OWN} and {@link IDENTITY} that are not compared. */
  without?: readonly string[];
  /** Whether lists show a part of each. */
  isListedInPart?: true;
}

const LISTS: readonly Listed[] = [
  { kind: 'group_types', path: 'groups_types/' },
  // the number of people is that of the last computation, which may be going on: the people themselves are compared
  { kind: 'cohorts', path: 'cohorts/', without: ['count'] },
  { kind: 'actions', path: 'actions/', without: ['last_calculated_at', 'bytecode_error'] },
  { kind: 'insight_variables', path: 'insight_variables/' },
  { kind: 'feature_flags', path: 'feature_flags/' },
  { kind: 'experiments', path: 'experiments/' },
  { kind: 'surveys', path: 'surveys/' },
  { kind: 'early_access_features', path: 'early_access_feature/' },
  { kind: 'insights', path: 'insights/?saved=true&basic=true' },
  { kind: 'dashboards', path: 'dashboards/', isListedInPart: true },
  { kind: 'annotations', path: 'annotations/' },
  {
    kind: 'alerts',
    path: 'alerts/',
    // alerts of the copy are checked anew, and tell the person who imported them
    without: ['subscribed_users', 'state', 'checks', 'last_checked_at', 'last_value', 'last_notified_at', 'next_check_at'],
  },
  { kind: 'scheduled_changes', path: 'scheduled_changes/' },
  { kind: 'dashboard_templates', path: 'dashboard_templates/' },
];

const PAGE = 500;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads everything of a project that an import takes. References to other objects are their names.
 * @param project path of the project, such as `/api/projects/1`
 * @param isCopy whether the project was imported: what its log says of the import itself is left out
 */
export async function readProject(
  api: Api,
  { project = '/api/projects/@current', isCopy = false } = {},
): Promise<ProjectContent> {
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await api.get(path);
    if (status !== 200) throw new Error(`${path} answers ${status}: ${JSON.stringify(body).slice(0, 500)}`);
    return body;
  };
  const list = async (path: string, isPaged = true): Promise<Json[]> => {
    const found: Json[] = [];
    let next: string | null = `${project}/${path}${isPaged ? `${path.includes('?') ? '&' : '?'}limit=${PAGE}` : ''}`;
    while (next !== null) {
      const page = await get(next);
      found.push(...(Array.isArray(page) ? page : isObject(page) && Array.isArray(page['results']) ? page['results'] : []));
      const link: unknown = isObject(page) ? page['next'] : null;
      next = typeof link === 'string' ? new URL(link).pathname + new URL(link).search : null;
    }
    return found.filter((one) => one['deleted'] !== true);
  };

  const objects = new Map<string, Json[]>();
  const names: Names = new Map();
  for (const { kind, path, isListedInPart } of LISTS) {
    const listed = await list(path, kind !== 'group_types');
    const whole = isListedInPart ? ((await mapAll(listed, ({ id }) => get(`${project}/${path}${id}/`))) as Json[]) : listed;
    objects.set(kind, whole);
    for (const one of whole) {
      names.set(`${kind} ${one['id']}`, nameOf(one));
      if (one['short_id'] !== undefined) names.set(`insight short ids ${one['short_id']}`, nameOf(one));
    }
  }
  const content: ProjectContent = {};
  for (const { kind, without = [] } of LISTS) {
    content[kind] = (objects.get(kind) ?? []).map((one) => comparable(omit(one, [...IDENTITY, ...without]), '', names));
  }
  content['cohort members'] = await mapAll(objects.get('cohorts') ?? [], async ({ id, name, is_static }) => ({
    name,
    is_static,
    members: (await list(`cohorts/${id}/persons/`)).map((one) => [...((one['distinct_ids'] ?? []) as string[])].sort()).sort(),
  }));
  content['persons'] = (await list('persons/')).map(({ distinct_ids, properties, created_at, is_identified }) => ({
    distinct_ids: [...(distinct_ids as string[])].sort(),
    properties,
    created_at,
    is_identified,
  }));
  content['groups'] = [];
  for (const { group_type_index: index, group_type } of objects.get('group_types') ?? []) {
    for (const group of await list(`groups/?group_type_index=${index}`, false)) {
      content['groups'].push({ group_type, ...omit(group, ['id']) });
    }
  }
  const stored = await storedNames(api, project, content);
  const isStored = (one: Json, among: ReadonlySet<string>) =>
    among.has(String(one['name'])) || one['description'] || one['verified'] || one['hidden'] || (one['tags'] as unknown[]).length;
  content['event_definitions'] = (await list('event_definitions/?exclude_hidden=false'))
    .filter((one) => isStored(one, stored.events))
    .map((one) => definition(one, names));
  content['property_definitions'] = [];
  const types = [
    ['event', '', stored.properties],
    ['person', '', stored.ofPersons],
    ...(objects.get('group_types') ?? []).map(
      ({ group_type_index: index }) => ['group', `&group_type_index=${index}`, stored.ofGroups] as const,
    ),
  ] as const;
  for (const [type, more, among] of types) {
    const found = await list(`property_definitions/?type=${type}${more}&exclude_hidden=false`);
    for (const one of found) {
      if (isStored(one, among)) content['property_definitions'].push({ type: type + more, ...definition(one, names) });
    }
  }
  content['recordings'] = await mapAll(await recordingsOf(get, project), async (one) => ({
    ...omit(one, ['person', 'viewed', 'viewers', 'ongoing']),
    snapshots: await snapshotsOf(api, project, String(one['id'])),
  }));
  content['shares'] = [];
  for (const kind of ['insights', 'dashboards']) {
    for (const { id } of objects.get(kind) ?? []) {
      const share = await get(`${project}/${kind}/${id}/sharing/`);
      if (isObject(share) && Object.keys((share['settings'] ?? {}) as Json).length > 0) {
        content['shares'].push({ of: names.get(`${kind} ${id}`), settings: share['settings'] });
      }
    }
  }
  content['flag_history'] = [];
  for (const { id, key } of objects.get('feature_flags') ?? []) {
    for (const { created_at, activity, detail, imported } of await list(`feature_flags/${id}/activity/`)) {
      if (!isCopy || imported) content['flag_history'].push({ key, created_at, activity, detail });
    }
  }
  const settings = await get(`${project}/`);
  content['settings'] = isObject(settings) ? [comparable(omit(settings, SETTINGS_OF_THE_INSTALLATION), '', names)] : [];
  return Object.fromEntries(Object.entries(content).map(([kind, of]) => [kind, sorted(of)]));
}

/** What a project has from where it is, and not from people who set it. */
const SETTINGS_OF_THE_INSTALLATION = [...IDENTITY, 'name', 'organization', 'organization_id', 'api_token', 'secret_api_token'];

/** Calls for all, some at a time; the results are in order. */
async function mapAll<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const AT_ONCE = 10;
  for (let at = 0; at < all.length; at += AT_ONCE) results.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  return results;
}

const omit = (object: Json, fields: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));

/** When and by whom a name was seen or changed, and how often it was lately: the events tell. */
const SEEN = [
  'last_seen_at',
  'first_seen_at',
  'last_updated_at',
  'updated_by',
  'owner',
  'verified_by',
  'verified_at',
  'volume_30_day',
];

const definition = (one: Json, names: Names) => comparable(omit(one, [...IDENTITY, ...SEEN]), '', names) as Json;

/** Names that something stored has: the lists also have those whose events were deleted, which an import cannot know. */
async function storedNames(api: Api, project: string, { persons = [], groups = [] }: ProjectContent) {
  const keysOf = (objects: readonly unknown[], field: string) =>
    new Set(objects.flatMap((one) => Object.keys(((one as Json)[field] ?? {}) as Json)));
  return {
    events: new Set((await eventSums(api, { project })).map(([event]) => String(event))),
    properties: new Set(
      (
        await select(
          api,
          project,
          'select distinct arrayJoin(JSONExtractKeys(toString(properties))) as name from events limit 10000',
        )
      ).map(([name]) => String(name)),
    ),
    ofPersons: keysOf(persons, 'properties'),
    ofGroups: keysOf(groups, 'group_properties'),
  };
}

async function recordingsOf(get: (path: string) => Promise<unknown>, project: string): Promise<Json[]> {
  const found: Json[] = [];
  for (let after = ''; ; ) {
    const page = (await get(
      `${project}/session_recordings/?date_from=all&order=start_time&order_direction=ASC&limit=100${after}`,
    )) as Json;
    found.push(...(page['results'] as Json[]));
    if (typeof page['next_cursor'] !== 'string') return found;
    after = `&after=${encodeURIComponent(page['next_cursor'])}`;
  }
}

/** Count and hash of the snapshots of a recording, by window, in the order of their times. */
async function snapshotsOf(api: Api, project: string, id: string): Promise<unknown> {
  const path = `${project}/session_recordings/${encodeURIComponent(id)}/snapshots/`;
  const { body } = await api.get(`${path}?blob_v2=true`);
  const keys = ((body as Json)['sources'] as Json[] | undefined)?.map(({ blob_key }) => Number(blob_key)) ?? [];
  const lines: string[] = [];
  for (const key of keys) {
    const answer = await api.get(`${path}?source=blob_v2&start_blob_key=${key}&end_blob_key=${key}`);
    lines.push(...String(answer.body).split('\n').filter(Boolean));
  }
  return { count: lines.length, hash: createHash('sha256').update(lines.sort().join('\n')).digest('hex') };
}

type Names = Map<string, string>;

/** What people call an object. */
function nameOf(object: Json): string {
  for (const field of ['key', 'group_type', 'name', 'derived_name', 'content', 'template_name']) {
    const value = object[field];
    if (typeof value === 'string' && value !== '') return value.replace(SURVEY_FLAG, 'survey-targeting');
  }
  return 'without a name';
}

/** Keys of flags of surveys, which are named after the uuid of the survey. */
const SURVEY_FLAG = /^survey-targeting-.*/;

/** A value without what is of one copy alone; numbers of other objects become their names. */
function comparable(value: unknown, key: string, names: Names): unknown {
  const kind = REFERENCES[key];
  if (kind !== undefined) return referred(value, kind, names);
  if (Array.isArray(value)) return value.map((one) => comparable(one, key === 'tiles' ? 'tile' : '', names));
  if (typeof value === 'string') return value.replace(SURVEY_FLAG, 'survey-targeting');
  if (!isObject(value)) return value;
  const named = (of: string, id: unknown) => (isNumeric(id) ? { [of]: names.get(`${of} ${id}`) ?? 'gone' } : id);
  const shown: Json = {};
  for (const [field, inner] of Object.entries(value)) {
    if (OWN.has(field)) continue;
    if (field === 'dashboard_tiles') continue; // `dashboards` says the same
    if (field === 'id' && (key === 'tile' || key === 'text')) continue;
    if (field === 'value' && String(value['type']).endsWith('cohort')) {
      shown[field] = Array.isArray(inner) ? inner.map((id) => named('cohorts', id)) : named('cohorts', inner);
    } else if (field === 'key' && value['type'] === 'flag') shown[field] = named('feature_flags', inner);
    else if (field === 'breakdown' && value['breakdown_type'] === 'cohort') {
      shown[field] = Array.isArray(inner) ? inner.map((id) => named('cohorts', id)) : named('cohorts', inner);
    } else if (field === 'id' && (value['kind'] === 'ActionsNode' || value['type'] === 'actions')) {
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
const sorted = (list: readonly unknown[]): unknown[] =>
  list
    .map((one) => [JSON.stringify(ordered(one)), one] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, one]) => one);

/** A value whose objects have their fields by name. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, ordered(value[key])]),
  );
}

/** Count and hash of the events of each name, with all their columns. @param until only events before this day, such as `2024-05-01` */
export async function eventSums(
  api: Api,
  { project = '/api/projects/@current', until }: { project?: string; until?: string | null } = {},
): Promise<unknown[][]> {
  const where = until ? `where toUnixTimestamp64Milli(timestamp) < ${Date.parse(`${until}T00:00:00Z`)}` : '';
  const groups = [0, 1, 2, 3, 4].map((index) => `\`$group_${index}\``).join(', ');
  const columns = `toString(uuid), event, distinct_id, toUnixTimestamp64Milli(timestamp), elements_chain, ${groups}, \`$session_id\`, \`$window_id\`, toString(properties)`;
  const query = `select event, count(), toString(groupBitXor(cityHash64(${columns}))) from events ${where} group by event order by event limit 10000`;
  return select(api, project, query);
}

/** The rows of a select. */
async function select(api: Api, project: string, query: string): Promise<unknown[][]> {
  const body = { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' };
  const answer = await api.call('POST', `${project}/query/`, { body });
  if (answer.status !== 200) throw new Error(`The query answers ${answer.status}: ${JSON.stringify(answer.body)}`);
  return (answer.body as { results: unknown[][] }).results;
}

/** One difference in a line, such as `insights "Purchases": tags[0]: "money", in the copy nothing`. */
export function differences(source: ProjectContent, copy: ProjectContent): string[] {
  const kinds = [...new Set([...Object.keys(source), ...Object.keys(copy)])];
  return kinds.flatMap((kind) => {
    const [here, there] = [pool(source[kind]), pool(copy[kind])];
    for (const [text, ones] of here) {
      const others = there.get(text);
      while (ones.length && others?.length) {
        ones.pop();
        others.pop();
      }
    }
    const [left, right] = [[...here.values()].flat(), [...there.values()].flat()];
    const lines: string[] = [];
    for (const one of left) {
      const at = right.findIndex((other) => labelOf(other) === labelOf(one));
      if (at < 0) lines.push(`${kind} ${labelOf(one)} is not in the copy: ${shorten(one)}`);
      else lines.push(...changesOf(one, right.splice(at, 1)[0], '').map((change) => `${kind} ${labelOf(one)}: ${change}`));
    }
    for (const other of right) lines.push(`${kind} ${labelOf(other)} is only in the copy: ${shorten(other)}`);
    return lines;
  });
}

/** Equal values by their text. */
function pool(list: readonly unknown[] = []): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const one of list) {
    const text = JSON.stringify(ordered(one));
    const ones = found.get(text);
    if (ones) ones.push(one);
    else found.set(text, [one]);
  }
  return found;
}

/** What a line calls an object. */
function labelOf(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value);
  const { type, group_key, distinct_ids, of, key, created_at, activity } = value;
  if (activity !== undefined) return JSON.stringify([key, activity, created_at]);
  const name = group_key ?? (Array.isArray(distinct_ids) ? distinct_ids[0] : undefined) ?? of ?? nameOf(value);
  return JSON.stringify(name) + (/^(event|person|group)/.test(String(type)) ? ` of ${type}s` : '');
}

const shorten = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 300));

/** Where two values differ. */
function changesOf(one: unknown, other: unknown, path: string): string[] {
  if (JSON.stringify(ordered(one)) === JSON.stringify(ordered(other))) return [];
  const areLists = Array.isArray(one) && Array.isArray(other) && one.length === other.length;
  if (areLists || (isObject(one) && isObject(other))) {
    const [a, b] = [one as Json, other as Json];
    const fields = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return fields.flatMap((field) => changesOf(a[field], b[field], path === '' ? field : `${path}.${field}`));
  }
  return [`${path || 'all'}: ${shorten(one)}, in the copy ${shorten(other)}`];
}
