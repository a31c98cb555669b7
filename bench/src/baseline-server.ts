// The service's capture routes with an intake that acknowledges at once: the upper bound that HTTP alone allows.
import { type FastifyBaseLogger, fastify, LogController } from 'fastify';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createPropertiesCodec } from '../../packages/server/dist/adapters/clickhouse/row-binary/index.js';
import { createScheduler, systemClock, systemIds } from '../../packages/server/dist/adapters/system/index.js';
import { loadConfig } from '../../packages/server/dist/config.js';
import { installRestApi, observeRequests } from '../../packages/server/dist/http/rest-api.js';
import { registerCapture } from '../../packages/server/dist/ingestion/index.js';
import type { Blobs } from '../../packages/server/dist/ports/blobs.js';
import { type EventsStore, EventsUnavailable } from '../../packages/server/dist/ports/events.js';
import { type Services, withServices } from '../../packages/server/dist/services.js';

const noEvents = async (): Promise<never> => {
  throw new EventsUnavailable('The baseline stores nothing.');
};
const events: EventsStore = {
  rowFilterTables: [],
  replicas: null,
  codec: createPropertiesCodec(),
  query: noEvents,
  insert: noEvents,
  deleteProject: noEvents,
  deleteEvents: noEvents,
  deleteProfiles: noEvents,
  deleteEventsBefore: noEvents,
  dataVersion: noEvents,
  copies: {
    units: noEvents,
    measure: noEvents,
    columns: () => [],
    read: noEvents,
    snapshot: noEvents,
    settled: noEvents,
    load: noEvents,
    clear: noEvents,
    schema: noEvents,
  },
  space: noEvents,
  acceptsInserts: () => true,
  ping: noEvents,
  close: async () => {},
};
const noBlob = async (): Promise<never> => {
  throw new Error('The baseline stores nothing.');
};
const blobs: Blobs = {
  put: noBlob,
  get: noBlob,
  size: noBlob,
  delete: noBlob,
  deleteAll: noBlob,
  list: () => {
    throw new Error('The baseline stores nothing.');
  },
  close: async () => {},
};
const deps = withServices({
  config: loadConfig(process.env),
  clock: systemClock,
  scheduler: createScheduler(),
  ids: systemIds,
  log: pino({ level: 'warn' }),
  metrics: new Registry(),
  db: new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
  changes: { onChange: () => {}, isListening: () => false },
  events,
  blobs,
  openFolder: async () => blobs,
});
const project = { id: 1, organizationId: '', apiToken: '', timezone: 'UTC', anonymizeIps: false };

const loggerInstance: FastifyBaseLogger = deps.log;
const app = fastify({
  loggerInstance,
  logController: new LogController({ disableRequestLogging: true }),
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
  genReqId: () => deps.ids.uuid(),
});
installRestApi(app, deps.scheduler);
observeRequests(app, deps);
const services = {
  ...deps.services,
  intake: {
    capture: async (capture) => capture.events.map(({ uuid }) => ({ uuid, result: 'ok' })),
    define: () => {},
    background: deps.scheduler,
    state: () => ({ lagMs: 0, waitingEvents: 0, liveEvents: 0, refusing: null }),
    close: async () => {},
  },
  projectKeys: { ...deps.services.projectKeys, find: async (key: string) => ({ ...project, apiToken: key }) },
} satisfies Services;
registerCapture(app, { ...deps, services });
await app.listen({ port: deps.config.port, host: deps.config.host });
process.on('SIGTERM', () => process.exit(0));
