import { z } from 'zod';
import type { Operation } from '../../http/openapi/index.js';
import { ROLES } from '../../kernel/roles.js';
import { spaceSchema } from './space/index.js';

const store = z.object({
  ok: z.boolean().describe('Whether it answers.'),
  version: z.string().nullable().describe('Version of the server; null while it does not answer.'),
  schema: z.string().nullable().describe('Name of the newest migration of its tables; null while it does not answer.'),
});

const health = z.object({
  status: z
    .enum(['ok', 'full', 'unavailable'])
    .describe('`ok`: all is well; `full`: a disk is full; `unavailable`: a store does not answer or accept events.'),
  version: z.string().describe('Version of the service.'),
  roles: z.array(z.enum(ROLES)).describe('What this server does (`TIDEMARK_ROLES`).'),
  stores: z
    .object({ postgres: store.describe('The store of the metadata.'), events: store.describe('The store of the events.') })
    .describe('What each store says.'),
  disk: z
    .object({
      ok: z.boolean().describe('Whether at least 32 MiB are free.'),
      free_bytes: z
        .int()
        .nullable()
        .describe(
          'Free bytes on the disk of the data directory, the smallest if it spans several; null: the directory stores no data.',
        ),
    })
    .describe('Free disk space of the data directory.'),
  ingest: z
    .object({
      lag_seconds: z.number().describe('How long the oldest waiting request has waited.'),
      waiting_events: z.int().describe('Events that wait for the stores.'),
      refusing: z
        .enum(['full', 'unavailable'])
        .nullable()
        .describe('Why captures are refused, if they were in the last minute and none was stored since.'),
    })
    .describe('How far ingestion is behind.'),
  reads: z
    .object({
      interactive: z.int().describe('Those that somebody at a screen waits for. They go first.'),
      export: z.int().describe('Those of exports.'),
      background: z.int().describe('Those that renew results before they are too old.'),
    })
    .describe('Reads of the event store that run or wait, by who waits for them.'),
  backup: z
    .object({
      ok: z.boolean().describe('Whether the newest backup that ended did not fail.'),
      last_done_at: z.iso.datetime().nullable().describe('When the newest whole backup began; null: there is none.'),
      last_failed_at: z.iso.datetime().nullable().describe('When the newest backup failed; null: it did not.'),
    })
    .nullable()
    .describe('The backups of `TIDEMARK_BACKUP`; null: there are none. A failed one does not change `status`.'),
  space: spaceSchema
    .nullable()
    .optional()
    .describe('What takes space, and when disks are full; for users only. Null: not measured yet.'),
});

const preflight = z.object({
  version: z.string().describe('Version of the service.'),
  db: z.boolean().describe('Whether the store of the metadata answers.'),
  clickhouse: z.boolean().describe('Whether the store of the events answers.'),
  initiated: z.boolean().nullable().describe('Whether a first account exists; null: not known now.'),
  cloud: z.boolean().describe('False: you run it yourself.'),
  can_create_org: z.boolean().describe('Whether somebody without an invite may sign up.'),
});

const get = (url: string, summary: string, answers: Operation['responses']): Operation => ({
  method: 'GET',
  urls: [url],
  access: null,
  summary,
  responses: answers,
  errorStatuses: [],
});

const words = (description: string) => ({ description, schema: z.string(), mediaType: 'text/plain' });

/** OpenAPI operations of the health routes. */
export const operations: Operation[] = [
  get('/_health', 'Say how the service is', {
    200: { description: 'All is well', schema: health },
    503: { description: 'A store is away, or a disk is full', schema: health },
  }),
  get('/_ready', 'Say whether the service can serve', {
    200: words('It can'),
    503: words('A store is away, or the service is stopping'),
  }),
  get('/_preflight', 'Say whether there is a first account', {
    200: { description: 'The state of the service', schema: preflight },
  }),
  get('/metrics', 'Retrieve the metrics, for Prometheus', { 200: words('Metrics in the Prometheus text format') }),
];
