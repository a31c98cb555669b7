import type { Json, JsonObject } from '../kernel/json.js';
import { hasKey } from './storable.js';

/**
 * Device properties: page, device and window of an event, which also become properties of the person. They change so often that their change
 * alone does not justify a write. The operating system comes first, because events of servers skip it.
 */
const OS_NAMES = ['$os', '$os_version'] as const;
const NAMES = [
  ...OS_NAMES,
  '$browser',
  '$browser_version',
  '$current_url',
  '$device_type',
  '$os_name',
  '$pathname',
  '$raw_user_agent',
  '$referrer',
  '$referring_domain',
  '$screen_height',
  '$screen_width',
  '$viewport_height',
  '$viewport_width',
] as const;
const INITIAL_NAMES = NAMES.map(initialName);
const ALL = new Set<string>(NAMES);

const isDeviceProperty = (name: string): boolean => ALL.has(name);

/** Geographic properties whose change is worth a write: country and city. The others change with every network. */
const STABLE_GEOIP = new Set(['$geoip_country_name', '$geoip_city_name']);

/** Whether a property changes so often (page, window, address) that a change of it alone does not justify a write of the person. */
export const isNoisyProperty = (name: string): boolean =>
  isDeviceProperty(name) || (name.startsWith('$geoip_') && !STABLE_GEOIP.has(name));

/** The name of the property with the first value of another one: `$initial_browser` of `$browser`. */
export function initialName(name: string): string {
  return `$initial_${name.startsWith('$') ? name.slice(1) : name}`;
}

/** The device properties of one event. */
export interface DeviceProperties {
  values: JsonObject;
  /** Bit set of the names present, by their position in {@link NAMES}. */
  mask: number;
}

export const NO_DEVICE_PROPERTIES: DeviceProperties = { values: {}, mask: 0 };

/** @param onServer whether the event comes from a server, whose operating system is not the person's */
export function devicePropertiesOf(properties: JsonObject, onServer: boolean): DeviceProperties {
  const values: JsonObject = {};
  let names = 0;
  for (let i = onServer ? OS_NAMES.length : 0; i < NAMES.length; i++) {
    const name = NAMES[i] ?? '';
    const value = properties[name];
    if (value === undefined || value === null) continue;
    values[name] = value;
    names |= 1 << i;
  }
  return { values, mask: names };
}

/** As the mask of {@link devicePropertiesOf}, of the names of properties that are not null. */
export function deviceMaskOf(names: readonly string[], onServer: boolean): number {
  const ones = Object.fromEntries(names.map((name) => [name, 1]));
  return devicePropertiesOf(ones, onServer).mask;
}

/** Bit set of the device properties that a person has with their `$initial_*` counterparts: an event with no other bits adds nothing. */
export function devicePropertyMask(properties: JsonObject): number {
  let names = 0;
  for (let i = 0; i < NAMES.length; i++) {
    if (hasKey(properties, NAMES[i] ?? '') && hasKey(properties, INITIAL_NAMES[i] ?? '')) names |= 1 << i;
  }
  return names;
}

/** The values under their `$initial_*` names. */
export function initialValues({ values }: DeviceProperties): JsonObject {
  const initial: Record<string, Json> = {};
  for (const name in values) initial[initialName(name)] = values[name] ?? null;
  return initial;
}
