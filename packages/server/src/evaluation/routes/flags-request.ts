import {
  type Decoding,
  distinctIdText,
  ownToken,
  parseText,
  type RawRequest,
  readPayload,
  requireToken,
  SdkError,
} from '../../http/sdk/index.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';

/** Limits of a flags request, as sent and decompressed; bytes. */
export const FLAGS_WIRE_CAP = 512 * 1024;
export const FLAGS_PAYLOAD_CAP = 512 * 1024;

/** A decoded flags request. Fields of a wrong type count as absent. */
export interface FlagsRequest {
  token: string;
  /** null only when flags are not wanted (`disable_flags`). */
  distinctId: string | null;
  /** The anonymous id before identification; sent once after it. */
  anonDistinctId: string | null;
  deviceId: string | null;
  /** Group keys by the name of their type. */
  groups: ReadonlyMap<string, string>;
  /** Overrides of the person's stored properties. */
  personProperties: JsonObject;
  /** Overrides of stored group properties, by type name. */
  groupProperties: ReadonlyMap<string, JsonObject>;
  /** null: all flags. */
  flagKeys: readonly string[] | null;
  /** null: the client names none, and gets the flags of all contexts. */
  contexts: readonly string[] | null;
  /** The runtime that the client declares; null: none. */
  runtime: 'client' | 'server' | null;
  /** Whether the address is not the person's (a server's, for example). */
  geoipDisabled: boolean;
}

const TYPES: ReadonlySet<string> = new Set(['', 'application/json', 'text/plain', 'application/x-www-form-urlencoded']);
const ALLOWED_TYPES = 'send application/json, text/plain or application/x-www-form-urlencoded';
/**
 * Matches whole strings, so that words inside them stay, and the numbers that JSON lacks. An unterminated string extends to the end; otherwise
 * the search would restart at each of its quotes, in quadratic time.
 */
const STRING_OR_WORD = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\bInfinity\b|\bNaN\b/gs;

/** @throws SdkError */
export async function readFlagsRequest(request: RawRequest, decoding: Decoding): Promise<FlagsRequest> {
  const type = request.contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!TYPES.has(type)) {
    throw new SdkError('bad_content_type', `The content type "${type.slice(0, 100)}" is not taken here: ${ALLOWED_TYPES}.`);
  }
  const payload = await readPayload(request, decoding);
  // broken UTF-8 is replaced here, not refused: a flag is better than none
  const value = parseLenient(payload.toString('utf8'));
  if (!isObject(value)) throw new SdkError('wrong_shape', 'The payload is not an object.');
  return {
    token: requireToken(ownToken(value)),
    distinctId: value.disable_flags === true ? null : distinctIdOf(value),
    anonDistinctId: textOf(value.$anon_distinct_id ?? value.anon_distinct_id),
    deviceId: textOf(value.$device_id ?? value.device_id),
    groups: groupsOf(value.groups ?? value.$groups),
    personProperties: objectOf(value.person_properties ?? value.$properties),
    groupProperties: new Map(
      entriesOf(value.group_properties).filter((entry): entry is [string, JsonObject] => isObject(entry[1])),
    ),
    flagKeys: textsOf(value.flag_keys ?? value.flag_keys_to_evaluate),
    contexts: textsOf(value.evaluation_contexts ?? value.evaluation_environments),
    runtime: value.evaluation_runtime === 'client' || value.evaluation_runtime === 'server' ? value.evaluation_runtime : null,
    geoipDisabled: value.geoip_disable === true,
  };
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

const entriesOf = (value: Json | undefined): [string, Json][] => Object.entries(objectOf(value));

/** An id as text, cut to the length of distinct ids; null: none. */
function textOf(value: Json | undefined): string | null {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? distinctIdText(value) : null;
}

function textsOf(value: Json | undefined): string[] | null {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
}

/** Keys of groups may be numbers. */
function groupsOf(value: Json | undefined): Map<string, string> {
  const groups = new Map<string, string>();
  for (const [type, key] of entriesOf(value)) {
    if (typeof key === 'string' || typeof key === 'number') groups.set(type, String(key));
  }
  return groups;
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
    throw new SdkError('missing_distinct_id', 'No "distinct_id": flags are evaluated for somebody.');
  return distinctIdText(id);
}
