import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { type ImportedPerson, importedEvent, jsonObjectOf, jsonOf, objectOf, type Problem, timeOf } from '../events/event.js';
import { type EventFormat, filled, member } from './format.js';

/** Events that have a name here, too. */
const NAMES: Readonly<Record<string, string>> = { $mp_web_page_view: '$pageview', $mp_click: '$autocapture' };

/** Properties that have another name here; all others keep theirs. */
const PROPERTIES: Readonly<Record<string, string>> = {
  $city: '$geoip_city_name',
  mp_country_code: '$geoip_country_code',
  $region: '$geoip_subdivision_1_name',
  current_url: '$current_url',
  current_page_title: 'title',
  mp_lib: '$lib',
  $lib_version: '$lib_version',
  // of events that say that two ids are of one user
  $anon_id: '$anon_distinct_id',
};

/** Members that are about the export, not about the event. */
const DROPPED = new Set([
  'time',
  'distinct_id',
  '$insert_id',
  'mp_processing_time_ms',
  '$mp_api_endpoint',
  'mp_sent_by_lib_version',
]);

/** Properties of profiles that have another name here. */
const PROFILE: Readonly<Record<string, string>> = {
  $email: 'email',
  $name: 'name',
  $first_name: 'first_name',
  $last_name: 'last_name',
  $phone: 'phone',
  $avatar: 'avatar',
  $city: '$geoip_city_name',
  $region: '$geoip_subdivision_1_name',
  $country_code: '$geoip_country_code',
  $timezone: '$geoip_time_zone',
};

/** A profile as the Engage API has it; null: the object is none. */
function profileOf(profile: Json): ImportedPerson | null {
  if (!isObject(profile)) return null;
  const { $distinct_id: id, $properties: found } = profile;
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '' || !isObject(found)) return null;
  const { $distinct_ids: others, $created: created, ...rest } = found;
  const at = timeOf(created);
  const ids = [id, ...(Array.isArray(others) ? others : [])].map(String);
  const properties = Object.fromEntries(Object.entries(rest).map(([name, value]) => [PROFILE[name] ?? name, value]));
  return {
    distinct_ids: [...new Set(ids)],
    properties,
    ...(at === null ? {} : { created_at: new Date(at).toISOString() }),
  };
}

/** An event that says of ids that they are of one user. */
function mergeOf(ids: Json): ImportedPerson | Problem {
  const found = (Array.isArray(ids) ? ids : []).filter((id) => typeof id === 'number' || (typeof id === 'string' && id !== ''));
  if (found.length < 2) return { problem: 'the merge has no two ids' };
  return { distinct_ids: [...new Set(found.map(String))], properties: {} };
}

/**
 * Events of Mixpanel's raw export: one object a line, with everything in `properties`. Also profiles of its Engage API: a page of them, or one a
 * line.
 */
export const mixpanelFormat: EventFormat = mixpanelIn((clock) => clock);

/**
 * The same of a project whose exports have the time on the clocks of its zone.
 * @param momentOf turns that time into the moment, both epoch milliseconds
 */
export function mixpanelIn(momentOf: (clock: number) => number): EventFormat {
  return {
    name: 'mixpanel',
    open: () => (record) => {
      const page = member(record, 'results');
      if (Array.isArray(page) || Object.hasOwn(record, '$distinct_id')) {
        const profiles = Array.isArray(page) ? page : [record];
        return profiles.map((one) => profileOf(jsonOf(one)) ?? { problem: 'the profile has no distinct id or no properties' });
      }
      const properties = objectOf(member(record, 'properties'));
      if (!properties) return { problem: 'the properties are not an object' };
      const name = filled(member(record, 'event')) ?? '';
      if (name === '$merge') return mergeOf(jsonOf(properties['$distinct_ids']));
      const identified = name === '$identify' ? properties['$identified_id'] : undefined;
      const distinctId = identified ?? properties['distinct_id'] ?? properties['$user_id'] ?? properties['$device_id'];
      const event = NAMES[name] ?? name;
      const made: JsonObject = {};
      for (const [key, value] of Object.entries(jsonObjectOf(properties))) {
        if (!DROPPED.has(key)) made[PROPERTIES[key] ?? key] = value;
      }
      // Mixpanel stores one event of the same name, person, time and insert id
      const uuid = JSON.stringify([properties['$insert_id'] ?? null, name, distinctId ?? null, properties['time'] ?? null]);
      const clock = timeOf(properties['time']);
      const timestamp = clock === null ? properties['time'] : new Date(momentOf(clock));
      return importedEvent({ event, distinctId, timestamp, uuid, properties: made });
    },
  };
}
