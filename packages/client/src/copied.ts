import type { Properties } from './event.js';
import { eventJson } from './event-json.js';

/** Larger values, and cycles, are copied as JSON. */
const MOST_OBJECTS = 1_000;

/**
 * A copy that later changes to an object do not show in; undefined when the object cannot be read. Values that are not plain data, such as dates,
 * become what JSON makes of them.
 */
export function copied<Value>(value: Value): Value | undefined {
  if (typeof value !== 'object' || !value) return value;
  const asJson = (object: object) => JSON.parse(eventJson(object));
  let left = MOST_OBJECTS;
  // several times faster than JSON for the small objects that most events have
  const copy = (object: object): unknown => {
    if (!left--) throw left;
    if ('toJSON' in object) return asJson(object);
    if (Array.isArray(object)) return object.map(copyOf);
    if (Object.getPrototypeOf(object) !== Object.prototype) return asJson(object);
    const result: Properties = { ...object };
    for (const name of Object.keys(result)) result[name] = copyOf(result[name]);
    return result;
  };
  const copyOf = (given: unknown) => (typeof given === 'object' && given ? copy(given) : given);
  try {
    return copy(value) as Value;
  } catch {}
  try {
    return asJson(value);
  } catch {
    return undefined;
  }
}
