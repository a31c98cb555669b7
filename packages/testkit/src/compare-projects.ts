import { createHash } from 'node:crypto';
import type { Api } from './api.js';
import { comparable, IDENTITY, isObject, type Json, type Names, nameOf, omit, sorted } from './comparable.js';

/** Everything of a project, comparable with that of another: objects by kind, without what no two projects share. */
export type ProjectContent = Record<string, unknown[]>;

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
    // templates of the whole installation come with the product
    return found.filter((one) => one['deleted'] !== true && one['scope'] !== 'global');
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
      if (!isObject(share) || !(isCopy || share['enabled'])) continue;
      const { settings, password_required } = share;
      // reading a share makes one, which says nothing
      if (password_required || Object.keys((settings ?? {}) as Json).length > 0)
        content['shares'].push({ of: names.get(`${kind} ${id}`), settings, password_required });
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
const SETTINGS_OF_THE_INSTALLATION = [
  ...IDENTITY,
  'name',
  'organization',
  'api_token',
  // whether events ever came, and not whether they are still there
  'ingested_event',
];

/** Calls for all, some at a time; the results are in order. */
async function mapAll<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const AT_ONCE = 10;
  for (let at = 0; at < all.length; at += AT_ONCE) results.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  return results;
}

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
  // the type of the first value that came: events of a copy come in the order of their times
  'property_type',
  'is_numerical',
];

/** A name of events or properties. */
const definition = (one: Json, names: Names): Json => comparable(omit(one, [...IDENTITY, ...SEEN]), '', names) as Json;

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

/** Count and hash of the events of each name, with all their columns. @param until only events before this day, such as `2024-05-01` */
export async function eventSums(
  api: Api,
  { project = '/api/projects/@current', until }: { project?: string; until?: string | null } = {},
): Promise<unknown[][]> {
  const where = until ? `where toUnixTimestamp64Milli(timestamp) < ${Date.parse(`${until}T00:00:00Z`)}` : '';
  const groups = [0, 1, 2, 3, 4].map((index) => `\`$group_${index}\``).join(', ');
  // a hash of several columns would be null where one of them is, and be left out
  const columns = `toString(uuid), event, distinct_id, toUnixTimestamp64Milli(timestamp), elements_chain, ${groups}, \`$session_id\`, \`$window_id\`, toString(properties)`;
  const query = `select event, count(), toString(groupBitXor(cityHash64(toString(tuple(${columns}))))) from events ${where} group by event order by event limit 10000`;
  return select(api, project, query);
}

/** The rows of a select. */
async function select(api: Api, project: string, query: string): Promise<unknown[][]> {
  const body = { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' };
  const answer = await api.call('POST', `${project}/query/`, { body });
  if (answer.status !== 200) throw new Error(`The query answers ${answer.status}: ${JSON.stringify(answer.body)}`);
  return (answer.body as { results: unknown[][] }).results;
}
