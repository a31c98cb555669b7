import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { Refusal } from '../http-client.js';
import { ImportError } from '../import-error.js';
import type { Target } from '../target.js';

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
  'event_definitions',
  'property_definitions',
] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];

/** Where objects come from: an API, or the files of an export. */
export interface ObjectSource {
  /** The objects of a kind, as the API shows them. @throws Refusal the key may not read them */
  list(kind: ObjectKind): AsyncIterable<JsonObject>;
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
  event_definitions: 'event_definitions/',
};

const PAGE = 200;

/** The objects of a project of PostHog or Tidemark, by its API. */
export function apiSource(source: Target): ObjectSource {
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

  const special: Partial<Record<ObjectKind, () => AsyncIterable<JsonObject>>> = {
    cohorts,
    dashboards,
    groups,
    settings,
    members,
    group_types: () => linked('groups_types/'),
    property_definitions: propertyDefinitions,
  };
  return { list: (kind) => special[kind]?.() ?? pages(LISTS[kind] ?? `${kind}/`) };
}

/** Links name the service as it sees itself, which may be another address than the one it is reached at. */
function pathOf(link: string): string {
  if (!URL.canParse(link)) return link;
  const { pathname, search } = new URL(link);
  return pathname + search;
}

/** Whether the key or the version of a source does not give a kind of objects. */
export const isUnavailable = (error: unknown): error is Refusal =>
  error instanceof Refusal && [402, 403, 404].includes(error.status);
