import fc from 'fast-check';
import { type FastifyBaseLogger, fastify } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { installRestApi, observeRequests } from '../../http/rest-api.js';
import type { AccountsApp } from '../../testing/accounts-app.js';
import { type SharingApp, startSharingApp } from '../../testing/sharing-app.js';
import { registerSharing } from './index.js';

let it: AccountsApp;
let maker: SharingApp['maker'];
let projectId: number;
let make: SharingApp['make'];
beforeAll(async () => {
  ({ it, maker, projectId, make } = await startSharingApp());
});
afterAll(() => it.close());

describe.each(['dashboard', 'insight'] as const)('passwords of one shared %s', (kind) => {
  let url: string;
  beforeEach(async () => {
    url = `/api/environments/${projectId}/${kind}s/${await make[kind]()}/sharing/`;
  });

  const get = async () => (await it.call(maker, 'GET', url)).json();
  const patch = (body: unknown) => it.call(maker, 'PATCH', url, body);
  const addPassword = (body: unknown) => it.call(maker, 'POST', `${url}passwords/`, body);

  test('there are several named passwords, each shown once and stored as an argon2 hash', async () => {
    const first = await addPassword({ raw_password: 'correct horse', note: ' Board ' });
    const second = await addPassword({});
    const { password, ...shown } = first.json();
    expect(first.statusCode).toBe(201);
    expect([password, shown]).toEqual([
      'correct horse',
      { id: expect.any(Number), note: 'Board', created_at: expect.any(String), created_by_email: 'maker@example.com' },
    ]);
    expect(second.json()).toMatchObject({ note: '', password: expect.stringMatching(/^[\w-]{16}$/) });
    expect((await get()).share_passwords).toMatchObject([shown, { id: second.json().id, note: '' }]);
    expect(JSON.stringify(await get())).not.toContain('correct horse');
    const hashes = await it.deps.db.selectFrom('share_passwords').select('password_hash').where('id', '=', shown.id).execute();
    expect(hashes).toEqual([{ password_hash: expect.stringMatching(/^\$argon2id\$/) }]);

    const gone = await it.call(maker, 'DELETE', `${url}passwords/${shown.id}/`);
    expect([gone.statusCode, gone.body]).toEqual([204, '']);
    expect((await get()).share_passwords).toMatchObject([{ id: second.json().id }]);
    for (const wrong of [shown.id, 'x', 2_147_483_647, 99_999_999_999]) {
      const answer = await it.call(maker, 'DELETE', `${url}passwords/${wrong}/`);
      expect([answer.statusCode, answer.json()]).toEqual([404, { error: 'Password not found.' }]);
    }
  });

  test('the password of another object is not found', async () => {
    const other = `/api/projects/${projectId}/${kind}s/${await make[kind]()}/sharing/passwords/`;
    const theirs = (await it.call(maker, 'POST', other, {})).json().id;
    expect((await it.call(maker, 'DELETE', `${url}passwords/${theirs}/`)).statusCode).toBe(404);
    expect((await it.call(maker, 'DELETE', `${other}${theirs}/`)).statusCode).toBe(204);
  });

  test.each(['', '1234567', '       ', '🎉🎉🎉🎉'])('the password "%s" is too short', async (raw_password) => {
    const answer = await addPassword({ raw_password });
    expect([answer.statusCode, answer.json()]).toEqual([400, { error: 'Password must be at least 8 characters long.' }]);
    expect((await get()).share_passwords).toEqual([]);
  });

  test('there are at most twenty passwords, also with concurrent requests', async () => {
    const { access_token: token } = await get();
    const { id } = await it.deps.db
      .selectFrom('sharing_configurations')
      .select('id')
      .where('access_token', '=', token)
      .executeTakeFirstOrThrow();
    const password = { sharing_configuration_id: id, password_hash: 'x', created_at: new Date() };
    await it.deps.db.insertInto('share_passwords').values(Array(18).fill(password)).execute();
    const answers = await Promise.all(Array.from({ length: 5 }, () => addPassword({})));
    expect(answers.map((one) => one.statusCode).sort()).toEqual([201, 201, 400, 400, 400]);
    expect(answers.find((one) => one.statusCode === 400)?.json()).toEqual({
      error: 'There can be 20 passwords. Remove one before adding another.',
    });
    expect((await get()).share_passwords).toHaveLength(20);
  });

  test('any password is accepted or refused with a documented error', async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('\0', '\ud800', 'eight ch', 1e300, 'x'.repeat(300)));
    const password = fc.record({ raw_password: value, note: value }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(password, async (sent) => {
        const answer = await addPassword(sent);
        expect([201, 400]).toContain(answer.statusCode);
        if (answer.statusCode === 201) await it.call(maker, 'DELETE', `${url}passwords/${answer.json().id}/`);
      }),
      { numRuns: 40 },
    );
  });

  test('the activity log has each change and its user, without tokens and passwords', async () => {
    const { access_token: token } = (await patch({ enabled: true, settings: { theme: 'dark' } })).json();
    await patch({ enabled: true });
    const refreshed = (await it.call(maker, 'POST', `${url}refresh/`)).json().access_token;
    const made = (await addPassword({ raw_password: 'correct horse', note: 'Board' })).json();
    await it.call(maker, 'DELETE', `${url}passwords/${made.id}/`);
    const entries = await it.deps.db
      .selectFrom('activity_log')
      .select(['activity', 'scope', 'user_id', 'detail'])
      .where('project_id', '=', projectId)
      .orderBy('id', 'desc')
      .limit(4)
      .execute();
    const name = kind === 'dashboard' ? 'Numbers' : 'Sign-ups';
    const entry = (scope: string, activity: string, ...changes: object[]) => ({
      scope,
      activity,
      user_id: maker.id,
      detail: { name, type: kind, changes },
    });
    expect(entries.reverse()).toMatchObject([
      entry(
        'SharingConfiguration',
        'updated',
        { field: 'enabled', before: false, after: true },
        { field: 'settings', before: {}, after: { theme: 'dark' } },
      ),
      entry('SharingConfiguration', 'token_refreshed'),
      entry('SharePassword', 'created', { field: 'note', before: null, after: 'Board' }),
      entry('SharePassword', 'deleted', { field: 'note', before: 'Board', after: null }),
    ]);
    const all = JSON.stringify(await it.deps.db.selectFrom('activity_log').selectAll().execute());
    for (const secret of [token, refreshed, 'correct horse']) expect(all).not.toContain(secret);
  });

  test('the log of the server has neither tokens nor passwords', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const loggerInstance: FastifyBaseLogger = log;
    const app = fastify({ loggerInstance });
    installRestApi(app, it.deps.scheduler);
    observeRequests(app, { ...it.deps, log, metrics: new Registry() });
    registerSharing(app, { ...it.deps, log });
    const headers = { authorization: `Bearer ${it.owner.key}`, 'content-type': 'application/json' };
    const call = (method: 'PATCH' | 'POST', path: string, body: object) =>
      app.inject({ method, url: `${url}${path}`, headers, payload: JSON.stringify(body) });
    const { access_token: token } = (await call('PATCH', '', { enabled: true })).json();
    const { password } = (await call('POST', 'passwords/', {})).json();
    await call('POST', 'passwords/', { raw_password: [password], personal_api_key: token });
    await app.close();
    expect(lines.length).toBeGreaterThanOrEqual(3);
    for (const secret of [token, password, it.owner.key]) expect(lines.join('')).not.toContain(secret);
  });
});
