import { isoTime } from '../../http/dates.js';
import { isDashedUuid } from '../../kernel/ids.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import type { Db } from '../../ports/db.js';
import { displayNameProperties, findPersonsByUuid, type PersonRecord } from './store.js';

const DEFAULT_NAMES = ['email', 'name', 'username'];

/** The properties that name a person: those of the project's setting, or the defaults. */
export function nameProperties(setting: unknown): string[] {
  const names = Array.isArray(setting) ? setting.filter((name) => typeof name === 'string') : [];
  return names.length > 0 ? names : DEFAULT_NAMES;
}

/** A person as responses show it. */
export type PersonView = ReturnType<typeof personView>;

/** A person as responses show it. `names`: properties, the first of which that has a value becomes the name. */
export function personView(person: PersonRecord, names: readonly string[]) {
  const properties = isObject(person.properties) ? person.properties : {};
  return {
    type: 'person',
    id: person.id,
    uuid: person.uuid,
    name: displayName(properties, names) ?? readableId(person.distinct_ids) ?? person.uuid,
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

/** The first distinct id that no SDK has generated for an anonymous person, if there is one. */
const readableId = (ids: readonly string[]): string | undefined => ids.find((id) => !isDashedUuid(id)) ?? ids[0];

/** The views of persons by their UUIDs, newest first. */
export async function showPersons(db: Db, projectId: number, uuids: readonly string[]): Promise<PersonView[]> {
  const [rows, names] = await Promise.all([findPersonsByUuid(db, projectId, uuids), displayNameProperties(db, projectId)]);
  return rows.map((row) => personView(row, nameProperties(names)));
}
