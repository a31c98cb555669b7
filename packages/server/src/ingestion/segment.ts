import { checkToken, type Decoding, type RawRequest, readPayload, SdkError } from '../http/sdk/index.js';
import { parseUuid } from '../kernel/ids.js';
import { isObject, type Json, type JsonObject } from '../kernel/json.js';
import { nameUuid } from '../name-uuid.js';
import { parseEvents } from './decode/index.js';

/** A request to Segment's tracking API as events of the v0 protocol. */
interface SegmentRequest {
  /** Well-formed project key. */
  token: string;
  items: JsonObject[];
}

/** Messages decoded between two yields to the event loop. */
const MESSAGES_PER_TURN = 500;
const BASIC = /^basic\s+([A-Za-z0-9+/=]+)$/i;

/**
 * @param type the call in the path; `batch`: each message names its own
 * @param authorization the header: Basic with the project key as user name; without it the key is the member `writeKey`
 * @throws SdkError
 */
export async function readSegmentRequest(
  request: RawRequest,
  type: SegmentType | 'batch',
  authorization: string | undefined,
  decoding: Decoding,
): Promise<SegmentRequest> {
  const fromHeader = authorization === undefined ? null : userOf(authorization);
  const body = await parseEvents(await readPayload(request, decoding), decoding);
  if (!isObject(body)) throw new SdkError('wrong_shape', 'The body must be a JSON object.');
  const messages = type === 'batch' ? body.batch : [body];
  if (!Array.isArray(messages)) throw new SdkError('wrong_shape', '"batch" must be a list of messages.');
  const key = fromHeader ?? body.writeKey ?? (isObject(messages[0]) ? messages[0].writeKey : undefined);
  if (typeof key !== 'string') {
    throw new SdkError(
      'no_token',
      'No write key: send the project key as the user name of Basic authorization, or as "writeKey".',
    );
  }
  const token = checkToken(key);
  if (messages.length === 0) throw new SdkError('empty_batch');
  const items: JsonObject[] = [];
  for (const [i, message] of messages.entries()) {
    const where = type === 'batch' ? `batch[${i}]: ` : '';
    if (!isObject(message)) throw new SdkError('invalid_message', `${where}the message is not an object.`);
    items.push(
      type === 'batch'
        ? eventOfMessage(withContext(message, body.context), typeOf(message, where), body.sentAt, where)
        : eventOfMessage(message, type, undefined, where),
    );
    if (items.length % MESSAGES_PER_TURN === 0) await decoding.scheduler.yield();
  }
  return { token, items };
}

/** The `context` of the batch is the default of its messages. */
const withContext = (message: JsonObject, common: Json | undefined): JsonObject =>
  isObject(common) ? { ...message, context: { ...common, ...(isObject(message.context) ? message.context : {}) } } : message;

function typeOf({ type }: JsonObject, where: string): SegmentType {
  const known = SEGMENT_TYPES.find((one) => one === type);
  if (!known) throw new SdkError('invalid_message', `${where}"type" must be one of ${SEGMENT_TYPES.join(', ')}.`);
  return known;
}

/** The user name of Basic authorization; the password is ignored. */
function userOf(authorization: string): string {
  const [, credentials = ''] = BASIC.exec(authorization.trim()) ?? [];
  const [user = ''] = Buffer.from(credentials, 'base64').toString().split(':');
  if (user === '')
    throw new SdkError('malformed_token', 'The Authorization header must be Basic, with the project key as user name.');
  return user;
}

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
function eventOfMessage(message: JsonObject, type: SegmentType, batchSentAt: Json | undefined, where: string): JsonObject {
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

/** Mapping from Segment's `context` to the properties that PostHog's SDKs send for the same. */
const PROPERTIES: readonly (readonly [path: string, property: string])[] = [
  ['ip', '$ip'],
  ['userAgent', '$raw_user_agent'],
  ['locale', '$locale'],
  ['timezone', '$timezone'],
  ['page.url', '$current_url'],
  ['page.path', '$pathname'],
  ['page.search', '$search'],
  ['page.referrer', '$referrer'],
  ['page.title', 'title'],
  ['campaign.name', 'utm_campaign'],
  ['campaign.source', 'utm_source'],
  ['campaign.medium', 'utm_medium'],
  ['campaign.term', 'utm_term'],
  ['campaign.content', 'utm_content'],
  ['app.name', '$app_name'],
  ['app.version', '$app_version'],
  ['app.build', '$app_build'],
  ['app.namespace', '$app_namespace'],
  ['device.id', '$device_id'],
  ['device.manufacturer', '$device_manufacturer'],
  ['device.model', '$device_model'],
  ['device.name', '$device_name'],
  ['device.type', '$device_type'],
  ['os.name', '$os'],
  ['os.version', '$os_version'],
  ['screen.width', '$screen_width'],
  ['screen.height', '$screen_height'],
  ['screen.density', '$screen_density'],
  ['network.carrier', '$network_carrier'],
  ['network.cellular', '$network_cellular'],
  ['network.wifi', '$network_wifi'],
  ['network.bluetooth', '$network_bluetooth'],
  ['library.name', '$lib'],
  ['library.version', '$lib_version'],
];
const PATHS = PROPERTIES.map(([path, property]) => ({ names: path.split('.'), property }));

/** Libraries of servers: the address of their requests is not the user's. */
const OF_SERVERS = /^(?:@segment\/)?analytics-(?:node|python|ruby|go|java|php|rust|elixir)$|^analytics\.net$/i;

/** The properties of an event from Segment's `context`. */
function contextProperties(context: JsonObject): JsonObject {
  const properties: JsonObject = {};
  for (const { names, property } of PATHS) {
    const value = valueAt(context, names);
    if (value !== undefined && value !== null && value !== '' && !isObject(value)) properties[property] = value;
  }
  if (properties.$ip === undefined && typeof properties.$lib === 'string' && OF_SERVERS.test(properties.$lib)) {
    properties.$geoip_disable = true;
  }
  return properties;
}

function valueAt(from: JsonObject, names: readonly string[]): Json | undefined {
  let value: Json | undefined = from;
  for (const name of names) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}
