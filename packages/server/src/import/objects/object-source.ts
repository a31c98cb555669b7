import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { Refusal } from '../http-client.js';
import { ImportError } from '../import-error.js';
import type { Target } from '../target.js';
import { listAccessRules, listFlagHistory, listShares } from './list-rules.js';

/** The kinds of objects that are exported and imported, in an order in which references point backwards. */
export const OBJECT_KINDS = [
  'settings',
  'members',
  'group_types',
  'persons',
  'groups',
  'cohorts',
  'actions',
  'insight_variables',
  'feature_flags',
  'experiments',
  'surveys',
  'early_access_features',
  'insights',
  'dashboards',
  'annotations',
  'dashboard_templates',
  'scheduled_changes',
  'alerts',
  'shares',
  'access_rules',
  'flag_history',
  'event_definitions',
  'property_definitions',
  'recordings',
] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];

/** Where objects come from: an API, or the files of an export. */
export interface ObjectSource {
  /** The objects of a kind, as the API shows them. @throws Refusal the key may not read them */
  list(kind: ObjectKind): AsyncIterable<JsonObject>;
  /** The snapshots of a recording as lines of JSON. @throws Refusal it has none, or the key may not read them */
  snapshots(id: string): AsyncIterable<string>;
}

/** Paths of plain lists below the project. */
const LISTS: Partial<Record<ObjectKind, string>> = {
  persons: 'persons/',
  actions: 'actions/',
  insight_variables: 'insight_variables/',
  feature_flags: 'feature_flags/',
  experiments: 'experiments/',
  surveys: 'surveys/',
  early_access_features: 'early_access_feature/',
  // what is on dashboards belongs to them, the rest was only viewed
  insights: 'insights/?saved=true&basic=true',
  annotations: 'annotations/',
  alerts: 'alerts/',
  event_definitions: 'event_definitions/',
};

const PAGE = 200;

/** Blocks of snapshots that are read at once, as many as the API gives. */
const BLOCKS = 20;

/** Which recordings of a project are read: those that began between two times; epoch milliseconds, null: no limit. */
export interface RecordingRange {
  since: number | null;
  until: number | null;
}

/** The objects of a project of PostHog or Tidemark, by its API. */
export function apiSource(source: Target, range: RecordingRange = { since: null, until: null }): ObjectSource {
  const { client, api } = source;

  const pages = (path: string) => linked(`${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`);

  async function* linked(path: string): AsyncGenerator<JsonObject> {
    let next: string | null = `${api}/${path}`;
    while (next !== null) {
      const page: Json = await client.request('GET', next);
      const results = isObject(page) ? page['results'] : page;
      if (!Array.isArray(results)) throw new ImportError(`${client.host}${next} does not answer with a list.`);
      for (const item of results) if (isObject(item) && item['deleted'] !== true) yield item;
      const link: Json = isObject(page) ? (page['next'] ?? null) : null;
      next = typeof link === 'string' && results.length > 0 ? pathOf(link) : null;
    }
  }

  async function* cohorts(): AsyncGenerator<JsonObject> {
    for await (const cohort of pages('cohorts/')) {
      if (cohort['is_static'] !== true) {
        yield cohort;
        continue;
      }
      const people: string[] = [];
      for await (const person of pages(`cohorts/${cohort['id']}/persons/`)) {
        const [id] = Array.isArray(person['distinct_ids']) ? person['distinct_ids'] : [];
        if (typeof id === 'string') people.push(id);
      }
      yield { ...cohort, people };
    }
  }

  async function* dashboards(): AsyncGenerator<JsonObject> {
    for await (const { id } of pages('dashboards/')) {
      const dashboard = await client.request('GET', `${api}/dashboards/${id}/`);
      if (isObject(dashboard)) yield dashboard;
    }
  }

  async function* dashboardTemplates(): AsyncGenerator<JsonObject> {
    // those of the whole installation come with the product
    for await (const template of pages('dashboard_templates/')) if (template['scope'] !== 'global') yield template;
  }

  async function* groups(): AsyncGenerator<JsonObject> {
    for await (const type of linked('groups_types/')) yield* linked(`groups/?group_type_index=${type['group_type_index']}`);
  }

  async function* propertyDefinitions(): AsyncGenerator<JsonObject> {
    for (const type of ['event', 'person']) {
      for await (const definition of pages(`property_definitions/?type=${type}`)) yield { ...definition, type };
    }
  }

  async function* settings(): AsyncGenerator<JsonObject> {
    const project = await client.request('GET', `${api}/`);
    if (isObject(project)) yield project;
  }

  async function* members(): AsyncGenerator<JsonObject> {
    const project = await client.request('GET', `${api}/`);
    const organization = isObject(project) ? project['organization'] : null;
    const list = await client.request('GET', `/api/organizations/${organization ?? '@current'}/members/?limit=1000`);
    const results = isObject(list) ? list['results'] : null;
    if (Array.isArray(results)) yield* results.filter(isObject);
  }

  async function* recordings(): AsyncGenerator<JsonObject> {
    const time = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
    const from = range.since === null ? 'all' : time(range.since);
    const to = range.until === null ? '' : `&date_to=${time(range.until)}`;
    const path = `${api}/session_recordings/?date_from=${from}${to}&order=start_time&order_direction=ASC&limit=${PAGE}`;
    for (let [offset, after] = [0, '']; ; ) {
      const page = await client.request('GET', `${path}${after || `&offset=${offset}`}`);
      const results = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
      yield* results;
      offset += results.length;
      const cursor = isObject(page) ? page['next_cursor'] : null;
      after = typeof cursor === 'string' ? `&after=${encodeURIComponent(cursor)}` : '';
      if (results.length === 0 || (after === '' && !(isObject(page) && page['has_next']))) return;
    }
  }

  async function* snapshots(id: string): AsyncGenerator<string> {
    const path = `${api}/session_recordings/${encodeURIComponent(id)}/snapshots/`;
    const list = await client.request('GET', `${path}?blob_v2=true`);
    const sources = isObject(list) && Array.isArray(list['sources']) ? list['sources'].filter(isObject) : [];
    const keys = (kind: string) => sources.filter((one) => one['source'] === kind).map((one) => String(one['blob_key']));
    const blocks = keys('blob_v2')
      .map(Number)
      .sort((a, b) => a - b);
    for (let at = 0; at < blocks.length; at += BLOCKS) {
      const [first, last] = [blocks[at], blocks[Math.min(at + BLOCKS, blocks.length) - 1]];
      yield* linesOf(await client.text(`${path}?source=blob_v2&start_blob_key=${first}&end_blob_key=${last}`));
    }
    if (blocks.length > 0) return;
    // older recordings of PostHog
    for (const key of keys('blob')) yield* linesOf(await client.text(`${path}?source=blob&blob_key=${encodeURIComponent(key)}`));
  }

  const special: Partial<Record<ObjectKind, () => AsyncIterable<JsonObject>>> = {
    cohorts,
    dashboards,
    dashboard_templates: dashboardTemplates,
    groups,
    settings,
    members,
    recordings,
    group_types: () => linked('groups_types/'),
    property_definitions: propertyDefinitions,
    access_rules: () => listAccessRules(source, plainList),
    shares: () => listShares(source, plainList),
    flag_history: () => listFlagHistory(plainList, pages),
  };
  const plainList = (kind: ObjectKind) => pages(LISTS[kind] ?? `${kind}/`);
  return { list: (kind) => special[kind]?.() ?? plainList(kind), snapshots };
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Links name the service as it sees itself, which may be another address than the one it is reached at. */
function pathOf(link: string): string {
  if (!URL.canParse(link)) return link;
  const { pathname, search } = new URL(link);
  return pathname + search;
}

/** Whether the key or the version of a source does not give a kind of objects. */
export const isUnavailable = (error: unknown): error is Refusal =>
  error instanceof Refusal && [402, 403, 404].includes(error.status);
