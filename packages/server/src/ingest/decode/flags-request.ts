import { isObject, type JsonObject } from '../../kernel/json.js';
import { distinctIdText } from './distinct-id.js';
import { ownToken, requireToken } from './envelope.js';
import { parseText } from './json-text.js';
import { type RawRequest, readPayload } from './payload.js';
import { type Hold, Refusal } from './refusal.js';

/** Largest flags request, as sent and as decompressed; bytes. */
export const FLAGS_WIRE_CAP = 512 * 1024;
export const FLAGS_PAYLOAD_CAP = 512 * 1024;

/** Who asks for flags. */
export interface FlagsQuestion {
  token: string;
  /** null only when flags are not wanted (`disable_flags`). */
  distinctId: string | null;
}

const TYPES: ReadonlySet<string> = new Set(['', 'application/json', 'text/plain', 'application/x-www-form-urlencoded']);
/** Strings whole, so that words inside them stay; and the numbers that JSON does not know. */
const STRING_OR_WORD = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\bInfinity\b|\bNaN\b/gs;

/** @throws Refusal */
export async function readFlagsRequest(request: RawRequest, hold: Hold): Promise<FlagsQuestion> {
  const type = request.contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!TYPES.has(type)) throw new Refusal('bad_content_type');
  const payload = await readPayload(request, hold);
  // broken UTF-8 is replaced here, not refused: a flag is better than none
  const value = parseLenient(payload.toString('utf8'));
  if (!isObject(value)) throw new Refusal('wrong_shape', 'The payload is not an object.');
  return { token: requireToken(ownToken(value)), distinctId: value.disable_flags === true ? null : distinctIdOf(value) };
}

/** Some clients write NaN and Infinity into JSON; they count as null. */
function parseLenient(text: string): unknown {
  try {
    return parseText(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return parseText(text.replace(STRING_OR_WORD, (token) => (token.startsWith('"') ? token : 'null')));
  }
}

function distinctIdOf(value: JsonObject): string {
  const id = value.distinct_id ?? value.$distinct_id;
  if (id === undefined || id === null)
    throw new Refusal('missing_distinct_id', 'No "distinct_id": flags are evaluated for somebody.');
  return distinctIdText(id);
}
