import { checkToken, type Decoding, type RawRequest, readPayload, SdkError } from '../../http/sdk/index.js';
import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import { parseEvents } from '../decode/index.js';
import { eventOfMessage, SEGMENT_TYPES, type SegmentType } from './message.js';

/** A request to Segment's tracking API as events of the v0 protocol. */
export interface SegmentRequest {
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
