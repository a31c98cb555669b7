import { isObject, type Json, type JsonObject } from '../../kernel/json.js';

/** Mapping from Segment's `context` to the properties that PostHog's SDKs send for the same. */
const PROPERTIES: readonly (readonly [path: string, property: string])[] = [
  ['ip', '$ip'],
  ['userAgent', '$raw_user_agent'],
  ['locale', '$locale'],
  ['timezone', '$timezone'],
  ['page.url', '$current_url'],
  ['page.path', '$pathname'],
  ['page.search', '$search'],
  ['page.referrer', '$referrer'],
  ['page.title', 'title'],
  ['campaign.name', 'utm_campaign'],
  ['campaign.source', 'utm_source'],
  ['campaign.medium', 'utm_medium'],
  ['campaign.term', 'utm_term'],
  ['campaign.content', 'utm_content'],
  ['app.name', '$app_name'],
  ['app.version', '$app_version'],
  ['app.build', '$app_build'],
  ['app.namespace', '$app_namespace'],
  ['device.id', '$device_id'],
  ['device.manufacturer', '$device_manufacturer'],
  ['device.model', '$device_model'],
  ['device.name', '$device_name'],
  ['device.type', '$device_type'],
  ['os.name', '$os'],
  ['os.version', '$os_version'],
  ['screen.width', '$screen_width'],
  ['screen.height', '$screen_height'],
  ['screen.density', '$screen_density'],
  ['network.carrier', '$network_carrier'],
  ['network.cellular', '$network_cellular'],
  ['network.wifi', '$network_wifi'],
  ['network.bluetooth', '$network_bluetooth'],
  ['library.name', '$lib'],
  ['library.version', '$lib_version'],
];
const PATHS = PROPERTIES.map(([path, property]) => ({ names: path.split('.'), property }));

/** Libraries of servers: the address of their requests is not the user's. */
const OF_SERVERS = /^(?:@segment\/)?analytics-(?:node|python|ruby|go|java|php|rust|elixir)$|^analytics\.net$/i;

/** The properties of an event from Segment's `context`. */
export function contextProperties(context: JsonObject): JsonObject {
  const properties: JsonObject = {};
  for (const { names, property } of PATHS) {
    const value = valueAt(context, names);
    if (value !== undefined && value !== null && value !== '' && !isObject(value)) properties[property] = value;
  }
  if (properties.$ip === undefined && typeof properties.$lib === 'string' && OF_SERVERS.test(properties.$lib)) {
    properties.$geoip_disable = true;
  }
  return properties;
}

function valueAt(from: JsonObject, names: readonly string[]): Json | undefined {
  let value: Json | undefined = from;
  for (const name of names) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}
