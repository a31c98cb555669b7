import { type FastifyInstance, fastify, type InjectOptions, type LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createScheduler, systemIds } from '../adapters/system/index.js';
import { registerMetadata } from '../app.js';
import { type Config, loadConfig } from '../config.js';
import type { Deps } from '../deps.js';
import { installRestApi } from '../http/rest-api.js';
import { ensureInitAccount } from '../resources/accounts/index.js';
import { registerDefinitions } from '../resources/taxonomy/index.js';
import { withServices } from '../services.js';
import { checkAnswers } from './check-answers.js';
import { testDatabase } from './database.js';
import { noBlobs, noFolder } from './no-blobs.js';
import { noEvents } from './no-events.js';

export const PASSWORD = 'a long and strong passphrase 42';

/** A person or program that calls the API with a key, a cookie or nothing. */
export type Caller = { key?: string; cookie?: string };

export interface AccountsApp {
  app: FastifyInstance;
  deps: Deps;
  /** Address of its database, with the password. */
  databaseUrl: string;
  advance(ms: number): void;
  call(
    caller: Caller,
    method: NonNullable<InjectOptions['method']>,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
  /** The owner of the account made at the start, by key (`*`) and by log-in. */
  owner: { key: string; cookie: string };
  /** Logs in; the caller has the cookie. */
  logIn(email: string): Promise<{ cookie: string }>;
  /** Makes a member of the owner's organization. */
  invite(email: string, level?: number, extra?: object): Promise<{ cookie: string; uuid: string }>;
  /** Makes a personal key. */
  makeKey(cookie: string, fields: object): Promise<{ id: string; key: string }>;
  close(): Promise<void>;
}

/** The rooms about accounts alone, on a fresh database with the owner `owner@example.com`. */
export async function startAccountsApp(overrides: Partial<Config> = {}): Promise<AccountsApp> {
  const key = `tms_${systemIds.token(32)}`;
  const init = {
    email: 'owner@example.com',
    password: PASSWORD,
    organization: 'First',
    project: 'Main',
    projectKey: null,
    personalKey: key,
  };
  const config: Config = { ...loadConfig({}), init, ...overrides };
  const database = await testDatabase();
  let offset = 0;
  const deps = withServices({
    config,
    clock: { now: () => Date.now() + offset },
    scheduler: createScheduler(),
    ids: systemIds,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    db: database.db,
    changes: await database.listenToChanges(),
    events: noEvents,
    blobs: noBlobs,
    openFolder: noFolder,
  });
  await ensureInitAccount(deps);
  const { trustedProxies } = config;
  const trustProxy = trustedProxies.length > 0 ? trustedProxies : false;
  const app = fastify({ trustProxy, routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 } });
  installRestApi(app, deps.scheduler);
  registerMetadata(app, deps);
  registerDefinitions(app, deps);
  const answers = checkAnswers(app);
  await app.ready();

  const call: AccountsApp['call'] = (caller, method, url, body, headers = {}) =>
    app
      .inject({
        method,
        url,
        headers: {
          ...(caller.key ? { authorization: `Bearer ${caller.key}` } : {}),
          ...(caller.cookie ? { cookie: caller.cookie } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      // starts at once: awaited first, it would start outside of the caller's asynchronous context
      .then((answer) => answer);
  const logIn = async (email: string) => ({
    cookie: cookieOf(await call({}, 'POST', '/api/login/', { email, password: PASSWORD })),
  });
  const owner = config.init ? { key, ...(await logIn(init.email)) } : { key, cookie: '' };
  return {
    app,
    deps,
    databaseUrl: database.url,
    advance: (ms) => {
      offset += ms;
    },
    call,
    owner,
    logIn,
    invite: async (email, level = 1, extra = {}) => {
      const invite = await call(owner, 'POST', '/api/organizations/@current/invites/', { target_email: email, level, ...extra });
      const joined = await call({}, 'POST', `/api/signup/${invite.json().id}/`, { first_name: 'New', password: PASSWORD });
      return { cookie: cookieOf(joined), uuid: joined.json().uuid };
    },
    makeKey: async (cookie, fields) => {
      const made = await call({ cookie }, 'POST', '/api/personal_api_keys/', { label: 'key', scopes: ['*'], ...fields });
      if (made.statusCode !== 201) throw new Error(`no key made: ${made.statusCode} ${made.body}`);
      return { id: made.json().id, key: made.json().value };
    },
    close: async () => {
      await app.close();
      await database.close();
      answers.finish();
    },
  };
}

/** The session cookie that an answer gave, as a browser would send it back. */
export function cookieOf(response: LightMyRequestResponse): string {
  const cookie = response.cookies.find(({ name }) => name === 'tidemark_session');
  if (!cookie) throw new Error(`no session cookie in ${response.statusCode} ${response.body}`);
  return `${cookie.name}=${cookie.value}`;
}
