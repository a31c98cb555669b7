import type { JsonObject } from '../kernel/json.js';
import type { EncodedProperties, EventRow, PropertiesCodec } from '../ports/events.js';
import type { GroupKeys } from './groups/resolve.js';
import type { ResolvedPerson } from './identities/person-task.js';
import { type EventContext, type Rejection, warn } from './stages/index.js';
import { cleanJson, cleanText, fitObject } from './storable.js';

/** A row of `events` with encoded properties. */
export type EncodedEvent = Omit<EventRow, 'properties'> & { properties: EncodedProperties };

/** The columns of `events` that an event context lacks. */
interface RowParts {
  person: ResolvedPerson;
  groups: GroupKeys;
  /** Epoch milliseconds. */
  insertedAt: number;
  properties: EncodedProperties;
}

/** The row of an event for the event store. */
export function eventRow(context: EventContext, { person, groups, insertedAt, properties }: RowParts): EncodedEvent {
  return {
    project_id: context.project.id,
    uuid: context.uuid,
    event: context.event,
    distinct_id: context.distinctId,
    person_id: person.personId,
    person_mode: person.mode,
    timestamp: context.timestamp,
    inserted_at: insertedAt,
    elements_chain: context.elementsChain,
    group_0: groups[0],
    group_1: groups[1],
    group_2: groups[2],
    group_3: groups[3],
    group_4: groups[4],
    properties,
  };
}

/** Limit of the JSON text of one event's properties, in characters. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** Puts JSON text in the place of properties that are nested too deeply. */
export function fit(context: EventContext): void {
  const fitted = fitObject(context.properties);
  if (fitted === context.properties) return;
  context.properties = fitted;
  mapPersonProperties(context, fitObject);
}

/**
 * Encodes the properties of an event that {@link fit} has seen for the event store, and cleans texts that could not be stored.
 * @returns a Rejection when the event is too large
 */
export function serialize(context: EventContext, codec: PropertiesCodec): EncodedProperties | Rejection {
  context.event = cleanText(context.event);
  context.distinctId = cleanText(context.distinctId);
  if (context.elementsChain !== '') context.elementsChain = cleanText(context.elementsChain);
  let result = codec.encode(context.properties, MAX_ENCODED_BYTES);
  if (result && !result.isClean) {
    context.properties = cleanJson(context.properties);
    mapPersonProperties(context, (properties) => cleanJson(properties));
    context.unset = context.unset.map(cleanText);
    result = codec.encode(context.properties, MAX_ENCODED_BYTES);
  }
  const length = textLength(context, result?.encoded.length ?? MAX_ENCODED_BYTES);
  if (!result || length > MAX_EVENT_LENGTH) {
    warn(context, 'message_size_too_large', { length, limit: MAX_EVENT_LENGTH });
    return { reason: 'message_size_too_large', details: 'message_size_too_large', result: 'drop' };
  }
  return result.encoded;
}

function mapPersonProperties(context: EventContext, map: (properties: JsonObject) => JsonObject): void {
  context.device = { ...context.device, values: map(context.device.values) };
  context.set = map(context.set);
  context.setOnce = map(context.setOnce);
}

/**
 * Limit of the encoded form: at worst, a list of digits, it takes 4.5 bytes per character of the text. The encoding repeats the name of an object
 * before each member, so an object with a long name and many members is rejected, too: the engine would need as much memory.
 */
const MAX_ENCODED_BYTES = 8 * MAX_EVENT_LENGTH;

/** Upper bound of characters of JSON text per encoded byte. */
const TEXT_PER_BYTE = 8;

/** Length of the event as JSON text: the cheap upper bound if that is within the limit, else the exact length. */
function textLength({ properties, elementsChain }: EventContext, encodedBytes: number): number {
  const most = encodedBytes * TEXT_PER_BYTE + elementsChain.length;
  return most > MAX_EVENT_LENGTH ? JSON.stringify(properties).length + elementsChain.length : most;
}
