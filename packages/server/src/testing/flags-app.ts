import { type FastifyInstance, fastify, type InjectOptions, type LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createScheduler, systemIds } from '../adapters/system/index.js';
import { type Config, loadConfig } from '../config.js';
import type { Deps } from '../deps.js';
import { registerFlags, registerRemotePayload } from '../evaluation/index.js';
import { installRestApi } from '../http/rest-api.js';
import { ensureInitAccount } from '../resources/accounts/index.js';
import { withServices } from '../services.js';
import { type TestDatabase, testDatabase } from './database.js';
import { noBlobs, noFolder } from './no-blobs.js';
import { noEvents } from './no-events.js';

export interface FlagsApp {
  app: FastifyInstance;
  deps: Deps;
  database: TestDatabase;
  projectId: number;
  /** Public key of the project. */
  token: string;
  /** A personal key with scope `*`. */
  personalKey: string;
  advance(ms: number): void;
  post(url: string, body: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export interface FlagsAppOptions {
  /** Makes one more server on the database of another. */
  beside?: FlagsApp;
  /** Address at which it reaches that database. */
  url?: string;
  config?: Partial<Config>;
}

/** What SDKs ask about flags, on a fresh database by default. */
export async function startFlagsApp({ beside, url, config: overrides = {} }: FlagsAppOptions = {}): Promise<FlagsApp> {
  const database = beside?.database ?? (await testDatabase());
  const token = beside?.token ?? `tmk_${systemIds.token(32)}`;
  const personalKey = beside?.personalKey ?? `tms_${systemIds.token(32)}`;
  const init = {
    email: 'owner@example.com',
    password: 'a long and strong passphrase 42',
    organization: 'First',
    project: 'Main',
    projectKey: token,
    personalKey,
  };
  let offset = 0;
  const deps = withServices({
    config: { ...loadConfig({}), init, ...overrides },
    clock: { now: () => Date.now() + offset },
    scheduler: createScheduler(),
    ids: systemIds,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    db: beside ? database.asOtherServer(url) : database.db,
    changes: await database.listenToChanges(url),
    events: noEvents,
    blobs: noBlobs,
    openFolder: noFolder,
  });
  if (!beside) await ensureInitAccount(deps);
  const app = fastify({
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    trustProxy: overrides.trustedProxies ?? false,
  });
  installRestApi(app, deps.scheduler);
  registerFlags(app, deps);
  registerRemotePayload(app, deps);
  await app.ready();
  const { id } = await deps.db.selectFrom('projects').select('id').where('api_token', '=', token).executeTakeFirstOrThrow();
  const call = (options: InjectOptions) => app.inject(options);
  return {
    app,
    deps,
    database,
    projectId: id,
    token,
    personalKey,
    advance: (ms) => {
      offset += ms;
    },
    post: (url, body, headers = {}) =>
      call({
        method: 'POST',
        url,
        headers: { 'content-type': 'text/plain', ...headers },
        payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    get: (url, headers = {}) => call({ method: 'GET', url, headers }),
    close: async () => {
      await app.close();
      await deps.services.close();
      if (!beside) await database.close();
    },
  };
}

/** A flag as tests make it; on for everybody by default. */
export interface FlagFields {
  key: string;
  filters?: unknown;
  active?: boolean;
  deleted?: boolean;
  ensure_experience_continuity?: boolean;
  bucketing_identifier?: 'distinct_id' | 'device_id';
  evaluation_runtime?: 'all' | 'client' | 'server';
  evaluation_contexts?: string[];
  is_remote_configuration?: boolean;
  has_encrypted_payloads?: boolean;
}

/** Makes a flag; answers its id. */
export async function makeFlag({ deps, projectId }: Pick<FlagsApp, 'deps' | 'projectId'>, fields: FlagFields): Promise<number> {
  const { filters = { groups: [{ properties: [], rollout_percentage: 100 }] }, ...rest } = fields;
  const at = new Date(deps.clock.now());
  const { id } = await deps.db
    .insertInto('feature_flags')
    .values({ project_id: projectId, created_at: at, updated_at: at, filters: JSON.stringify(filters), ...rest })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Makes a person with these distinct ids; answers their id. */
export async function makePerson(
  { deps: { db, clock, ids }, projectId }: Pick<FlagsApp, 'deps' | 'projectId'>,
  distinctIds: readonly string[],
  properties: object = {},
): Promise<number> {
  const at = new Date(clock.now());
  const { id } = await db
    .insertInto('persons')
    .values({ project_id: projectId, uuid: ids.uuid(), properties: JSON.stringify(properties), created_at: at, updated_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const distinctId of distinctIds) {
    await db
      .insertInto('person_distinct_ids')
      .values({ project_id: projectId, distinct_id: distinctId, person_id: id, created_at: at })
      .execute();
  }
  return id;
}

/** Makes a group type and a group of it. */
export async function makeGroup(
  { deps: { db, clock }, projectId }: Pick<FlagsApp, 'deps' | 'projectId'>,
  [index, type, key]: [index: number, type: string, key: string],
  properties: object = {},
): Promise<void> {
  const created_at = new Date(clock.now());
  await db
    .insertInto('group_types')
    .values({ project_id: projectId, group_type_index: index, group_type: type, created_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .insertInto('groups')
    .values({
      project_id: projectId,
      group_type_index: index,
      group_key: key,
      group_properties: JSON.stringify(properties),
      created_at,
      updated_at: created_at,
    })
    .execute();
}
