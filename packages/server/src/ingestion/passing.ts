import type { Json, JsonObject } from '../kernel/json.js';
import { hasKey } from './storable-value.js';

/**
 * What events tell about their person in passing: page, device and window. It changes so often that its change alone is not worth
 * writing the person. Of the operating system only clients know.
 */
const CLIENT_NAMES = ['$os', '$os_version'] as const;
const NAMES = [
  ...CLIENT_NAMES,
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

/** Whether it is told in passing. */
export const isPassing = (name: string): boolean => ALL.has(name);

/** The property that keeps the first value of another one. */
export function initialName(name: string): string {
  return `$initial_${name.startsWith('$') ? name.slice(1) : name}`;
}

/** What one event tells in passing. */
export interface Passing {
  values: JsonObject;
  /** Which names these are, a bit for each. */
  names: number;
}

export const NOTHING_PASSING: Passing = { values: {}, names: 0 };

/** @param onServer whether its operating system is a server's, and not that of the person */
export function passingOf(properties: JsonObject, onServer: boolean): Passing {
  const values: JsonObject = {};
  let names = 0;
  for (let i = onServer ? CLIENT_NAMES.length : 0; i < NAMES.length; i++) {
    const name = NAMES[i] ?? '';
    const value = properties[name];
    if (value === undefined || value === null) continue;
    values[name] = value;
    names |= 1 << i;
  }
  return { values, names };
}

/** Of which names a person's properties have a value and the first one: events that tell no others in passing say nothing new. */
export function passingNames(properties: JsonObject): number {
  let names = 0;
  for (let i = 0; i < NAMES.length; i++) {
    if (hasKey(properties, NAMES[i] ?? '') && hasKey(properties, INITIAL_NAMES[i] ?? '')) names |= 1 << i;
  }
  return names;
}

/** The values as first ones. */
export function initialValues({ values }: Passing): JsonObject {
  const initial: Record<string, Json> = {};
  for (const name in values) initial[initialName(name)] = values[name] ?? null;
  return initial;
}
