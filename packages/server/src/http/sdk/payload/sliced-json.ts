import { isObject, type Json } from '../../../kernel/json.js';
import { CLOSE_LIST, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../../../kernel/json-bytes.js';
import type { Scheduler } from '../../../ports/system.js';
import { SdkError } from '../sdk-error.js';
import { parseText } from './parse-text.js';
import { type ItemLimits, skipSpace, tooManyBytes, ValueSkipper } from './value-skipper.js';

/** Bytes parsed between two looks at other requests. */
const STRETCH = 256 * 1024;
/** What an event costs besides its bytes, in bytes. */
const ITEM_COST = 200;
/** Values in one request: what `[[],[],…` would cost in memory is bounded by this, not by its bytes. */
const MAX_VALUES = 4_000_000;

/**
 * The same value as parsing the whole, made from one parse per event. Lists of events are found at the top and under
 * `batch`; anything else counts as one event.
 */
export async function parseSliced(
  bytes: Buffer,
  limits: ItemLimits,
  largeItem: number,
  scheduler: Scheduler,
  parse: (text: string) => Json = parseText,
): Promise<{ value: Json; oversized: Set<number> }> {
  const skipper = new ValueSkipper(bytes, limits, MAX_VALUES);
  const start = skipSpace(bytes, 0);
  const list =
    bytes[start] === OPEN_LIST ? start : bytes[start] === OPEN_OBJECT ? findBatch(bytes, start, skipper, limits.bytes) : -1;
  if (list === -1) {
    skipper.skip(start);
    if (bytes.length > limits.bytes) throw tooManyBytes(limits);
    await scheduler.yield();
    return { value: parse(bytes.toString('utf8')), oversized: new Set(bytes.length > largeItem ? [0] : []) };
  }

  const items: Json[] = [];
  const oversized = new Set<number>();
  let at = skipSpace(bytes, list + 1);
  if (bytes[at] === CLOSE_LIST) at++;
  else {
    let rest = STRETCH;
    for (;;) {
      const begin = at;
      const end = skipper.skip(at);
      if (end - at > largeItem) oversized.add(items.length);
      // finding the end of a large event takes as long as parsing it
      if (end - at > STRETCH) await scheduler.yield();
      items.push(parse(bytes.toString('utf8', at, end)));
      at = skipSpace(bytes, end);
      const separator = bytes[at++];
      if (separator === CLOSE_LIST) break;
      if (separator !== COMMA) throw new SdkError('bad_json');
      at = skipSpace(bytes, at);
      rest -= at - begin + ITEM_COST;
      if (rest <= 0) {
        rest = STRETCH;
        await scheduler.yield();
      }
    }
  }
  return { value: envelope(bytes, list, at, items, limits.bytes), oversized };
}

/** Puts the parsed events back into what stands around them. */
function envelope(bytes: Buffer, from: number, to: number, items: Json[], limit: number): Json {
  if (from + bytes.length - to > limit) throw new SdkError('payload_too_large');
  const around = parseText(`${bytes.toString('utf8', 0, from)}[]${bytes.toString('utf8', to)}`);
  if (!isObject(around)) return items;
  around.batch = items;
  return around;
}

/** Where the list under `batch` begins in the object that begins at `at`, or -1. `most`: bytes before it. */
function findBatch(bytes: Buffer, at: number, skipper: ValueSkipper, most: number): number {
  let i = skipSpace(bytes, at + 1);
  while (bytes[i] === QUOTE) {
    if (i - at > most) throw new SdkError('payload_too_large');
    const keyEnd = skipper.skip(i);
    const key = bytes.toString('latin1', i + 1, Math.min(keyEnd - 1, i + 7));
    i = skipSpace(bytes, keyEnd);
    if (bytes[i] !== COLON) return -1;
    i = skipSpace(bytes, i + 1);
    if (key === 'batch' && bytes[i] === OPEN_LIST) return i;
    i = skipSpace(bytes, skipper.skip(i));
    if (bytes[i] !== COMMA) return -1;
    i = skipSpace(bytes, i + 1);
  }
  return -1;
}
