import { isUtf8 } from 'node:buffer';
import type { Json } from '../../../kernel/json.js';
import type { Decoding } from '../decoding.js';
import { SdkError } from '../sdk-error.js';
import { parseText } from './parse-text.js';
import { parseSliced } from './sliced-json.js';
import type { ItemLimits } from './value-skipper.js';

/** Largest JSON text of one event, bytes. */
export const MAX_EVENT = 1024 * 1024;

/** What one event may be at most. */
export const EVENT_LIMITS: ItemLimits = { bytes: MAX_EVENT, values: 50_000 };

/** Bytes of JSON that are parsed in one go: 256 KiB take 1 ms as events and 12 ms at their worst. */
const AT_ONCE = 256 * 1024;

export interface Parsed {
  value: Json;
  /** Places in the list of events of those whose text is over {@link MAX_EVENT}. */
  oversized: ReadonlySet<number>;
}

const NONE: ReadonlySet<number> = new Set();

/**
 * Parses a request's JSON. Large ones event by event, so that other requests go on meanwhile.
 * @param parse for values that need not be mended
 * @throws SdkError bad_utf8, bad_json, too_deep, event_too_large, payload_too_large
 */
export async function parseJson(
  bytes: Buffer,
  limits: ItemLimits,
  { reserve, scheduler }: Decoding,
  parse: (text: string) => Json = parseText,
): Promise<Parsed> {
  if (!isUtf8(bytes)) throw new SdkError('bad_utf8');
  if (bytes.length <= AT_ONCE) return { value: parse(bytes.toString('utf8')), oversized: NONE };
  // parsed JSON takes about twice its text
  reserve(bytes.length * 2);
  const parsed = await parseSliced(bytes, limits, MAX_EVENT, scheduler, parse);
  // the last event may have been a large one
  await scheduler.yield();
  return parsed;
}
