import { isUtf8 } from 'node:buffer';
import { type Decoding, EVENT_LIMITS, parseText, requireToken, SdkError, skipSpace, ValueSkipper } from '../../http/sdk/index.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_OBJECT, QUOTE, SPACE } from '../../kernel/json-bytes.js';
import type { PropertiesCodec } from '../../ports/events.js';
import type { PlainProperties } from '../plain-properties.js';
import { createPlainReader } from '../plain-reader.js';
import type { Envelope } from './v0.js';

/** Smaller bodies are parsed in one go, in bytes. */
const SMALLEST = 64 * 1024;
/** Bytes that are read between two turns of other requests: about half a millisecond. */
const STRETCH = 64 * 1024;
/** What an event costs besides its bytes, in bytes. */
const EVENT_COST = 200;
/** As of other large bodies. */
const MAX_VALUES = 4_000_000;
/** How a body of history begins, as `tidemark import` writes it. */
const HEAD = /^\{"api_key":"([^"\\]{1,100})","historical_migration":true,"batch":\[/;
const LONGEST_HEAD = 200;

/** Members of an event that are texts. */
const TEXTS: ReadonlySet<string> = new Set(['uuid', 'event', 'distinct_id', 'timestamp']);

/** Reads a large body of history. Its scheduler should be that of the background. Null: it has another form, and has to be read as all others. @throws SdkError as for all bodies */
export type ReadHistory = (bytes: Buffer, decoding: Decoding) => Promise<Envelope | null>;

/** An event without its properties, the properties, and where its text ends. */
interface ReadEvent {
  item: JsonObject;
  plain: PlainProperties;
  end: number;
}

/**
 * Makes the reader of bodies of history. Properties of most events go from JSON text into the form of the event store without becoming an
 * object; an event with anything that a stage of the pipeline acts on is parsed.
 */
export function createHistoryReader(codec: PropertiesCodec): ReadHistory {
  const readPlain = createPlainReader(codec);

  return async (bytes, { reserve, scheduler }) => {
    const head = bytes.length < SMALLEST ? null : HEAD.exec(bytes.toString('latin1', 0, LONGEST_HEAD));
    if (!head) return null;
    if (!isUtf8(bytes)) throw new SdkError('bad_utf8');
    reserve(bytes.length * 2);
    const token = requireToken(head[1]);
    const skipper = new ValueSkipper(bytes, EVENT_LIMITS, MAX_VALUES);
    const items: JsonObject[] = [];
    const plain: (PlainProperties | null)[] = [];
    let rest = STRETCH;
    for (let at = head[0].length; ; ) {
      at = skipSpace(bytes, at);
      const event = readEvent(bytes, at, readPlain);
      const end = event?.end ?? skipper.skip(at);
      items.push(event?.item ?? parseEvent(bytes.toString('utf8', at, end)));
      plain.push(event?.plain ?? null);
      rest -= end - at + EVENT_COST;
      if (rest <= 0) {
        rest = STRETCH;
        await scheduler.yield();
      }
      at = skipSpace(bytes, end);
      const separator = bytes[at++];
      if (separator === COMMA) continue;
      if (separator !== CLOSE_LIST) throw new SdkError('bad_json');
      at = skipSpace(bytes, at);
      if (bytes[at] !== CLOSE_OBJECT || skipSpace(bytes, at + 1) < bytes.length) return null;
      return { token, sentAt: null, isHistorical: true, items, plain };
    }
  };
}

function parseEvent(text: string): JsonObject {
  const event = parseText(text);
  if (!isObject(event)) throw new SdkError('wrong_shape', 'An event is not a JSON object.');
  return event;
}

/** Reads an event whose members are texts without escapes and plain properties. Null: it has to be parsed. */
function readEvent(
  bytes: Buffer,
  from: number,
  readPlain: (event: JsonObject, at: number, bytes: Buffer) => PlainProperties | null,
) {
  if (bytes[from] !== OPEN_OBJECT) return null;
  const item: JsonObject = {};
  let plain: PlainProperties | null = null;
  for (let at = from + 1; ; ) {
    at = skipSpace(bytes, at);
    const nameEnd = textEnd(bytes, at);
    if (nameEnd === null) return null;
    const name = bytes.toString('latin1', at + 1, nameEnd);
    at = skipSpace(bytes, nameEnd + 1);
    if (bytes[at] !== COLON) return null;
    at = skipSpace(bytes, at + 1);
    if (name === 'properties' && !plain) {
      plain = readPlain(item, at, bytes);
      if (!plain) return null;
      at = plain.end;
    } else {
      const end = TEXTS.has(name) && item[name] === undefined ? textEnd(bytes, at) : null;
      if (end === null) return null;
      item[name] = bytes.toString('utf8', at + 1, end);
      at = end + 1;
    }
    at = skipSpace(bytes, at);
    const separator = bytes[at++];
    if (separator === CLOSE_OBJECT) return plain && ({ item, plain, end: at } satisfies ReadEvent);
    if (separator !== COMMA) return null;
  }
}

/** Where the closing quote of a text stands that begins at `at`; null: there is no text, or it has escapes. */
function textEnd(bytes: Buffer, at: number): number | null {
  if (bytes[at] !== QUOTE) return null;
  for (let end = at + 1; ; end++) {
    const byte = bytes[end] ?? 0;
    if (byte === QUOTE) return end;
    if (byte === BACKSLASH || byte < SPACE) return null;
  }
}
