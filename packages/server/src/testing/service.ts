import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openBlobs, openFolder } from '../adapters/blobs/index.js';
import { openEvents } from '../adapters/clickhouse/index.js';
import { createScheduler, systemIds } from '../adapters/system/index.js';
import { buildApp } from '../app.js';
import { type Config, loadConfig } from '../config.js';
import type { Deps } from '../deps.js';
import type { Clock } from '../ports/system.js';
import { ensureInitAccount } from '../resources/accounts/index.js';
import { withServices } from '../services.js';
import { checkAnswers } from './check-answers.js';
import { clusterDatabases } from './cluster-databases.js';
import { type TestDatabase, testDatabase } from './database.js';
import { makeEventTables } from './event-tables.js';

/** A clock that runs with real time until it is moved. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export interface TestService {
  app: FastifyInstance;
  deps: Deps;
  database: TestDatabase;
  clock: TestClock;
  /** Of the account made at start: owner of the organization, and its first project. */
  projectId: number;
  projectKey: string;
  /** A personal key with scope `*`. */
  personalKey: string;
  /** Calls the API with the personal key (or `key`; null: no credentials). */
  call(
    method: NonNullable<InjectOptions['method']>,
    url: string,
    options?: { key?: string | null; body?: unknown; headers?: Record<string, string> },
  ): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export const OWNER_EMAIL = 'owner@example.com';
export const OWNER_PASSWORD = 'a long and strong passphrase 42';

/**
 * The whole service on a fresh PostgreSQL database and an embedded event engine of its own.
 * @param beside one that is there: this is one more server on its database, at the time of its clock, and its event store is to be the same server
 * @param options.checksAnswers whether answers are compared with the description of the API; default true. A test that measures the time of
 *   the event loop does without: to read an answer of megabytes takes longer than anything that the service does in one turn
 */
export async function startTestService(
  overrides: Partial<Config> = {},
  beside?: TestService,
  { checksAnswers = true }: { checksAnswers?: boolean } = {},
): Promise<TestService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-test-'));
  const projectKey = beside?.projectKey ?? `tmk_${systemIds.token(32)}`;
  const personalKey = beside?.personalKey ?? `tms_${systemIds.token(32)}`;
  const init = {
    email: OWNER_EMAIL,
    password: OWNER_PASSWORD,
    organization: 'Test organization',
    project: 'Test project',
    projectKey,
    personalKey,
  };
  const databases = clusterDatabases();
  const config: Config = {
    ...loadConfig(databases?.env ?? {}),
    dataDir,
    fsync: false,
    logLevel: 'silent',
    stalenessSeconds: 0,
    init,
    ...overrides,
  };
  const log = pino({ level: config.logLevel });
  const scheduler = createScheduler();
  if (!config.clickhouseUrl) await makeEventTables(dataDir);
  const [database, events, blobs] = await Promise.all([
    beside?.database ?? testDatabase(),
    openEvents(config, { log, scheduler }),
    openBlobs(config, log),
  ]);
  // a server whose clock is years behind finds the alerts of the other far ahead, and checks them at once
  let offset = beside ? beside.clock.now() - Date.now() : 0;
  const clock: TestClock = {
    now: () => Date.now() + offset,
    advance: (ms) => {
      offset += ms;
    },
  };
  const deps = withServices({
    config,
    clock,
    scheduler,
    ids: systemIds,
    log,
    metrics: new Registry(),
    db: beside ? database.asOtherServer() : database.db,
    changes: await database.listenToChanges(),
    events,
    blobs,
    openFolder: (place, options) => openFolder(place, { ...options, log }),
  });
  await ensureInitAccount(deps);
  const app = await buildApp(deps);
  const answers = checksAnswers ? checkAnswers(app) : null;
  await app.ready();
  const project = await deps.db.selectFrom('projects').select('id').where('api_token', '=', projectKey).executeTakeFirstOrThrow();
  return {
    app,
    deps,
    database,
    clock,
    projectId: project.id,
    projectKey,
    personalKey,
    call: (method, url, { key = personalKey, body, headers = {} } = {}) =>
      app.inject({
        method,
        url,
        headers: {
          ...(key ? { authorization: `Bearer ${key}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      }),
    close: async () => {
      await app.close();
      await events.close();
      await databases?.drop();
      await blobs.close();
      if (!beside) await database.close();
      await rm(dataDir, { recursive: true, force: true });
      answers?.finish();
    },
  };
}
