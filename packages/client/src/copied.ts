import { eventJson } from './event-json.js';

/** A value as JSON has it now, so that later changes to an object do not show. undefined when the object cannot be read. */
export function copied<Value>(value: Value): Value | undefined {
  if (typeof value !== 'object' || !value) return value;
  try {
    return JSON.parse(eventJson(value));
  } catch {
    return undefined;
  }
}
