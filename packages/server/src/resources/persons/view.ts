import { isoTime } from '../../http/dates.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { PersonRecord } from './store.js';

const DEFAULT_NAMES = ['email', 'name', 'username'];

/** The names that a setting holds, or the usual ones. */
export function nameProperties(setting: unknown): string[] {
  const names = Array.isArray(setting) ? setting.filter((name) => typeof name === 'string') : [];
  return names.length > 0 ? names : DEFAULT_NAMES;
}

export type PersonView = ReturnType<typeof personView>;

/** A person as the API shows it; `names` are the properties of which the first that is filled names the person. */
export function personView(person: PersonRecord, names: readonly string[]) {
  const properties = isObject(person.properties) ? person.properties : {};
  return {
    type: 'person',
    id: person.id,
    uuid: person.uuid,
    name: displayName(properties, names) ?? tellingId(person.distinct_ids) ?? person.uuid,
    distinct_ids: person.distinct_ids,
    properties,
    created_at: isoTime(person.created_at),
    is_identified: person.is_identified,
  };
}

function displayName(properties: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(properties, name) ? properties[name] : null;
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return null;
}

const MADE_BY_SDK = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The first distinct id, past those that SDKs make for people they do not know. */
const tellingId = (ids: readonly string[]): string | undefined => ids.find((id) => !MADE_BY_SDK.test(id)) ?? ids[0];
