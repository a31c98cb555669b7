import type { Json } from '../../../kernel/json.js';
import { SdkError } from '../sdk-error.js';

/** How deeply a payload may be nested: what follows recurses, and no SDK comes near. */
const MAX_DEPTH = 128;
/** Fewer lists and fewer objects than this are not nested too deeply. */
const HALF_DEPTH = MAX_DEPTH / 2;

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
  if (typeof value !== 'object' || value === null || isTame(source)) return value;
  if (!tame(value, MAX_DEPTH)) throw new SdkError('too_deep');
  return value;
}

const mended = (whole: string, bad: string | undefined): string => (bad === undefined ? whole : '\\ufffd');

/**
 * Whether a text surely has neither deep nesting nor keys named `__proto__`, also by escapes: a search of the text is much cheaper than one of
 * the value, whose objects may have thousands of keys.
 */
const isTame = (text: string): boolean =>
  !text.includes('__proto__') &&
  !text.includes('\\u') &&
  countsBelow(text, '{', HALF_DEPTH) &&
  countsBelow(text, '[', HALF_DEPTH);

/** Whether a character occurs less often in the text. */
function countsBelow(text: string, character: string, limit: number): boolean {
  let at = -1;
  for (let count = 0; count < limit; count++) {
    at = text.indexOf(character, at + 1);
    if (at < 0) return true;
  }
  return false;
}

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
