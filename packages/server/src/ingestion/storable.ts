import { isObject, type Json, type JsonObject } from '../kernel/json.js';

/** Deeper values are stored as JSON text: databases and parsers limit the depth far below what JSON allows. */
const MAX_DEPTH = 32;

const UNCLEAN_SOURCE = '\\u0000|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';
const UNCLEAN = new RegExp(UNCLEAN_SOURCE);
const UNCLEAN_ALL = new RegExp(UNCLEAN_SOURCE, 'g');

/** Replaces what no store accepts: NUL and lone surrogates. */
export function cleanText(text: string): string {
  return UNCLEAN.test(text) ? text.replace(UNCLEAN_ALL, '\ufffd') : text;
}

/** A copy with clean strings and keys. */
export function cleanJson(value: JsonObject): JsonObject;
export function cleanJson(value: Json): Json;
export function cleanJson(value: Json): Json {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map((v) => cleanJson(v));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [cleanText(key), cleanJson(v)]));
}

/** A copy with too deep values as JSON text; the object itself if nothing is too deep. */
export function fitObject(object: JsonObject): JsonObject {
  for (const key in object) {
    const value = object[key];
    if (typeof value === 'object' && value !== null && isDeep(value, 1)) return fitLevel(object, 1);
  }
  return object;
}

/** Whether the value is nested beyond the limit; does not descend further. */
function isDeep(value: Json[] | JsonObject, depth: number): boolean {
  if (depth >= MAX_DEPTH) return true;
  const inner = Array.isArray(value) ? value : Object.values(value);
  return inner.some((v) => typeof v === 'object' && v !== null && isDeep(v, depth + 1));
}

function fitLevel(object: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, fitValue(value, depth + 1)]));
}

function fitValue(value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null || !isDeep(value, depth)) return value;
  if (depth >= MAX_DEPTH) return jsonText(value);
  return Array.isArray(value) ? value.map((v) => fitValue(v, depth + 1)) : fitLevel(value, depth);
}

/** JSON text of any parsed value; `null` if it is too deep even for that. */
function jsonText(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'null';
  }
}

/** A copy that `jsonb` accepts: clean strings and keys, finite numbers, bounded depth. */
export function storableValue(value: Json, depth = 0): Json {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return jsonText(value);
  if (Array.isArray(value)) return value.map((item) => storableValue(item, depth + 1));
  return storableObject(value, depth);
}

/** As {@link storableValue}, for an object. */
export function storableObject(object: JsonObject, depth = 0): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [cleanText(key), storableValue(value, depth + 1)]));
}

/** Deep equality of JSON values; the order of keys does not count. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i] ?? null));
  if (!isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => hasKey(b, key) && sameJson(a[key] ?? null, b[key] ?? null));
}

/** `Object.hasOwn` for parsed JSON objects, faster for usual keys. */
export function hasKey(object: JsonObject, key: string): boolean {
  const value: unknown = object[key];
  if (value === undefined) return false;
  return (typeof value !== 'function' && key !== '__proto__') || Object.hasOwn(object, key);
}

/** Length of the value as JSON text, about: without serializing it. */
export function estimateLength(value: Json, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  // deeper values are cut later; the limit of an event bounds them
  if (depth > 32) return 8;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const inner of value) bytes += estimateLength(inner, depth + 1) + 1;
    return bytes;
  }
  for (const key in value) {
    const inner = value[key];
    bytes += key.length + 4 + (typeof inner === 'string' ? inner.length : estimateLength(inner ?? null, depth + 1));
  }
  return bytes;
}
