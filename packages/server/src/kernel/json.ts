export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Whether a parsed JSON value is an object (not null, not an array). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Number of members of an object. */
export function countKeys(object: object): number {
  let count = 0;
  for (const _ in object) count++;
  return count;
}

/** Bytes of an object or a list besides its members. */
const BYTES_OF_CONTAINER = 16;
/** Bytes of a number, a boolean, null, or a reference. */
const BYTES_OF_VALUE = 8;

/** About how much memory a JSON value takes, bytes. Much cheaper than its text. Stops counting above `most`. */
export function memoryOf(value: unknown, most = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return BYTES_OF_VALUE + value.length * 2;
  if (typeof value !== 'object' || value === null) return BYTES_OF_VALUE;
  let bytes = BYTES_OF_CONTAINER + BYTES_OF_VALUE;
  if (Array.isArray(value)) {
    for (const item of value) {
      bytes += typeof item === 'number' ? BYTES_OF_VALUE : memoryOf(item, most - bytes);
      if (bytes > most) break;
    }
    return bytes;
  }
  for (const [name, member] of Object.entries(value)) {
    bytes += BYTES_OF_VALUE + name.length * 2 + memoryOf(member, most - bytes);
    if (bytes > most) break;
  }
  return bytes;
}
