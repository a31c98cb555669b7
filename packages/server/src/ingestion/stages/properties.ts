import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { devicePropertiesOf, initialName } from '../device-properties.js';
import type { Stage } from './event-context.js';

/** Sets `$ip` to the sender's address, unless the project anonymizes addresses, the visitor wants no cookies, or the event has its own `$ip`. */
export const putIp: Stage = {
  name: 'put-ip',
  run: (context) => {
    const { properties, project } = context;
    // events of the product about itself must not carry the address of the server
    if (properties.capture_internal !== undefined) context.ip = '127.0.0.1';
    const sent = properties.$ip;
    if (typeof sent === 'string' && sent !== '') context.ip = sent;
    if (project.anonymizeIps || (project.isCookieless && properties.$cookieless_mode === true)) {
      if (sent !== undefined) delete properties.$ip;
    } else if (sent === undefined && context.ip !== '') {
      properties.$ip = context.ip;
    }
    return undefined;
  },
};

/** Sets the `$geoip_*` properties of the address on the event and its person. Server SDKs disable it: their address is the server's. */
export const putGeoip: Stage = {
  name: 'put-geoip',
  run: (context, env) => {
    const { properties } = context;
    if (properties.$geoip_disable || context.ip === '') return undefined;
    const place = env.locate(context.ip);
    if (!place) return undefined;
    for (const [key, value] of Object.entries(place)) {
      properties[key] ??= value;
      if (!context.processProfile) continue;
      context.set[key] = value;
      context.setOnce[initialName(key)] = value;
    }
    return undefined;
  },
};

const NAMES = ['$group_0', '$group_1', '$group_2', '$group_3', '$group_4'];

/** The service itself sets `$group_0` to `$group_4` of an event with `$groups`; values that a client sent under these names are removed. */
export const clearGroupKeys: Stage = {
  name: 'clear-group-keys',
  run: ({ properties }) => {
    if (!isObject(properties.$groups)) return undefined;
    for (const name of NAMES) if (properties[name] !== undefined) delete properties[name];
    return undefined;
  },
};

/** Event properties that always become person properties, besides device properties. */
export const AUTO_SET: readonly string[] =
  `$app_build $app_name $app_namespace $app_version utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid gad_source gclsrc dclid gbraid
  wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid _kx epik qclid sccid`.split(/\s+/);

const INITIAL = AUTO_SET.map(initialName);
const SERVER_LIBRARY = /-(node|python|php|ruby|go|java|dotnet|elixir|rs)$/;

/** Collects what the event sets on its person; explicit `$set` and `$set_once` win over automatic properties. */
export const putPersonProperties: Stage = {
  name: 'put-person-properties',
  run: (context) => {
    // error reports and heatmaps describe a page, not a person
    if (!context.processProfile || context.event === '$exception' || context.event === '$$heatmap') {
      context.set = {};
      context.setOnce = {};
      return undefined;
    }
    const { properties, set, setOnce } = context;
    context.device = devicePropertiesOf(properties, isOnServer(properties));
    for (let i = 0; i < AUTO_SET.length; i++) {
      const name = AUTO_SET[i] ?? '';
      const value = properties[name];
      if (value === undefined || value === null) continue;
      set[name] = value;
      setOnce[INITIAL[i] ?? ''] = value;
    }
    if (isObject(properties.$set)) Object.assign(set, properties.$set);
    if (isObject(properties.$set_once)) Object.assign(setOnce, properties.$set_once);
    context.unset = names(properties.$unset);
    return undefined;
  },
};

/** Whether an event comes from a server, whose operating system is not that of the person. */
export function isOnServer(properties: JsonObject): boolean {
  const library = properties.$lib;
  return properties.$is_server === true || (typeof library === 'string' && SERVER_LIBRARY.test(library));
}

function names(unset: Json | undefined): string[] {
  if (Array.isArray(unset)) return unset.filter((name) => typeof name === 'string');
  return isObject(unset) ? Object.keys(unset) : [];
}

/** The property of an event that becomes a `$$heatmap` event. */
export const HEATMAP_KEY = '$heatmap_data';
const HEATMAP_KEYS = [
  HEATMAP_KEY,
  '$viewport_height',
  '$viewport_width',
  '$session_id',
  '$prev_pageview_pathname',
  '$prev_pageview_max_scroll',
  '$current_url',
  'distinct_id',
] as const;

/** Derives a `$$heatmap` event from heatmap data on another event, so that the other one stays small. */
export const splitHeatmap: Stage = {
  name: 'split-heatmap',
  run: (context, env) => {
    const { properties } = context;
    if (properties.$heatmap_data === undefined || context.event === '$$heatmap') return undefined;
    const own: JsonObject = {};
    for (const key of HEATMAP_KEYS) {
      const value = properties[key];
      if (value !== undefined) own[key] = value;
    }
    own.distinct_id = context.distinctId;
    delete properties.$heatmap_data;
    context.derived.push({
      ...context,
      uuid: env.uuid(),
      event: '$$heatmap',
      properties: own,
      set: {},
      setOnce: {},
      unset: [],
      warnings: [],
      derived: [],
    });
    return undefined;
  },
};
