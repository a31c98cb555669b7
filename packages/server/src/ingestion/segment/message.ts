import { SdkError } from '../../http/sdk/index.js';
import { parseUuid } from '../../kernel/ids.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { nameUuid } from '../name-uuid.js';
import { contextProperties } from './context.js';

/** The calls of Segment's tracking API. */
export const SEGMENT_TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias'] as const;
export type SegmentType = (typeof SEGMENT_TYPES)[number];

/** Default group type: Segment has groups without types. */
const GROUP_TYPE = 'company';
/** Namespace of uuids for message ids that are not UUIDs. */
const NAMESPACE = Buffer.from('7d0b8a534c1e5e7a9a832f6b1c9d4e10', 'hex');

/**
 * Translates a call of Segment's API to an event of the v0 protocol.
 * @param where prefix of error messages, naming the message
 * @throws SdkError invalid_message
 */
export function eventOfMessage(message: JsonObject, type: SegmentType, batchSentAt: Json | undefined, where: string): JsonObject {
  const say = (sentence: string) => new SdkError('invalid_message', `${where}${sentence}`);
  const context = objectOf(message.context);
  const user = idOf(message.userId);
  const anonymous = idOf(message.anonymousId);
  const distinctId = user ?? anonymous;
  if (distinctId === null) throw say('"userId" or "anonymousId" is missing.');

  const traits = objectOf(context.traits);
  const event = (name: string, properties: JsonObject, set: JsonObject): JsonObject => ({
    event: name,
    distinct_id: distinctId,
    ...uuidOf(message.messageId),
    ...timeOf(message, batchSentAt),
    properties: { ...contextProperties(context), ...groupsOf(context), ...properties },
    ...(Object.keys(set).length > 0 ? { $set: set } : {}),
  });

  const own = objectOf(message.properties);
  switch (type) {
    case 'track': {
      if (typeof message.event !== 'string' || message.event === '') throw say('"event" is missing: the name of what was done.');
      return event(message.event, own, traits);
    }
    case 'page':
      return event('$pageview', { ...pageProperties(own), ...named(message, 'page') }, traits);
    case 'screen':
      return event('$screen', { ...own, ...named(message, 'screen') }, traits);
    case 'identify': {
      const merge = user !== null && anonymous !== null && user !== anonymous ? { $anon_distinct_id: anonymous } : {};
      // without a user id there is no person to merge with
      return event(user === null ? '$set' : '$identify', merge, { ...traits, ...objectOf(message.traits) });
    }
    case 'group': {
      const key = idOf(message.groupId);
      if (key === null) throw say('"groupId" is missing.');
      const { groupType, ...set } = objectOf(message.traits);
      const groupTypeName = idOf(groupType) ?? idOf(context.groupType) ?? GROUP_TYPE;
      return event(
        '$groupidentify',
        { ...own, $groups: { [groupTypeName]: key }, $group_type: groupTypeName, $group_key: key, $group_set: set },
        traits,
      );
    }
    case 'alias': {
      const previous = idOf(message.previousId) ?? (user === null ? null : anonymous);
      if (previous === null) throw say('"previousId" is missing.');
      return event('$create_alias', { ...own, alias: previous }, {});
    }
  }
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** Ids are text; some clients send numbers. */
function idOf(value: Json | undefined): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Equal on every retry: the message id if it is a UUID, else a UUID derived from it. */
function uuidOf(messageId: Json | undefined): { uuid?: string } {
  const id = idOf(messageId);
  return id === null ? {} : { uuid: parseUuid(id) ?? nameUuid(NAMESPACE, id) };
}

/**
 * The client's time, and its time of sending for the correction of skew. A message that Segment has received before carries the corrected time in
 * `timestamp`.
 */
function timeOf(message: JsonObject, batchSentAt: Json | undefined): JsonObject {
  if (typeof message.receivedAt === 'string') return { timestamp: message.timestamp ?? message.receivedAt };
  const timestamp = message.originalTimestamp ?? message.timestamp;
  const sentAt = message.sentAt ?? batchSentAt;
  return { ...(timestamp === undefined ? {} : { timestamp }), ...(sentAt === undefined ? {} : { sent_at: sentAt }) };
}

/** The group of an event, from the context. */
function groupsOf(context: JsonObject): JsonObject {
  const key = idOf(context.groupId);
  return key === null ? {} : { $groups: { [idOf(context.groupType) ?? GROUP_TYPE]: key } };
}

const PAGE_PROPERTIES = [
  ['url', '$current_url'],
  ['path', '$pathname'],
  ['search', '$search'],
  ['referrer', '$referrer'],
] as const;

/** Properties of the page call win over those of the context. */
function pageProperties(own: JsonObject): JsonObject {
  const properties = { ...own };
  for (const [name, property] of PAGE_PROPERTIES) {
    const value = own[name];
    if (typeof value === 'string') properties[property] = value;
  }
  return properties;
}

function named({ name, category, properties }: JsonObject, what: 'page' | 'screen'): JsonObject {
  const own = objectOf(properties);
  const title = name ?? own.name;
  const group = category ?? own.category;
  return {
    ...(typeof title === 'string' ? { [what === 'screen' ? '$screen_name' : 'name']: title } : {}),
    ...(typeof group === 'string' ? { category: group } : {}),
  };
}
