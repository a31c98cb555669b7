import { isoTime } from '../../../http/dates.js';
import type { Json } from '../../../kernel/json.js';
import { commaList, type Fragment, identifier, sql } from '../../sql/fragment.js';
import { isReadableName, PERSON_ID, type PropertyOwner, profileColumn, property } from '../../sql/property.js';

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
type EventField = (typeof FIELDS)[number];

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

/** Reads a column: the SQL to select, and how the result value is made from it. */
export interface ColumnReader {
  /** Name of its type in results. */
  type: string;
  select: Fragment[];
  read(values: unknown[], projectId: number): Json;
}

/** The reader of a column. */
export function columnReader(column: EventColumn): ColumnReader {
  if (column.kind === 'field') return FIELD_READERS[column.field];
  if (column.kind === 'group') return plain('String', groupKey(column.index));
  return { type: 'Nullable(JSON)', select: [property(column.owner, column.key).json], read: ([text]) => parsed(text) };
}

/** Sort keys of a column; null: the column cannot be sorted by. */
export function columnOrder(column: EventColumn): Fragment[] | null {
  if (column.kind === 'group') return [groupKey(column.index)];
  if (column.kind === 'field') return FIELD_ORDER[column.field] ?? null;
  const { number, text } = property(column.owner, column.key);
  return [number, text];
}

const groupKey = (index: number): Fragment => sql`e.${identifier(`group_${index}`)}`;
const parsed = (text: unknown): Json => (typeof text === 'string' ? JSON.parse(text) : null);
const time = (millis: unknown): string => isoTime(new Date(Number(millis)));

const plain = (type: string, select: Fragment): ColumnReader => ({
  type,
  select: [select],
  read: ([value]) => (typeof value === 'string' ? value : null),
});
const instant = (select: Fragment): ColumnReader => ({
  type: 'DateTime',
  select: [sql`toUnixTimestamp64Milli(${select})`],
  read: ([millis]) => time(millis),
});

const UUID = plain('UUID', sql`toString(e.uuid)`);
const PERSON = plain('UUID', sql`toString(${PERSON_ID})`);
const EVENT = plain('String', sql`toString(e.event)`);
const DISTINCT_ID = plain('String', sql`e.distinct_id`);
const CHAIN = plain('String', sql`e.elements_chain`);
const TIMESTAMP = instant(sql`e.timestamp`);
const CREATED_AT = instant(sql`e.inserted_at`);
const PROPERTIES: ColumnReader = { type: 'JSON', select: [sql`toJSONString(e.properties)`], read: ([text]) => parsed(text) };

const WHOLE: Record<string, ColumnReader> = {
  uuid: UUID,
  event: EVENT,
  properties: PROPERTIES,
  timestamp: TIMESTAMP,
  team_id: { type: 'Int32', select: [], read: (_, projectId) => projectId },
  distinct_id: DISTINCT_ID,
  elements_chain: CHAIN,
  created_at: CREATED_AT,
  person_id: PERSON,
  person_mode: plain('String', sql`toString(e.person_mode)`),
  ...Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`$group_${index}`, plain('String', groupKey(index))])),
};

/** Combines readers into one that returns an object. */
const object = (fields: Record<string, ColumnReader>): ColumnReader => ({
  type: 'JSON',
  select: Object.values(fields).flatMap(({ select }) => select),
  read: (values, projectId) => {
    let at = 0;
    const entries = Object.entries(fields).map(([name, { select, read }]) => {
      const own = values.slice(at, at + select.length);
      at += select.length;
      return [name, read(own, projectId)] as const;
    });
    return Object.fromEntries(entries);
  },
});

const ofPerson = (alias: string, expression: Fragment) => profileColumn({ type: 'person' }, alias, expression);

/** The person of an event. Events without a person profile get a person without properties. */
const PERSON_OBJECT = object({
  uuid: PERSON,
  distinct_id: DISTINCT_ID,
  properties: {
    type: 'JSON',
    select: [ofPerson('person_properties', sql`toJSONString(properties)`)],
    read: ([text]) => parsed(text || '{}'),
  },
  created_at: {
    type: 'Nullable(DateTime)',
    select: [ofPerson('person_created_at', sql`toUnixTimestamp64Milli(created_at)`), ofPerson('person_exists', sql`1`)],
    read: ([millis, exists]) => (Number(exists) === 1 ? time(millis) : null),
  },
});

/** Display name of a person: the first of these properties that is not empty, else the distinct id of the event. */
const NAMES = ['email', 'name', 'username'];
const DISPLAY_NAME = object({
  display_name: plain(
    'String',
    sql`coalesce(${commaList(NAMES.map((name) => sql`nullIf(${property({ type: 'person' }, name).text}, '')`))}, e.distinct_id)`,
  ),
  id: PERSON,
  distinct_id: DISTINCT_ID,
});

const FIELD_READERS: Record<EventField, ColumnReader> = {
  '*': object(WHOLE),
  uuid: UUID,
  event: EVENT,
  distinct_id: DISTINCT_ID,
  person_id: PERSON,
  person: PERSON_OBJECT,
  timestamp: TIMESTAMP,
  created_at: CREATED_AT,
  properties: PROPERTIES,
  elements_chain: CHAIN,
  person_display_name: DISPLAY_NAME,
};

const FIELD_ORDER: Partial<Record<EventField, Fragment[]>> = {
  uuid: [sql`e.uuid`],
  event: [sql`e.event`],
  distinct_id: [sql`e.distinct_id`],
  person_id: [PERSON_ID],
  timestamp: [sql`e.timestamp`],
  created_at: [sql`e.inserted_at`],
  elements_chain: [sql`e.elements_chain`],
  person_display_name: DISPLAY_NAME.select.slice(0, 1),
};
