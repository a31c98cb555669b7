import { isObject, type Json, type JsonObject } from '../../kernel/json.js';

/**
 * Whether an object of the target is what a request would create. Fields that the target does not show do not count, and it may have more than was
 * sent: it adds what was left out.
 */
export function isSame(sent: JsonObject, stored: JsonObject): boolean {
  const shown = Object.entries(sent).filter(([name]) => stored[name] !== undefined);
  return shown.length > 0 && shown.every(([name, value]) => holds(stored[name] ?? null, value));
}

/** Whether a stored value has everything that was sent. */
function holds(stored: Json, sent: Json): boolean {
  if (isEmpty(sent)) return isEmpty(stored);
  if (Array.isArray(sent)) {
    return Array.isArray(stored) && stored.length === sent.length && sent.every((one, at) => holds(stored[at] ?? null, one));
  }
  if (isObject(sent)) {
    // an insight of a tile is shown as a whole
    return isObject(stored) && Object.entries(sent).every(([name, value]) => holds(stored[name] ?? null, value));
  }
  return stored === sent || (typeof stored === 'string' && typeof sent === 'string' && isSameTime(stored, sent));
}

const isEmpty = (value: Json): boolean =>
  value === null || value === '' || value === false || (typeof value === 'object' && Object.keys(value).length === 0);

const TIME = /^\d{4}-\d\d-\d\dT/;

/** Whether two texts name the same moment: it can be written in several ways. */
const isSameTime = (a: string, b: string): boolean => TIME.test(a) && TIME.test(b) && Date.parse(a) === Date.parse(b);
