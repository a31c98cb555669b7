import type { Json } from '../kernel/json.js';
import type { CapturedEvent } from './capture.js';

/** Estimated memory of the events in bytes: close to their size as JSON, without serializing. */
export function estimateBytes(events: readonly CapturedEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += 200 + event.event.length + event.distinctId.length + size(event.properties, 0);
  return bytes;
}

function size(value: Json, depth: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  // deeper values are cut later; the limit of an event bounds them
  if (depth > 32) return 8;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const inner of value) bytes += size(inner, depth + 1) + 1;
    return bytes;
  }
  for (const key in value) {
    const inner = value[key];
    bytes += key.length + 4 + (typeof inner === 'string' ? inner.length : size(inner ?? null, depth + 1));
  }
  return bytes;
}
