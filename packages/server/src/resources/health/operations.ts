import { z } from 'zod';
import type { Operation } from '../../http/openapi/index.js';

const store = z.object({
  ok: z.boolean().describe('Whether it answers.'),
  version: z.string().nullable().describe('Version of the server; null while it does not answer.'),
});

const health = z.object({
  status: z.enum(['ok', 'unavailable']).describe('Whether both stores answer.'),
  version: z.string().describe('Version of the service.'),
  stores: z
    .object({ postgres: store.describe('The store of the metadata.'), events: store.describe('The store of the events.') })
    .describe('What each store says.'),
  ingest: z
    .object({
      lag_seconds: z.number().describe('How long the oldest waiting request has waited.'),
      waiting_events: z.int().describe('Events that wait for the stores.'),
    })
    .describe('How far ingestion is behind.'),
});

const preflight = z.object({
  version: z.string().describe('Version of the service.'),
  db: z.boolean().describe('Whether the store of the metadata answers.'),
  clickhouse: z.boolean().describe('Whether the store of the events answers.'),
  initiated: z.boolean().nullable().describe('Whether a first account exists; null: not known now.'),
  cloud: z.boolean().describe('False: you run it yourself.'),
  can_create_org: z.boolean().describe('Whether somebody without an invite may sign up.'),
});

const get = (url: string, summary: string, answers: Operation['answers']): Operation => ({
  method: 'GET',
  urls: [url],
  access: null,
  summary,
  answers,
  refusals: [],
});

const words = (description: string) => ({ description, schema: z.string(), mediaType: 'text/plain' });

/** What the API's description says of the routes of this room. */
export const operations: Operation[] = [
  get('/_health', 'Say how the service is', {
    200: { description: 'All is well', schema: health },
    503: { description: 'A store is away', schema: health },
  }),
  get('/_ready', 'Say whether the service can serve', { 200: words('It can'), 503: words('A store is away') }),
  get('/_preflight', 'Say whether there is a first account', {
    200: { description: 'The state of the service', schema: preflight },
  }),
  get('/metrics', 'Retrieve the metrics, for Prometheus', { 200: words('Metrics in the Prometheus text format') }),
];
