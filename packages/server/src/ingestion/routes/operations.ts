import { z } from 'zod';
import type { Operation } from '../../http/openapi/index.js';
import { errorResponses } from '../../http/sdk/index.js';

const properties = z.record(z.string(), z.unknown());

const event = z
  .object({
    api_key: z.string().optional().describe('Project API key; also as `token`, or as `token` in `properties`.'),
    event: z.string().describe('Name of the event.'),
    distinct_id: z.string().describe('Who did it; also as `distinct_id` in `properties`.'),
    uuid: z.uuid().optional().describe('The same on every retry, so that the event is stored once.'),
    timestamp: z.iso.datetime().optional().describe('When it happened; now if left out.'),
    properties: properties.optional().describe('What else is known about the event.'),
    $set: properties.optional().describe('Properties that the person gets.'),
    $set_once: properties.optional().describe('Properties that the person gets unless it has them.'),
  })
  .meta({
    id: 'CaptureEvent',
    description: 'One event.',
    example: {
      api_key: '<PROJECT_API_KEY>',
      event: 'signed_up',
      distinct_id: 'user-1',
      properties: { plan: 'free' },
      $set: { email: 'ada@example.com' },
    },
  });

const batch = z
  .object({
    api_key: z.string().describe('Project API key of all events.'),
    batch: z.array(event).describe('The events.'),
    historical_migration: z
      .boolean()
      .optional()
      .describe('Whether the events are from another system’s past: they get no `$ip` and no location of the sender.'),
    sent_at: z.iso.datetime().optional().describe('The client’s clock when it sent them; corrects the times of the events.'),
  })
  .meta({ id: 'CaptureBatch', description: 'Several events of one project.' });

const stored = z.object({
  status: z.literal('Ok').describe('The events are stored, all of them.'),
  quota_limited: z.array(z.string()).optional().describe('Kinds of data that the client must not send for a while.'),
});

const eventV1 = z.object({
  event: z.string().describe('Name of the event.'),
  uuid: z.uuid().describe('The same on every retry.'),
  distinct_id: z.string().describe('Who did it.'),
  timestamp: z.iso.datetime().describe('When it happened.'),
  session_id: z.string().optional().describe('Session of the browser.'),
  window_id: z.string().optional().describe('Window of the browser.'),
  options: z.looseObject({}).describe('How the event is to be taken, such as `process_person_profile`.'),
  properties: properties.optional().describe('What else is known about the event.'),
});

const requestV1 = z
  .object({
    created_at: z.iso.datetime().describe('When the request was made.'),
    historical_migration: z.boolean().optional().describe('Whether the events are from another system’s past.'),
    batch: z.array(eventV1).describe('The events.'),
  })
  .meta({ id: 'CaptureV1Request', description: 'Several events, each of which gets an answer of its own.' });

const resultsV1 = z.object({
  results: z
    .record(
      z.string(),
      z.object({
        result: z
          .enum(['ok', 'warning', 'drop', 'limited', 'retry'])
          .describe('`retry`: send it again. `drop`: it cannot be stored.'),
        details: z.string().optional().describe('Why.'),
      }),
    )
    .describe('By the UUIDs of the events, as sent.'),
});

const refusalV1 = z
  .object({
    error: z.string().describe('What is wrong, for programs.'),
    error_description: z.string().describe('What is wrong, for people.'),
    error_uri: z.string().describe('What the status means.').meta({ format: 'uri' }),
  })
  .meta({ id: 'CaptureV1Error', description: 'Why a request was refused.' });

const UNAVAILABLE = 'The stores are away or full; with `Retry-After`';
const errors = errorResponses(UNAVAILABLE);

const common = { method: 'POST', access: null, errorStatuses: [] };

/** OpenAPI operations of the capture routes that programs call without an SDK. */
export const operations: Operation[] = [
  {
    ...common,
    urls: ['/i/v0/e/', '/capture/', '/e/', '/track/', '/engage/'],
    summary: 'Capture an event',
    description:
      'Answers when the event is stored. Bodies may be compressed: `Content-Encoding` gzip, deflate, br or zstd. A list of events and a batch are taken, too, and one event on each line as `application/x-ndjson`.',
    body: event,
    responses: {
      200: { description: 'Stored', schema: stored },
      204: { description: 'Stored, with `?beacon=1`', schema: null },
      ...errors,
    },
  },
  {
    ...common,
    urls: ['/batch/'],
    summary: 'Capture several events',
    description: 'Answers when all of them are stored.',
    body: batch,
    responses: {
      200: { description: 'Stored', schema: stored },
      204: { description: 'Stored, with `?beacon=1`', schema: null },
      ...errors,
    },
  },
  {
    ...common,
    urls: ['/i/v1/analytics/events', '/i/v1/general/events'],
    summary: 'Capture several events, each with an answer of its own',
    description:
      'Needs the headers `Authorization: Bearer <PROJECT_API_KEY>`, `PostHog-Sdk-Info`, `PostHog-Attempt`, `PostHog-Request-Id` and `PostHog-Request-Timestamp`.',
    body: requestV1,
    responses: {
      200: { description: 'What became of each event', schema: resultsV1 },
      ...errorResponses(UNAVAILABLE, {
        schema: refusalV1,
        mediaType: 'application/json',
        own: { 415: 'The body is not JSON, or is encoded in an unknown way' },
      }),
    },
  },
];
