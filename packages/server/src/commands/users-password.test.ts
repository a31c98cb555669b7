import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../adapters/postgres/index.js';
import { createScheduler, lockDataDirectory, systemIds } from '../adapters/system/index.js';
import { loadConfig } from '../config.js';
import { openMetadata } from '../open-metadata.js';
import { PASSWORD } from '../testing/accounts-app.js';
import { useAccounts } from '../testing/command-services.js';
import { runCommand } from '../testing/run-command.js';

const NEW_PASSWORD = 'a rather new passphrase 91';

const run = (args: string[], ...rest: Parameters<typeof runCommand> extends [unknown, ...infer R] ? R : never) =>
  runCommand(['users:password', ...args], ...rest);

describe('on the PostgreSQL of DATABASE_URL', () => {
  const target = useAccounts();
  const logIn = async (password: string, email = 'owner@example.com') =>
    (await target.it.call({}, 'POST', '/api/login/', { email, password })).statusCode;

  test('a running service accepts only the new password, and the sessions of the account have ended', async () => {
    const colleague = await target.it.invite('colleague@example.com');
    // so many wrong guesses that the account is locked
    for (let n = 0; n < 31; n++) await logIn('wrong');
    expect(await logIn(PASSWORD)).toBe(403);
    const result = await run(['Owner@Example.com'], target.env, { piped: `${NEW_PASSWORD}\n` });
    expect(result).toEqual({
      output: 'owner@example.com has a new password; its sessions have ended, its personal API keys have not.\n',
      code: 0,
      errors: '',
    });
    expect((await target.it.call({ cookie: target.it.owner.cookie }, 'GET', '/api/users/@me/')).statusCode).toBe(401);
    expect((await target.it.call({ key: target.it.owner.key }, 'GET', '/api/users/@me/')).statusCode).toBe(200);
    expect((await target.it.call(colleague, 'GET', '/api/users/@me/')).statusCode).toBe(200);
    expect([await logIn(NEW_PASSWORD), await logIn(PASSWORD)]).toEqual([200, 400]);
    expect(await logIn(PASSWORD, 'colleague@example.com')).toBe(200);
  });

  test('a terminal is prompted twice without echo', async () => {
    const typed = await run(['owner@example.com'], target.env, {
      typed: ['another new passphrase 17', 'another new passphrase 17'],
    });
    expect(typed).toMatchObject({ code: 0, errors: 'New password of owner@example.com: \nAgain: \n' });
    expect(await logIn('another new passphrase 17')).toBe(200);
    const differing = await run(['owner@example.com'], target.env, { typed: ['some passphrase 18', 'another passphrase 18'] });
    expect(differing).toMatchObject({ code: 1, errors: expect.stringMatching(/The two passwords differ\.\n$/) });
  });

  test.each([
    [['nobody@example.com'], NEW_PASSWORD, 'There is no account with the e-mail address nobody@example.com.'],
    [['owner@example.com'], 'short', 'This password is too short. It must contain at least 8 characters.'],
    [['owner@example.com'], 'owner@example.com', 'This password is too weak.'],
    [['owner@example.com'], '<a long password>', 'This is the placeholder of an example. Choose a password of your own.'],
    [['owner@example.com'], '', 'No password was given.'],
  ])('%j with "%s": %s', async (args, password, text) => {
    const before = await target.it.deps.db.selectFrom('users').select(['id', 'password_hash']).execute();
    expect(await run(args, target.env, { piped: password })).toEqual({ code: 1, output: '', errors: `${text}\n` });
    expect(await target.it.deps.db.selectFrom('users').select(['id', 'password_hash']).execute()).toEqual(before);
  });

  test('a server that does not run is reported in one sentence', { timeout: 60_000 }, async () => {
    const away = await run(['a@example.com'], { DATABASE_URL: 'postgres://u:p@no-such-host.invalid/x' }, { piped: NEW_PASSWORD });
    expect(away).toMatchObject({ code: 1, errors: expect.stringContaining('The PostgreSQL of DATABASE_URL cannot be used') });
  });
});

describe('on the embedded PostgreSQL', { timeout: 120_000 }, () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tidemark-password-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test('the password changes while the service runs, and while it is stopped', async () => {
    const env = { TIDEMARK_DATA: dataDir, TIDEMARK_FSYNC: 'off' };
    const empty = await run(['ada@example.com'], env, { piped: NEW_PASSWORD });
    expect(empty).toMatchObject({ code: 1, errors: expect.stringContaining(`There is no data of Tidemark in ${dataDir}`) });

    const log = pino({ level: 'silent' });
    const config = loadConfig(env);
    const lock = await lockDataDirectory(dataDir);
    const running = await openPostgres(config, log, createScheduler());
    const ada = { uuid: systemIds.uuid(), distinct_id: 'ada', email: 'ada@example.com', first_name: 'Ada', last_name: '' };
    await running.db
      .insertInto('users')
      .values({ ...ada, password_hash: 'none', date_joined: new Date() })
      .execute();
    const hash = async (db: typeof running.db) =>
      (await db.selectFrom('users').select('password_hash').executeTakeFirstOrThrow()).password_hash;
    const first = await hash(running.db);
    expect(await run(['ada@example.com'], env, { piped: NEW_PASSWORD })).toMatchObject({ code: 0 });
    const second = await hash(running.db);
    expect(second).not.toBe(first);
    await running.close();
    await lock.release();

    expect(await run(['ada@example.com'], env, { piped: `${NEW_PASSWORD} again` })).toMatchObject({ code: 0 });
    // the command has let go of the directory and of PostgreSQL
    const metadata = await openMetadata(config, log);
    expect(await hash(metadata.db)).not.toBe(second);
    await metadata.close();
  });
});
