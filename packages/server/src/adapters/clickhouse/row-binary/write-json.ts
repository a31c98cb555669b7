import { isObject, type Json, type JsonObject } from '../../../kernel/json.js';
import { BytesReader, type BytesWriter } from './bytes.js';
import { DYNAMIC_TYPES, ESCAPED_DOT, INNER_JSON, TYPE } from './columns.js';

/**
 * Writes a value of the engine's JSON type: paths to what is no object, each with type and value. As where the engine reads text:
 * nulls and empty objects are not stored, of two names for one path (`a.b`, `a%2Eb`) the first counts, whole numbers of up to 18
 * digits are integers and all others floating.
 */
export function writeJson(to: BytesWriter, object: JsonObject): void {
  const hole = to.hole();
  let members = new Members(to, null);
  members.write(object, '');
  if (members.mayRepeat) {
    to.backTo(hole);
    members = new Members(to, new Set());
    members.write(object, '');
  }
  to.fill(hole, members.count);
}

/**
 * Writes an encoded object again, with more members, whose values are texts. The object must have none of the names, and the names no
 * dots: the engine refuses a path that comes twice.
 */
export function appendTexts(to: BytesWriter, written: Buffer, texts: readonly (readonly [name: string, value: string])[]): void {
  const from = new BytesReader(written);
  to.varint(from.varint() + texts.length);
  to.bytes(written.subarray(from.at));
  for (const [name, value] of texts) {
    to.text(name);
    to.byte(TYPE.text);
    to.text(value);
  }
}

/**
 * Writes one member of an object whose count is written elsewhere. The name has no dots and percent signs, and stands for no other path.
 * @returns how many members it became: an object becomes those in it
 */
export function writeMember(to: BytesWriter, name: string, value: Json): number {
  const members = new Members(to, null);
  members.write({ [name]: value }, '');
  return members.count;
}

class Members {
  count = 0;
  /** Whether there was a name that may stand for the path of another one. */
  mayRepeat = false;

  constructor(
    private readonly to: BytesWriter,
    private readonly seen: Set<string> | null,
  ) {}

  write(object: JsonObject, prefix: string): void {
    const { to } = this;
    for (const name in object) {
      const value = object[name];
      if (isNull(value)) continue;
      if (isObject(value)) {
        this.write(value, `${prefix}${escaped(name)}.`);
        continue;
      }
      if (prefix !== '' || this.seen || !to.plainText(name)) {
        if (name.includes(ESCAPED_DOT)) this.mayRepeat = true;
        const path = prefix + escaped(name);
        if (this.seen?.has(path)) continue;
        this.seen?.add(path);
        to.text(path);
      }
      this.count++;
      writeValue(to, value);
    }
  }
}

const escaped = (name: string): string => (name.includes('.') ? name.replaceAll('.', ESCAPED_DOT) : name);

/** What JSON text has as null or leaves out. */
const isNull = (value: Json | undefined): value is null | undefined =>
  value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value));

/** Its type, and the value. */
function writeValue(to: BytesWriter, value: Json | undefined): void {
  if (isNull(value)) to.byte(TYPE.nothing);
  else if (Array.isArray(value)) writeArray(to, value);
  else if (isObject(value)) {
    to.byte(TYPE.json);
    for (const byte of INNER_JSON) to.byte(byte);
    writeJson(to, value);
  } else {
    const type = typeOf(value);
    to.byte(type);
    writeScalar(to, value, type);
  }
}

/** Writes a finite number with its type. */
export function writeNumber(to: BytesWriter, value: number): void {
  const type = typeOf(value);
  to.byte(type);
  writeScalar(to, value, type);
}

type Scalar = string | number | boolean;
type ScalarType = typeof TYPE.text | typeof TYPE.bool | typeof TYPE.int64 | typeof TYPE.float64;

/** The first whole number that does not surely fit 64 bits. */
const LONG = 1e18;

const isInteger = (value: number): boolean => Number.isInteger(value) && value < LONG && value > -LONG;

function typeOf(value: Scalar): ScalarType {
  if (typeof value === 'string') return TYPE.text;
  if (typeof value === 'boolean') return TYPE.bool;
  return isInteger(value) ? TYPE.int64 : TYPE.float64;
}

function writeScalar(to: BytesWriter, value: Scalar, type: ScalarType): void {
  if (typeof value === 'string') to.text(value);
  else if (typeof value === 'boolean') to.byte(Number(value));
  else if (type === TYPE.int64) to.int64(value);
  else to.float64(value);
}

/** One type for all where they have one, else each with its own. */
function writeArray(to: BytesWriter, values: readonly Json[]): void {
  const type = commonType(values);
  to.byte(TYPE.array);
  if (type === null) {
    to.byte(TYPE.dynamic);
    to.byte(DYNAMIC_TYPES);
    to.varint(values.length);
    for (const value of values) writeValue(to, value);
    return;
  }
  to.byte(TYPE.nullable);
  to.byte(type);
  to.varint(values.length);
  for (const value of values) {
    to.byte(Number(isNull(value)));
    if (!isNull(value) && typeof value !== 'object') writeScalar(to, value, type);
  }
}

/** Of the values that are there; text where there are none. Null when they differ, or are lists or objects. */
function commonType(values: readonly Json[]): ScalarType | null {
  let common: ScalarType | undefined;
  for (const value of values) {
    if (isNull(value)) continue;
    if (typeof value === 'object') return null;
    const type = typeOf(value);
    if (common === undefined || common === type) common = type;
    else if (typeof value === 'number' && common !== TYPE.text && common !== TYPE.bool) common = TYPE.float64;
    else return null;
  }
  return common ?? TYPE.text;
}
