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
  'person_display_name',
] as const;
export type EventField = (typeof FIELDS)[number];

/** A result column; `name` is the requested name. */
export type EventColumn = { name: string } & (
  | { kind: 'field'; field: EventField }
  | { kind: 'group'; index: number }
  | { kind: 'property'; owner: PropertyOwner; key: string }
);

/** A name without SQL punctuation, or in backticks. Anything else may be an expression. */
const PLAIN = /^(?:[^\s()*+/%=<>!|?:;,'"[\]{}`]+|`(?:[^`\\]|\\[\s\S]|``)*`)$/;

/** Whether a text can only be the name of a column, not an expression. */
export const isPlainName = (written: string): boolean => {
  const key = /^(?:(?:person|group_[0-4])\.)?properties\.(.+)$/s.exec(withoutComment(written))?.[1];
  return key === undefined || PLAIN.test(key);
};

/** Strips the comment that clients append to identify a column: `person_display_name -- Person`. */
const withoutComment = (written: string): string => {
  const at = written.indexOf(' -- ');
  return at < 0 ? written : written.slice(0, at).trimEnd();
};

/**
 * Reads the name of a column: a field, `properties.<key>`, `person.properties.<key>`, `group_0.properties.<key>`,
 * `$group_0`. The key is raw or in backticks. ` -- ` starts a comment.
 */
export function readColumn(written: string): EventColumn | null {
  const column = columnOf(withoutComment(written)) ?? columnOf(written);
  return column && { ...column, name: written };
}

function columnOf(name: string): EventColumn | null {
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
