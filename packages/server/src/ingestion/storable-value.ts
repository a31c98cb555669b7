import { isObject, type Json, type JsonObject } from '../kernel/json.js';
import { cleanText, jsonText, MAX_DEPTH } from './storable.js';

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
