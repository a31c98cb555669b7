import { z } from 'zod';
import type { Operation } from '../../http/openapi/index.js';
import { SEGMENT_TYPES } from '../segment.js';

const record = z.record(z.string(), z.unknown());
const id = z.union([z.string(), z.number()]);

const message = z
  .object({
    userId: id.optional().describe('Who did it; this or `anonymousId` is required.'),
    anonymousId: id.optional().describe('Who did it, before they are known.'),
    event: z.string().optional().describe('Name of the event; required by `track`.'),
    name: z.string().optional().describe('Name of the page or screen.'),
    category: z.string().optional().describe('Category of the page or screen.'),
    properties: record.optional().describe('What else is known about the event.'),
    traits: record.optional().describe('Properties of the person (`identify`) or of the group (`group`).'),
    groupId: id.optional().describe('Key of the group; required by `group`.'),
    previousId: id.optional().describe('The id that becomes one person with `userId`; required by `alias`.'),
    context: record.optional().describe('Where it happened: `ip`, `userAgent`, `page`, `campaign`, `app`, `device`, `os`, …'),
    messageId: z.string().optional().describe('The same on every retry, so that the event is stored once.'),
    timestamp: z.iso.datetime().optional().describe('When it happened, by the clock of the client; now if left out.'),
    sentAt: z.iso.datetime().optional().describe('When it was sent, by the same clock; corrects `timestamp`.'),
    writeKey: z.string().optional().describe('Project API key, where it is not the user name of Basic authorization.'),
  })
  .meta({
    id: 'SegmentMessage',
    description: 'One call of Segment’s tracking API.',
    example: { userId: 'user-1', event: 'Item Bought', properties: { price: 5 } },
  });

const batch = z
  .object({
    batch: z.array(message.extend({ type: z.enum(SEGMENT_TYPES).describe('Which call it is.') })).describe('The calls.'),
    context: record.optional().describe('What is the same for all calls; that of a call counts before it.'),
    sentAt: z.iso.datetime().optional().describe('When the batch was sent, by the clock of the client.'),
    writeKey: z.string().optional().describe('Project API key, where it is not the user name of Basic authorization.'),
  })
  .meta({ id: 'SegmentBatch', description: 'Several calls of Segment’s tracking API, of one project.' });

const failure = z
  .object({
    success: z.literal(false).describe('Nothing of the request is stored.'),
    message: z.string().describe('What is wrong.'),
  })
  .meta({ id: 'SegmentError', description: 'Why a request was refused; nothing of it is stored.' });

const responses: Operation['responses'] = {
  200: { description: 'Stored', schema: z.object({ success: z.literal(true).describe('The events are stored, all of them.') }) },
  400: { description: 'The request cannot be read, is too large, or a call lacks something', schema: failure },
  401: { description: 'The project API key is missing or unknown, or it is a secret key', schema: failure },
  503: { description: 'The stores are away or full; with `Retry-After`', schema: failure },
};

const common = { method: 'POST', access: null, errorStatuses: [], responses };

/** OpenAPI operations of Segment's tracking API. */
export const segmentOperations: Operation[] = [
  {
    ...common,
    urls: SEGMENT_TYPES.map((type) => `/v1/${type}`),
    summary: 'Capture a call of Segment’s tracking API',
    description: 'The project API key is the user name of Basic authorization, or `writeKey`.',
    body: message,
  },
  { ...common, urls: ['/v1/batch'], summary: 'Capture several calls of Segment’s tracking API', body: batch },
];
