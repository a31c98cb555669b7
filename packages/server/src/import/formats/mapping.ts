import { z } from 'zod';
import type { JsonObject } from '../../kernel/json.js';
import { importedEvent, jsonObjectOf, jsonOf } from '../events/event.js';
import { ImportError } from '../import-error.js';
import { type EventFormat, member } from './format.js';

/** A column, or a value that all events have. */
const source = z.union([z.string().min(1), z.strictObject({ value: z.string().min(1) })]);

/** The mapping file: from the columns or members of records to events. */
export const mappingSchema = z.strictObject({
  event: source,
  distinct_id: source,
  timestamp: z.string().min(1),
  uuid: z.string().min(1).optional(),
  /** `"*"`: all other columns under their own names. Otherwise name of the property → column. */
  properties: z.union([z.literal('*'), z.record(z.string(), z.string().min(1))]).default('*'),
  /** Properties of the person: name → column. */
  set: z.record(z.string(), z.string().min(1)).optional(),
  /** Columns whose texts are numbers or true and false. */
  convert: z.array(z.string()).default([]),
});
export type Mapping = z.output<typeof mappingSchema>;

/** @throws ImportError the text is not a mapping */
export function parseMapping(text: string, path: string): Mapping {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ImportError(`The mapping ${path} is not JSON.`);
  }
  const result = mappingSchema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ImportError(`The mapping ${path} is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}.`);
}

/** Events by a mapping. */
export function mappedFormat(mapping: Mapping): EventFormat {
  const columns = [mapping.event, mapping.distinct_id, mapping.timestamp, mapping.uuid].filter((one) => typeof one === 'string');
  const convert = new Set(mapping.convert);
  const read = (record: object, column: string): unknown => {
    const value = member(record, column) ?? nested(record, column);
    return convert.has(column) && typeof value === 'string' ? converted(value) : value;
  };
  return {
    name: 'mapping',
    open: (file) => {
      let isChecked = false;
      return (record) => {
        if (!isChecked) {
          const missing = columns.find((column) => read(record, column) === undefined && column !== mapping.uuid);
          if (missing !== undefined) {
            const has = Object.keys(record).slice(0, 30).join(', ');
            throw new ImportError(`${file} has no column "${missing}" that the mapping names. It has: ${has}.`);
          }
          isChecked = true;
        }
        const properties = propertiesOf(record, mapping, columns, read);
        if (mapping.set) properties['$set'] = picked(record, mapping.set, read);
        return importedEvent({
          event: sourceValue(record, mapping.event, read),
          distinctId: sourceValue(record, mapping.distinct_id, read),
          timestamp: read(record, mapping.timestamp),
          uuid: mapping.uuid === undefined ? undefined : read(record, mapping.uuid),
          properties,
        });
      };
    },
  };
}

type Read = (record: object, column: string) => unknown;

const sourceValue = (record: object, from: Mapping['event'], read: Read): unknown =>
  typeof from === 'string' ? read(record, from) : from.value;

function propertiesOf(record: object, mapping: Mapping, columns: readonly string[], read: Read): JsonObject {
  if (mapping.properties !== '*') return picked(record, mapping.properties, read);
  const used = new Set([...columns, ...Object.values(mapping.set ?? {})]);
  const rest = Object.keys(record).filter((column) => !used.has(column));
  return picked(record, Object.fromEntries(rest.map((column) => [column, column])), read);
}

function picked(record: object, names: Readonly<Record<string, string>>, read: Read): JsonObject {
  const found = Object.entries(names).map(([name, column]) => [name, read(record, column)] as const);
  // an empty cell of a table is no value
  return jsonObjectOf(Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== '' && value !== null)));
}

/** A member of a member: `user.id`. */
function nested(record: object, path: string): unknown {
  let value: unknown = record;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = member(value, step);
  }
  return value;
}

function converted(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? jsonOf(Number(text)) : text;
}
