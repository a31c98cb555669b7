import { type FastifyInstance, fastify } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createScheduler, systemIds } from '../adapters/system/index.js';
import type { ProjectByKey } from '../auth/index.js';
import { loadConfig } from '../config.js';
import type { Deps } from '../deps.js';
import { registerFlags } from '../evaluation/index.js';
import { installRestApi } from '../http/rest-api.js';
import type { Capture, Outcome } from '../ingestion/capture.js';
import { registerCapture } from '../ingestion/routes/index.js';
import { withServices } from '../services.js';
import { testDatabase } from './database.js';
import { noBlobs, noFolder } from './no-blobs.js';
import { noChanges } from './no-changes.js';
import { noEvents } from './no-events.js';

/** The time at which every request arrives: 2026-03-01T12:00:00Z. */
export const NOW = Date.UTC(2026, 2, 1, 12);
export const KEY = `tmk_${'k'.repeat(43)}`;

export interface RecordingCapture {
  app: FastifyInstance;
  deps: Deps;
  project: ProjectByKey;
  /** What reached the intake, in order. */
  captures: Capture[];
  /** What the intake does besides recording: throw, or answer otherwise. */
  intake: { answer: (capture: Capture) => Outcome[] };
  close(): Promise<void>;
}

/** What SDKs call, over an intake that only writes down what it was given. */
export async function startRecordingCapture(): Promise<RecordingCapture> {
  const database = await testDatabase();
  const log = pino({ level: 'silent' });
  const base = withServices({
    config: loadConfig({}),
    clock: { now: () => NOW },
    scheduler: createScheduler(),
    ids: systemIds,
    log,
    metrics: new Registry(),
    db: database.db,
    changes: noChanges,
    events: noEvents,
    blobs: noBlobs,
    openFolder: noFolder,
  });
  const organization = systemIds.uuid();
  const at = new Date(NOW);
  await base.db
    .insertInto('organizations')
    .values({ id: organization, name: 'Test', slug: 'test', created_at: at, updated_at: at })
    .execute();
  const { id } = await base.db
    .insertInto('projects')
    .values({
      uuid: systemIds.uuid(),
      organization_id: organization,
      name: 'Test',
      api_token: KEY,
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const project: ProjectByKey = { id, organizationId: organization, apiToken: KEY, timezone: 'UTC', anonymizeIps: false };

  const captures: Capture[] = [];
  const behaviour = { answer: (capture: Capture): Outcome[] => capture.events.map(({ uuid }) => ({ uuid, result: 'ok' })) };
  const intake = {
    capture: async (capture: Capture) => {
      captures.push(capture);
      return behaviour.answer(capture);
    },
    define: () => {},
    background: createScheduler(),
    state: () => ({ lagMs: 0, waitingEvents: 0, liveEvents: 0, refusing: null }),
    close: async () => {},
  };
  const projectKeys = { ...base.services.projectKeys, find: async (key: string) => (key === KEY ? project : null) };
  const deps = { ...base, services: { ...base.services, intake, projectKeys } };
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 }, genReqId: () => systemIds.uuid() });
  installRestApi(app, deps.scheduler);
  registerCapture(app, deps);
  registerFlags(app, deps);
  await app.ready();
  const close = async () => {
    await app.close();
    await base.services.close();
    await database.close();
  };
  return { app, deps, project, captures, intake: behaviour, close };
}
