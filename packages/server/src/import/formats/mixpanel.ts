import type { JsonObject } from '../../kernel/json.js';
import { importedEvent, jsonObjectOf, objectOf } from '../events/event.js';
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

/** Events of Mixpanel's raw export: one object a line, with everything in `properties`. */
export const mixpanelFormat: EventFormat = {
  name: 'mixpanel',
  open: () => (record) => {
    const properties = objectOf(member(record, 'properties'));
    if (!properties) return { problem: 'the properties are not an object' };
    const name = filled(member(record, 'event')) ?? '';
    const distinctId = properties['distinct_id'] ?? properties['$user_id'] ?? properties['$device_id'];
    const event = NAMES[name] ?? name;
    const made: JsonObject = {};
    for (const [key, value] of Object.entries(jsonObjectOf(properties))) {
      if (!DROPPED.has(key)) made[PROPERTIES[key] ?? key] = value;
    }
    // Mixpanel stores one event of the same name, person, time and insert id
    const uuid = JSON.stringify([properties['$insert_id'] ?? null, name, distinctId ?? null, properties['time'] ?? null]);
    return importedEvent({ event, distinctId, timestamp: properties['time'], uuid, properties: made });
  },
};
