import type { Json, JsonObject } from '../../kernel/json.js';
import { type ImportedPerson, importedEvent, jsonObjectOf, objectOf, timeOf } from '../events/event.js';
import { type EventFormat, filled, member, textOf } from './format.js';

/** Members of an event of Amplitude that become properties, with their names here. */
const PROPERTIES: Readonly<Record<string, string>> = {
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

/** What the system is in apps. */
const APP: Readonly<Record<string, string>> = { os_name: '$os', os_version: '$os_version' };
/** In pages, Amplitude has the browser where apps have the system, and the system where apps have the kind of device. */
const PAGE: Readonly<Record<string, string>> = { os_name: '$browser', os_version: '$browser_version', device_family: '$os' };

/** Properties of events that have a name here, too, which they get besides; of several for one name the first counts. */
const OWN: readonly (readonly [own: string, name: string])[] = [
  ['[Amplitude] Page Location', '$current_url'],
  ['[Amplitude] Page URL', '$current_url'],
  ['[Amplitude] Page Path', '$pathname'],
  ['[Amplitude] Page Domain', '$host'],
  ['[Amplitude] Page Title', 'title'],
];

const NAMES: Readonly<Record<string, string>> = {
  '[Amplitude] Page Viewed': '$pageview',
  '[Amplitude] Element Clicked': '$autocapture',
  $identify: '$set',
};

/** Users of Amplitude whose ids are remembered, so that most of them are sent once. */
const MOST_USERS = 1_000_000;

/**
 * Events of Amplitude's export API: one object a line.
 *
 * Amplitude counts users by its own `amplitude_id`, which the events of a device have before and after its user logs in. So events without a user id
 * belong to that id, and the first event with a user id joins it to the user.
 */
export const amplitudeFormat: EventFormat = {
  name: 'amplitude',
  open: () => {
    const joined = new Set<string>();
    return (record) => {
      const made = eventOf(record);
      if ('problem' in made) return made;
      const person = personOf(record);
      if (person === null) return made;
      const ids = person.distinct_ids.join('\n');
      if (joined.has(ids)) return made;
      if (joined.size >= MOST_USERS) joined.clear();
      joined.add(ids);
      return [person, made];
    };
  },
};

function eventOf(record: object) {
  const event = filled(member(record, 'event_type')) ?? '';
  const [own, person, groups] = ['event_properties', 'user_properties', 'groups'].map((name) => objectOf(member(record, name)));
  if (!own || !person || !groups) return { problem: 'event_properties, user_properties or groups are not an object' };
  const deviceId = filled(member(record, 'device_id'));
  const distinctId = filled(member(record, 'user_id')) ?? textOf(member(record, 'amplitude_id')) ?? deviceId;
  const properties: JsonObject = {};
  const named = filled(member(record, 'platform')) === 'Web' ? PAGE : APP;
  for (const [column, name] of Object.entries({ ...PROPERTIES, ...named })) {
    const value = filled(member(record, column));
    if (value !== undefined) properties[name] = value;
  }
  const session = member(record, 'session_id');
  if (typeof session === 'number' && session > 0) properties['$session_id'] = `${deviceId ?? distinctId}-${session}`;
  for (const [name, ours] of OWN) {
    const value = filled(own[name]);
    if (value !== undefined) properties[ours] ??= value;
  }
  Object.assign(properties, jsonObjectOf(own));
  if (Object.keys(person).length > 0) properties['$set'] = jsonObjectOf(person);
  if (Object.keys(groups).length > 0) properties['$groups'] = firstOfLists(jsonObjectOf(groups));
  return importedEvent({
    event: NAMES[event] ?? event,
    distinctId,
    timestamp: member(record, 'event_time'),
    uuid: filled(member(record, 'uuid')) ?? filled(member(record, '$insert_id')),
    properties,
  });
}

/** The user of an event, with Amplitude's id for it; null: the event has no user id. */
function personOf(record: object): ImportedPerson | null {
  const [userId, amplitudeId] = [filled(member(record, 'user_id')), textOf(member(record, 'amplitude_id'))];
  if (userId === undefined || amplitudeId === undefined || userId === amplitudeId) return null;
  const created = timeOf(member(record, 'user_creation_time'));
  return {
    distinct_ids: [userId, amplitudeId],
    properties: {},
    is_identified: true,
    ...(created === null ? {} : { created_at: new Date(created).toISOString() }),
  };
}

/** A group of a type may be a list there; events belong to one group of a type here. */
const firstOfLists = (groups: JsonObject): Record<string, Json> =>
  Object.fromEntries(Object.entries(groups).map(([type, key]) => [type, Array.isArray(key) ? (key[0] ?? null) : key]));
