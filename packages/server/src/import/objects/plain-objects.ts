import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { sleep } from '../../kernel/scheduler.js';
import type { ImportedPerson } from '../events/event.js';
import { createPersonSender } from '../events/send-persons.js';
import { Refusal } from '../http-client.js';
import { idsOfKind } from '../state.js';
import type { ObjectImport } from './create-objects.js';
import { type IdMaps, type Mapped, mapReferences } from './references.js';

/** Persons that are read before they are sent. */
const PERSONS = 500;

/** Imports persons with all their distinct ids. Doing it again changes nothing, so the state does not list them. */
export async function importPersons({ source, target, report, isDryRun }: ObjectImport): Promise<void> {
  const send = createPersonSender(isDryRun ? null : target, report);
  let batch: ImportedPerson[] = [];
  for await (const person of source.list('persons')) {
    const ids = (Array.isArray(person['distinct_ids']) ? person['distinct_ids'] : []).filter(
      (id): id is string => typeof id === 'string' && id !== '',
    );
    if (ids.length === 0) {
      report.count('persons', 'skipped', 1, 'the person has no distinct id', String(person['uuid']));
      continue;
    }
    batch.push({
      distinct_ids: ids,
      properties: isObject(person['properties']) ? person['properties'] : {},
      is_identified: person['is_identified'] === true,
      ...(typeof person['created_at'] === 'string' ? { created_at: person['created_at'] } : {}),
    });
    if (batch.length >= PERSONS) {
      await send(batch);
      batch = [];
    }
  }
  await send(batch);
}

/** Imports the types of groups, in their order. */
export async function importGroupTypes(importing: ObjectImport): Promise<void> {
  const types: JsonObject[] = [];
  for await (const type of importing.source.list('group_types')) types.push(type);
  const ids = idsOfKind(importing.state, 'group_types');
  for (const type of types.sort((a, b) => Number(a['group_type_index']) - Number(b['group_type_index']))) {
    const { group_type, name_singular = null, name_plural = null } = type;
    const made = await write(importing, 'group_types', String(group_type), 'groups_types/', {
      group_type: group_type ?? '',
      name_singular,
      name_plural,
    });
    const index = isObject(made) ? made['group_type_index'] : type['group_type_index'];
    if (made === REFUSED || typeof index !== 'number') continue;
    ids[String(type['group_type_index'])] = index;
    if (index !== type['group_type_index']) {
      importing.report.explain('group_types', 'the type has another index in the target', String(group_type));
    }
  }
  importing.state.save();
}

/** Imports groups with their properties. A group that is there gets the properties that it has in the source. */
export async function importGroups(importing: ObjectImport): Promise<void> {
  for await (const group of importing.source.list('groups')) {
    const { group_key, group_properties, created_at } = group;
    const index = importing.state.data.ids['group_types']?.[String(group['group_type_index'])];
    if (index === undefined) {
      importing.report.count('groups', 'skipped', 1, 'the type of the group was not imported', String(group_key));
      continue;
    }
    const body = {
      group_type_index: index,
      group_key: group_key ?? '',
      group_properties: group_properties ?? {},
      created_at: created_at ?? null,
    };
    const made = await write(importing, 'groups', String(group_key), 'groups/', withoutNull(body));
    if (made === REFUSED) await setProperties(index, group, importing);
  }
}

/** Gives a group the properties that it has in the source. */
async function setProperties(
  index: number | string,
  { group_key: name, group_properties: properties }: JsonObject,
  { target: { client, api }, report }: ObjectImport,
): Promise<void> {
  const wanted = isObject(properties) ? properties : {};
  const query = `group_type_index=${index}&group_key=${encodeURIComponent(String(name))}`;
  try {
    const found = await client.request('GET', `${api}/groups/find/?${query}`);
    const present = isObject(found) && isObject(found['group_properties']) ? found['group_properties'] : {};
    for (const [key, value] of Object.entries(wanted)) {
      if (isDeepStrictEqual(present[key], value)) continue;
      await client.request('POST', `${api}/groups/update_property/?${query}`, { key, value });
    }
    for (const key of Object.keys(present)) {
      if (key in wanted) continue;
      await client.request('POST', `${api}/groups/delete_property/?${query}`, { $unset: key });
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // without a group its refusal is in the report
    if (error.status !== 404) report.explain('groups', `the target refuses a property: ${error.message}`, String(name));
  }
}

/** Settings that mean the same in every project. */
const SETTINGS = [
  'timezone',
  'week_start_day',
  'app_urls',
  'test_account_filters',
  'test_account_filters_default_checked',
  'path_cleaning_filters',
  'person_display_name_properties',
  'data_attributes',
  'anonymize_ips',
  'autocapture_opt_out',
  'autocapture_exceptions_opt_in',
  'autocapture_web_vitals_opt_in',
  'capture_dead_clicks',
  'capture_console_log_opt_in',
  'capture_performance_opt_in',
  'heatmaps_opt_in',
  'surveys_opt_in',
  'session_recording_opt_in',
  'session_recording_sample_rate',
  'session_recording_minimum_duration_milliseconds',
  'session_recording_masking_config',
  'session_recording_network_payload_capture_config',
  'session_recording_linked_flag',
  'session_recording_url_trigger_config',
  'session_recording_url_blocklist_config',
  'session_recording_event_trigger_config',
  'session_recording_trigger_match_type_config',
  'session_recording_retention_period',
  'recording_domains',
  'cookieless_server_hash_mode',
  'query_staleness_seconds',
  'live_events_columns',
  'primary_dashboard',
  'events_retention_days',
  'exports_retention_days',
  'activity_retention_days',
  'completed_snippet_onboarding',
  'has_completed_onboarding_for',
];

/** Settings that name another object, with its kind. */
const NAMING: Readonly<Record<string, { kind: string; word: string }>> = {
  primary_dashboard: { kind: 'dashboards', word: 'dashboard' },
  session_recording_linked_flag: { kind: 'feature_flags', word: 'flag' },
};

/** Settings that delete what is older. */
const DELETING: ReadonlySet<string> = new Set([
  'events_retention_days',
  'session_recording_retention_period',
  'exports_retention_days',
  'activity_retention_days',
]);

/**
 * Imports the settings of the project, each on its own: one that the target refuses does not keep the others. Settings that delete are not
 * imported into a project that had events before: what it has is not the source's to delete.
 */
export async function importSettings(importing: ObjectImport): Promise<void> {
  const { state, target, report } = importing;
  const found = await target.client.request('GET', `${target.api}/`);
  const present = isObject(found) ? found : {};
  for await (const project of importing.source.list('settings')) {
    for (const name of SETTINGS) {
      const value = project[name];
      if (value === undefined || value === null || isDeepStrictEqual(value, present[name])) continue;
      if (DELETING.has(name) && present['ingested_event'] === true) {
        report.count('settings', 'skipped', 1, 'the target has events, and this deletes what is older: set it there', name);
        continue;
      }
      const mapped = mapSetting(name, value, { of: (kind, id) => state.data.ids[kind]?.[String(id)] });
      if (mapped.missing.length > 0) {
        importing.report.count(
          'settings',
          'skipped',
          1,
          `it refers to ${mapped.missing.join(', ')}, which was not imported`,
          name,
        );
      } else await write(importing, 'settings', name, '', { [name]: mapped.value }, 'PATCH');
    }
  }
}

/** The value of a setting with the ids of the target. */
function mapSetting(name: string, value: Json, ids: IdMaps): Mapped<Json> {
  const naming = NAMING[name];
  // a flag that is named by its key alone has the same key in the target
  const id = isObject(value) ? value['id'] : value;
  if (!naming || id === undefined) return mapReferences(value, ids);
  const found = ids.of(naming.kind, id);
  if (found === undefined) return { value, missing: [`${naming.word} ${id}`] };
  return { value: isObject(value) ? { ...value, id: found } : found, missing: [] };
}

/** Characters of a name in an invite. */
const MAX_NAME = 30;

/** Invites the members of the source's organization who are not in that of the target. */
export async function importMembers(importing: ObjectImport): Promise<void> {
  for await (const { user, level } of importing.source.list('members')) {
    if (!isObject(user) || typeof user['email'] !== 'string') continue;
    // the name of an invite, which the person can change
    const first_name = String(user['first_name'] ?? '').slice(0, MAX_NAME);
    const body = { target_email: user['email'], first_name, level: Number(level) >= 8 ? 8 : 1 };
    const made = await write(importing, 'members', user['email'], '/api/organizations/@current/invites/', body);
    if (made !== null && made !== REFUSED) {
      importing.report.note('Invites are not sent by e-mail: send people the addresses of the members page.');
    }
  }
}

/** Imports descriptions, tags and marks of events and properties, which exist once their first event is stored. */
export async function importDefinitions(
  kind: 'event_definitions' | 'property_definitions',
  importing: ObjectImport,
): Promise<void> {
  const { source, target, report } = importing;
  for await (const definition of source.list(kind)) {
    const { name, description, tags, verified, hidden, type } = definition;
    const body = withoutNull({
      description: description || null,
      tags: tags ?? null,
      verified: verified ?? null,
      hidden: hidden ?? null,
    });
    const isPlain = !body['description'] && !body['verified'] && !body['hidden'] && !(Array.isArray(tags) && tags.length > 0);
    if (isPlain) {
      report.count(kind, 'present');
      continue;
    }
    const filter = kind === 'property_definitions' ? `&type=${type}` : '';
    const path = `${target.api}/${kind}/?search=${encodeURIComponent(String(name))}&limit=1000&exclude_hidden=false${filter}`;
    const found = await findNamed(name, path, importing);
    if (found) await write(importing, kind, String(name), `${kind}/${found['id']}/`, body, 'PATCH');
    else report.count(kind, 'skipped', 1, 'the target has no event or property of this name', String(name));
  }
}

/** How often a definition is looked for, and the pause in between: the service lists names a moment after their events are stored. */
const TRIES = 10;
const PAUSE_MS = 500;

async function findNamed(
  name: Json | undefined,
  path: string,
  { target, scheduler }: ObjectImport,
): Promise<JsonObject | undefined> {
  for (let tries = 1; ; tries++) {
    const page = await target.client.request('GET', path);
    const results = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
    const found = results.find((one) => one['name'] === name);
    if (found || tries === TRIES) return found;
    await sleep(scheduler, PAUSE_MS);
  }
}

const REFUSED = Symbol('refused');

/** Writes one object and counts it. Returns the response; null in a dry run. */
async function write(
  { target, report, isDryRun }: ObjectImport,
  kind: string,
  name: string,
  path: string,
  body: JsonObject,
  method: 'POST' | 'PATCH' = 'POST',
): Promise<Json | typeof REFUSED> {
  if (isDryRun) {
    report.count(kind, 'imported');
    return null;
  }
  try {
    const response = await target.client.request(method, path.startsWith('/') ? path : `${target.api}/${path}`, body);
    report.count(kind, 'imported');
    return response;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isPresent = /already (exists|belongs)/i.test(error.message);
    report.count(kind, isPresent ? 'present' : 'skipped', 1, `the target refuses it: ${error.message}`, name);
    return REFUSED;
  }
}

const withoutNull = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
