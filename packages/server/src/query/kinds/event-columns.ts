import { isReadableName, type PropertyOwner } from '../sql/property.js';

const FIELDS = [
  '*',
  'uuid',
  'event',
  'distinct_id',
  'person_id',
  'person',
  'timestamp',
  'created_at',
  'properties',
  'elements_chain',
] as const;
export type EventField = (typeof FIELDS)[number];

/** A column that can be asked for, under the name by which it was asked for. */
export type EventColumn = { name: string } & (
  | { kind: 'field'; field: EventField }
  | { kind: 'group'; index: number }
  | { kind: 'property'; owner: PropertyOwner; key: string }
);

/**
 * Reads the name of a column: a field, `properties.<key>`, `person.properties.<key>`, `group_0.properties.<key>`,
 * `$group_0`. The key is taken as it is, or in backticks.
 */
export function readColumn(name: string): EventColumn | null {
  const field = FIELDS.find((one) => one === name);
  if (field) return { name, kind: 'field', field };
  const group = /^\$group_([0-4])$/.exec(name);
  if (group) return { name, kind: 'group', index: Number(group[1]) };
  const property = /^(?:(person)\.|group_([0-4])\.)?properties\.(.+)$/s.exec(name);
  if (!property) return null;
  const [, person, index, rest = ''] = property;
  const key = /^`.*`$/s.test(rest) && rest.length > 2 ? rest.slice(1, -1).replace(/\\([\\`])|``/g, (_, one = '`') => one) : rest;
  if (!isReadableName(key)) return null;
  return { name, kind: 'property', owner: ownerOf(person, index), key };
}

function ownerOf(person: string | undefined, index: string | undefined): PropertyOwner {
  if (person) return { type: 'person' };
  return index ? { type: 'group', index: Number(index) } : { type: 'event' };
}
