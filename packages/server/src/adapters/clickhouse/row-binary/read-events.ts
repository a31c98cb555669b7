import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import type { EventRow } from '../../../ports/events.js';
import { BytesReader } from './bytes.js';
import { ESCAPED_DOT, INNER_JSON, PERSON_MODES, TYPE } from './columns.js';

/** The rows of `events` in bytes that `writeEvent` wrote. @throws RangeError when they are not whole */
export function readEvents(bytes: Buffer): EventRow[] {
  const from = new BytesReader(bytes);
  const rows: EventRow[] = [];
  while (!from.isAtEnd) rows.push(readEvent(from));
  return rows;
}

/** The object that `writeJson` wrote, as the store keeps it. */
export const readProperties = (bytes: Buffer): JsonObject => readJson(new BytesReader(bytes));

const readEvent = (from: BytesReader): EventRow => ({
  project_id: from.uint32(),
  uuid: from.uuid(),
  event: from.text(),
  distinct_id: from.text(),
  person_id: from.uuid(),
  person_mode: from.byte() === PERSON_MODES.full ? 'full' : 'propertyless',
  timestamp: from.int64(),
  inserted_at: from.int64(),
  elements_chain: from.text(),
  group_0: from.text(),
  group_1: from.text(),
  group_2: from.text(),
  group_3: from.text(),
  group_4: from.text(),
  properties: readJson(from),
});

function readJson(from: BytesReader): JsonObject {
  const object: JsonObject = {};
  for (let left = from.varint(); left > 0; left--) {
    const names = from.text().split('.');
    put(
      object,
      names.map((name) => name.replaceAll(ESCAPED_DOT, '.')),
      readValue(from, from.byte()),
    );
  }
  return object;
}

/** Puts a value at the end of a path, which no other value has. */
function put(object: JsonObject, names: string[], value: Json): void {
  const last = names.pop() ?? '';
  let into = object;
  for (const name of names) {
    const inner = Object.hasOwn(into, name) ? into[name] : undefined;
    const next: JsonObject = isObject(inner) ? inner : {};
    if (next !== inner) define(into, name, next);
    into = next;
  }
  define(into, last, value);
}

/** Also of a name such as `__proto__`. */
const define = (object: JsonObject, name: string, value: Json): void => {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
};

function readValue(from: BytesReader, type: number): Json {
  switch (type) {
    case TYPE.nothing:
      return null;
    case TYPE.text:
      return from.text();
    case TYPE.int64:
      return from.int64();
    case TYPE.float64:
      return from.float64();
    case TYPE.bool:
      return from.byte() === 1;
    case TYPE.json:
      for (const _ of INNER_JSON) from.byte();
      return readJson(from);
    case TYPE.array:
      return readArray(from);
    default:
      throw new RangeError(`No value has the type ${type}.`);
  }
}

function readArray(from: BytesReader): Json[] {
  const isDynamic = from.byte() === TYPE.dynamic;
  // how many types there may be, or the one that there is
  const type = from.byte();
  return Array.from({ length: from.varint() }, () => {
    if (isDynamic) return readValue(from, from.byte());
    return from.byte() === 1 ? null : readValue(from, type);
  });
}
