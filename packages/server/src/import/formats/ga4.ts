import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { importedEvent, jsonObjectOf, jsonOf } from '../events/event.js';
import { type EventFormat, filled, member } from './format.js';

const NAMES: Readonly<Record<string, string>> = { page_view: '$pageview', screen_view: '$screen' };

/** Parameters of events that have another name here, too. */
const PARAMETERS: Readonly<Record<string, string>> = {
  page_location: '$current_url',
  page_title: 'title',
  page_referrer: '$referrer',
  ga_session_id: '$session_id',
  source: 'utm_source',
  medium: 'utm_medium',
  campaign: 'utm_campaign',
  term: 'utm_term',
  content: 'utm_content',
  firebase_screen: '$screen_name',
};

/** Paths in the record that become properties. */
const PATHS: readonly (readonly [path: string, name: string])[] = [
  ['device.operating_system', '$os'],
  ['device.operating_system_version', '$os_version'],
  ['device.category', '$device_type'],
  ['device.language', '$browser_language'],
  ['device.web_info.browser', '$browser'],
  ['device.web_info.browser_version', '$browser_version'],
  ['device.web_info.hostname', '$host'],
  ['geo.country', '$geoip_country_name'],
  ['geo.region', '$geoip_subdivision_1_name'],
  ['geo.city', '$geoip_city_name'],
  ['geo.continent', '$geoip_continent_name'],
  ['app_info.version', '$app_version'],
  ['platform', '$platform'],
];

/** Members of `collected_traffic_source`, which says where an event came from if its parameters do not. */
const TRAFFIC: readonly (readonly [member: string, name: string])[] = [
  ['manual_source', 'utm_source'],
  ['manual_medium', 'utm_medium'],
  ['manual_campaign_name', 'utm_campaign'],
  ['manual_term', 'utm_term'],
  ['manual_content', 'utm_content'],
  ['gclid', 'gclid'],
  ['dclid', 'dclid'],
];

/** Integers of `items` and `ecommerce`: BigQuery writes them as texts into JSON. */
const INTEGERS = new Set(['quantity', 'total_item_quantity', 'unique_items', 'promotion_index', 'item_list_index']);

/** Events of Google Analytics 4: the tables `events_…` of its BigQuery export, as JSON lines or Parquet. */
export const ga4Format: EventFormat = {
  name: 'ga4',
  open: () => (record) => {
    if (member(record, 'event_name') === undefined && member(record, 'event_timestamp') === undefined) {
      return { problem: 'this is no row of the BigQuery export: reports of the interface have sums, not events' };
    }
    const row = jsonObjectOf(record);
    const properties: JsonObject = {};
    for (const [path, name] of PATHS) {
      const value = path.split('.').reduce<Json>((at, step) => (isObject(at) ? (at[step] ?? null) : null), row);
      if (typeof value === 'string' && value !== '') properties[name] = value;
    }
    for (const [key, value] of parametersOf(row['event_params'])) {
      properties[PARAMETERS[key] ?? key] = key === 'ga_session_id' ? `${row['user_pseudo_id']}-${value}` : value;
    }
    pageOf(properties);
    const traffic = row['collected_traffic_source'];
    for (const [name, ours] of isObject(traffic) ? TRAFFIC : []) {
      const value = isObject(traffic) ? filled(traffic[name]) : undefined;
      if (value !== undefined) properties[ours] ??= value;
    }
    const items = row['items'];
    if (Array.isArray(items) && items.length > 0) properties['items'] = items.map(withNumbers);
    if (isObject(row['ecommerce'])) properties['ecommerce'] = withNumbers(row['ecommerce']);
    const person = Object.fromEntries(parametersOf(row['user_properties']));
    if (Object.keys(person).length > 0) properties['$set'] = person;
    const userId = filled(member(record, 'user_id'));
    // without a login there is only the id of the browser, which needs no profile
    if (userId === undefined && !properties['$set']) properties['$process_person_profile'] = false;
    const event = filled(member(record, 'event_name')) ?? '';
    return importedEvent({
      event: NAMES[event] ?? event,
      distinctId: userId ?? member(record, 'user_pseudo_id'),
      timestamp: microseconds(member(record, 'event_timestamp')),
      // several rows of a batch may be equal in all that we read
      uuid: JSON.stringify(
        ['event_bundle_sequence_id', 'batch_event_index', 'batch_ordering_id'].map((name) => row[name] ?? null),
      ),
      properties,
    });
  },
};

/** Microseconds are a number, a text of digits, or a bigint. */
function microseconds(value: unknown): unknown {
  const number = typeof value === 'string' || typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' ? new Date(number / 1_000) : value;
}

/** Name and value of a list of `{ key, value: { string_value | int_value | … } }`. */
function parametersOf(list: Json | undefined): [string, Json][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one): [string, Json][] => {
    if (!isObject(one) || typeof one['key'] !== 'string' || !isObject(one['value'])) return [];
    const { string_value, int_value, double_value, float_value } = one['value'];
    const number = int_value ?? double_value ?? float_value;
    // BigQuery writes integers of JSON as texts
    const value = string_value ?? (number === null || number === undefined ? null : Number(number));
    return value === null ? [] : [[one['key'], jsonOf(value)]];
  });
}

/** An item or the sums of a purchase, with integers as numbers. */
function withNumbers(value: Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      INTEGERS.has(name) && typeof inner === 'string' && /^-?\d{1,15}$/.test(inner) ? Number(inner) : inner,
    ]),
  );
}

/** Adds host and path of the address. */
function pageOf(properties: JsonObject): void {
  const url = properties['$current_url'];
  if (typeof url !== 'string' || !URL.canParse(url)) return;
  const { host, pathname } = new URL(url);
  properties['$host'] ??= host;
  properties['$pathname'] = pathname;
}
