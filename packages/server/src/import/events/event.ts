import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { nameUuid } from '../../name-uuid.js';

/** An event of any source, in the form that `/batch/` takes. */
export interface ImportedEvent {
  event: string;
  distinct_id: string;
  /** ISO 8601. */
  timestamp: string;
  uuid: string;
  properties: JsonObject;
  /** `properties` as JSON, if the source has them so: then nobody needs to write them again. Bytes were not parsed, and `properties` is empty. */
  propertiesJson?: string | Uint8Array | undefined;
}

/** Why an event is none, of properties that cannot be read. */
export const BROKEN_PROPERTIES = 'the properties are not a JSON object';

/** Whether the properties of an event that were not parsed are no JSON object. */
export const hasBrokenProperties = ({ propertiesJson }: ImportedEvent): boolean =>
  propertiesJson instanceof Uint8Array && objectOf(Buffer.from(propertiesJson).toString()) === null;

/** A person of any source, in the form that `POST persons/` takes. */
export interface ImportedPerson {
  distinct_ids: string[];
  properties: JsonObject;
  is_identified?: boolean;
  /** ISO 8601. */
  created_at?: string;
}

/** Why a record of the source is not an event. */
export interface Problem {
  problem: string;
}

const NAMESPACE = Buffer.from('b1d3f6a04c9e5f27a1c84d92e0735b68', 'hex');

/**
 * An event from what a source says about it. Without a uuid it gets one of its content, so that the same record is one event however often
 * it is imported.
 */
export function importedEvent(fields: {
  event: unknown;
  distinctId: unknown;
  timestamp: unknown;
  uuid?: unknown;
  properties: JsonObject;
  propertiesJson?: string | Uint8Array | undefined;
}): ImportedEvent | Problem {
  const event = textOf(fields.event);
  const distinct_id = textOf(fields.distinctId);
  if (event === '') return { problem: 'the event has no name' };
  if (distinct_id === '') return { problem: 'the event has no distinct id' };
  const at = timeOf(fields.timestamp);
  if (at === null) return { problem: `the timestamp ${quoted(fields.timestamp)} is not a time` };
  const timestamp = new Date(at).toISOString();
  const { properties, propertiesJson } = fields;
  const uuid =
    uuidOf(fields.uuid) ?? nameUuid(NAMESPACE, JSON.stringify([event, distinct_id, at, fields.uuid ?? null, properties]));
  return { event, distinct_id, timestamp, uuid, properties, propertiesJson };
}

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
/** The UUID of a member that is one, in lower case. */
export const uuidOf = (value: unknown): string | null =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null;

/** Text of a name or an id; null and objects are empty. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : '';
}

const quoted = (value: unknown): string => (value === undefined ? '(none)' : JSON.stringify(String(value).slice(0, 60)));

/** Numbers below are seconds, up to the next bound milliseconds, beyond it microseconds: the years 1973 to 5000 in each. */
const SECONDS_BELOW = 1e11;
const MILLISECONDS_BELOW = 1e14;

/** Epoch milliseconds of a time of a source: ISO 8601, `YYYY-MM-DD hh:mm:ss` in UTC, a number, or a Date. null: it is none of these. */
export function timeOf(value: unknown): number | null {
  if (value instanceof Date) return finite(value.getTime());
  if (typeof value === 'bigint') return timeOf(Number(value));
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return null;
    if (Math.abs(value) < SECONDS_BELOW) return finite(Math.round(value * 1_000));
    return finite(Math.abs(value) < MILLISECONDS_BELOW ? Math.round(value) : Math.floor(value / 1_000));
  }
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (/^\d{9,17}(\.\d+)?$/.test(text)) return timeOf(Number(text));
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?\s*(Z|UTC|[+-]\d\d:?\d\d|[+-]\d\d)?$/i.exec(text);
  if (!match) return null;
  const [, day = '', time = '00:00:00', zone = 'Z'] = match;
  const offset = /^(Z|UTC)$/i.test(zone) ? 'Z' : zone.length === 3 ? `${zone}:00` : zone;
  return finite(Date.parse(`${day}T${time.replace(/(\.\d{3})\d+/, '$1')}${offset}`));
}

/** The last moment that JSON times can name. */
const MAX_TIME = 253_402_300_799_999;
const finite = (ms: number): number | null => (Number.isFinite(ms) && ms <= MAX_TIME && ms >= -MAX_TIME ? ms : null);

/** The object of a member that is one or the JSON of one; null: it is neither. */
export function objectOf(value: unknown): JsonObject | null {
  if (isObject(value)) return value;
  if (value === null || value === undefined || value === '') return {};
  if (typeof value !== 'string') return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** A value of a file as JSON: dates become texts, large integers numbers, undefined members disappear. */
export function jsonOf(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return jsonObjectOf(value as Record<string, unknown>);
}

/** As {@link jsonOf}, for an object. */
export function jsonObjectOf(value: object): JsonObject {
  const object: JsonObject = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) object[name] = jsonOf(member);
  return object;
}
