import type { Json } from '../../../kernel/json.js';
import { SdkError } from '../sdk-error.js';

/** How deeply a payload may be nested: what follows recurses, and no SDK comes near. */
const MAX_DEPTH = 128;

/** `\u0000`, or an escaped surrogate (which may be alone). */
const SUSPECT = /\\u(?:[dD][89a-fA-F]|0000)/;
/** Each escape as a whole, so that an escaped backslash before a `u` is not mistaken for one. */
const ESCAPE = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u(?:[dD][89a-fA-F][0-9a-fA-F]{2}|0000))|.)/gs;
/** A distinct id with more digits than a number keeps. */
const LONG_ID = /("\$?distinct_id"\s*:\s*)(-?\d{16,})(?=\s*[,}])/;
const LONG_IDS = new RegExp(LONG_ID, 'g');

/**
 * Parses JSON of anybody. Lone surrogates and NUL, which the stores refuse, become U+FFFD; long numeric distinct ids
 * keep their digits (as text); keys named `__proto__` are left out.
 * @throws SdkError bad_json, too_deep
 */
export function parseText(text: string): Json {
  let source = text;
  if (source.includes('\\u') && SUSPECT.test(source)) source = source.replace(ESCAPE, mended);
  if (LONG_ID.test(source)) source = source.replace(LONG_IDS, '$1"$2"');
  let value: Json;
  try {
    value = JSON.parse(source);
  } catch {
    throw new SdkError('bad_json');
  }
  if (typeof value === 'object' && value !== null && !tame(value, MAX_DEPTH)) throw new SdkError('too_deep');
  return value;
}

const mended = (whole: string, bad: string | undefined): string => (bad === undefined ? whole : '\\ufffd');

/** Removes keys that would change prototypes when copied; false: nested deeper than `depth`. */
function tame(value: object, depth: number): boolean {
  if (depth === 0) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === 'object' && item !== null && !tame(item, depth - 1)) return false;
    }
    return true;
  }
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const item = record[key];
    if (typeof item === 'object' && item !== null && !tame(item, depth - 1)) return false;
  }
  return true;
}
