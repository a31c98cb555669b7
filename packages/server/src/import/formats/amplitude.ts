import type { JsonObject } from '../../kernel/json.js';
import { importedEvent, jsonObjectOf, objectOf } from '../events/event.js';
import { type EventFormat, filled, member } from './format.js';

/** Members of an event of Amplitude that become properties, with their names here. */
const PROPERTIES: Readonly<Record<string, string>> = {
  os_name: '$os',
  os_version: '$os_version',
  device_type: '$device_type',
  device_family: '$device_family',
  device_manufacturer: '$device_manufacturer',
  device_model: '$device_model',
  platform: '$platform',
  version_name: '$app_version',
  language: '$browser_language',
  library: '$lib',
  ip_address: '$ip',
  city: '$geoip_city_name',
  region: '$geoip_subdivision_1_name',
  country: '$geoip_country_name',
  device_id: '$device_id',
};

const NAMES: Readonly<Record<string, string>> = {
  '[Amplitude] Page Viewed': '$pageview',
  '[Amplitude] Element Clicked': '$autocapture',
  $identify: '$set',
};

/** Events of Amplitude's export API: one object a line. */
export const amplitudeFormat: EventFormat = {
  name: 'amplitude',
  open: () => (record) => {
    const event = filled(member(record, 'event_type')) ?? '';
    const [own, person, groups] = ['event_properties', 'user_properties', 'groups'].map((name) => objectOf(member(record, name)));
    if (!own || !person || !groups) return { problem: 'event_properties, user_properties or groups are not an object' };
    const userId = filled(member(record, 'user_id'));
    const deviceId = filled(member(record, 'device_id'));
    const properties: JsonObject = {};
    for (const [column, name] of Object.entries(PROPERTIES)) {
      const value = filled(member(record, column));
      if (value !== undefined) properties[name] = value;
    }
    const session = member(record, 'session_id');
    if (typeof session === 'number' && session > 0) properties['$session_id'] = `${deviceId ?? userId}-${session}`;
    const url = own['[Amplitude] Page URL'];
    if (typeof url === 'string') properties['$current_url'] = url;
    Object.assign(properties, jsonObjectOf(own));
    if (Object.keys(person).length > 0) properties['$set'] = jsonObjectOf(person);
    if (Object.keys(groups).length > 0) properties['$groups'] = firstOfLists(jsonObjectOf(groups));
    return importedEvent({
      event: NAMES[event] ?? event,
      distinctId: userId ?? deviceId ?? member(record, 'amplitude_id'),
      timestamp: member(record, 'event_time'),
      uuid: filled(member(record, 'uuid')) ?? filled(member(record, '$insert_id')),
      properties,
    });
  },
};

/** A group of a type may be a list there; events belong to one group of a type here. */
const firstOfLists = (groups: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(groups).map(([type, key]) => [type, Array.isArray(key) ? (key[0] ?? null) : key]));
