import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../app.js';
import { withServices } from '../services.js';
import { type AccountsApp, type Caller, startAccountsApp } from '../testing/accounts-app.js';
import { holdResults } from '../testing/hold-results.js';

const DASHBOARDS = '/api/environments/@current/dashboards/';

let world: AccountsApp;
/** Another process on the same database. */
let other: FastifyInstance;
let member: { key: string; cookie: string; uuid: string };

beforeAll(async () => {
  world = await startAccountsApp();
  other = await buildApp(withServices({ ...world.deps, metrics: new Registry() }));
  await other.ready();
  const joined = await world.invite('member@example.com');
  member = { ...joined, key: (await world.makeKey(joined.cookie, {})).key };
});
afterAll(async () => {
  await other.close();
  await world.close();
});

const read = async (path: string, caller: Caller = { key: member.key }) => {
  const { statusCode, body } = await world.call(caller, 'GET', path);
  return { status: statusCode, body: JSON.parse(body) };
};
const byOther = async (method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, payload?: object) => {
  const response = await other.inject({
    method,
    url,
    headers: { authorization: `Bearer ${world.owner.key}` },
    ...(payload ? { payload } : {}),
  });
  if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${response.body}`);
  return response.body ? response.json() : null;
};

/** Makes a dashboard; the news of it has come when this resolves. */
async function made(fields: object): Promise<{ id: number }> {
  const news = new Promise<void>((resolve) => world.deps.changes.onChange(() => resolve()));
  const dashboard = await byOther('POST', DASHBOARDS, fields);
  await news;
  return dashboard;
}

/** Changes a name without a notification: a response with the new name was read from the database. */
async function renameUnheard(id: number, name: string): Promise<void> {
  await world.deps.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await tx.updateTable('dashboards').set({ name }).where('id', '=', id).execute();
  });
}

describe('a cached response', () => {
  test('it is cached for its caller, for half a minute at most', async () => {
    const { id } = await made({ name: 'kept' });
    const path = `${DASHBOARDS}${id}/`;
    const first = await read(path);
    await renameUnheard(id, 'changed');
    expect(await read(path)).toEqual(first);
    expect((await read(path, { cookie: member.cookie })).body.name).toBe('changed');
    expect((await read(`${path}?refresh=blocking`)).body.name).toBe('changed');
    expect((await read(path, { key: world.owner.key })).body.user_access_level).not.toBe(first.body.user_access_level);
    world.advance(30_000);
    expect((await read(path)).body.name).toBe('changed');
  });

  test('it is cached within a limit of bytes, which includes URLs', async () => {
    const { id } = await made({ name: 'kept' });
    const path = `${DASHBOARDS}${id}/`;
    await read(path);
    await renameUnheard(id, 'changed');
    const ask = (address: string) => world.call({ key: member.key }, 'GET', `${DASHBOARDS}?limit=1&x=${address}`);
    await ask('short');
    expect((await read(path)).body.name).toBe('kept');
    for (let i = 0; i < 50; i++) await ask(String(i).padEnd(1024 * 1024, 'x'));
    expect((await read(path)).body.name).toBe('changed');
  });

  test('it survives a HEAD of the same URL', async () => {
    const { id } = await made({ name: 'kept' });
    const path = `${DASHBOARDS}${id}/`;
    const first = await read(path);
    await renameUnheard(id, 'changed');
    expect((await world.call({ key: member.key }, 'HEAD', path)).statusCode).toBe(200);
    expect(await read(path)).toEqual(first);
  });

  test('it is dropped by a change of the same project in the same process, and by no other project’s change', async () => {
    const { id } = await made({ name: 'one' });
    const path = `${DASHBOARDS}${id}/`;
    await read(path);
    await world.call(world.owner, 'PATCH', path, { description: 'new' });
    expect((await read(path)).body.description).toBe('new');
    const elsewhere = (await world.call({ cookie: world.owner.cookie }, 'POST', '/api/projects/', { name: 'Elsewhere' })).json();
    await expect.poll(async () => (await read(path)).status).toBe(200);
    await renameUnheard(id, 'two');
    await world.call({ cookie: world.owner.cookie }, 'POST', `/api/projects/${elsewhere.id}/dashboards/`, { name: 'there' });
    expect((await read(path)).body.name).toBe('one');
  });

  test('it survives a project switch by a user of another organization, who sees the other project at once', async () => {
    const { id } = await made({ name: 'one' });
    const path = `${DASHBOARDS}${id}/`;
    const stranger = await world.invite('switching@example.com');
    const by = (method: 'POST' | 'PATCH', url: string, body: object) =>
      world.call({ cookie: stranger.cookie }, method, url, body);
    const own = (await by('POST', '/api/organizations/', { name: 'Of two projects' })).json();
    await byOther('DELETE', `/api/organizations/@current/members/${stranger.uuid}/`);
    await by('PATCH', '/api/users/@me/', { set_current_organization: own.id });
    const first = (await by('POST', '/api/projects/', { name: 'First' })).json().id;
    const second = (await by('POST', '/api/projects/', { name: 'Second' })).json().id;
    await by('POST', `/api/projects/${first}/dashboards/`, { name: 'here' });
    await by('POST', `/api/projects/${second}/dashboards/`, { name: 'there' });
    const switchTo = async (project: number) =>
      expect((await by('PATCH', '/api/users/@me/', { set_current_team: project })).statusCode).toBe(200);
    const names = async () =>
      (await read(DASHBOARDS, { cookie: stranger.cookie })).body.results.map(({ name }: { name: string }) => name);
    await switchTo(first);
    await made({ name: 'the news of all that has come before this' });
    expect([await names(), await names()]).toEqual([['here'], ['here']]);
    await read(path);
    await renameUnheard(id, 'two');
    const heard: (number | null)[] = [];
    world.deps.changes.onChange((projectId) => heard.push(projectId));
    await switchTo(second);
    expect(await names()).toEqual(['there']);
    await expect.poll(() => heard).toContain(second);
    expect((await read(path)).body.name).toBe('one');
  });

  test('it survives changes of an account, a membership or a key of another organization', async () => {
    const { id } = await made({ name: 'one' });
    const path = `${DASHBOARDS}${id}/`;
    // an account with an organization of its own, and no other
    const stranger = await world.invite('stranger@example.com');
    const own = (await world.call({ cookie: stranger.cookie }, 'POST', '/api/organizations/', { name: 'Second' })).json();
    await byOther('DELETE', `/api/organizations/@current/members/${stranger.uuid}/`);
    const switched = { set_current_organization: own.id };
    expect((await world.call({ cookie: stranger.cookie }, 'PATCH', '/api/users/@me/', switched)).statusCode).toBe(200);
    await made({ name: 'the news of all that has come before this' });
    await read(path);
    await renameUnheard(id, 'two');
    const heard: (number | null)[] = [];
    world.deps.changes.onChange((projectId) => heard.push(projectId));
    const { id: keyId } = await world.makeKey(stranger.cookie, {});
    for (const [method, url, body] of [
      ['PATCH', '/api/users/@me/', { first_name: 'New' }],
      ['DELETE', `/api/personal_api_keys/${keyId}/`, undefined],
      ['PATCH', '/api/organizations/@current/', { name: 'Renamed' }],
      ['POST', '/api/projects/', { name: 'Another' }],
    ] as const) {
      expect((await world.call({ cookie: stranger.cookie }, method, url, body)).statusCode).toBeLessThan(300);
    }
    // the news of the last change has come, and so has all before it
    const count = heard.length;
    await byOther('POST', `/api/projects/`, { name: 'Own' });
    await expect.poll(() => heard.length).toBeGreaterThan(count);
    expect(heard).not.toContain(null);
    expect((await read(path)).body.name).toBe('one');
  });

  test.each<[string, (id: number) => Promise<unknown>, (body: { [field: string]: never }) => unknown]>([
    ['a name', (id) => byOther('PATCH', `${DASHBOARDS}${id}/`, { name: 'another' }), (body) => body['name']],
    ['tags', (id) => byOther('PATCH', `${DASHBOARDS}${id}/`, { tags: ['new'] }), (body) => body['tags']],
    [
      'a text tile',
      (id) => byOther('PATCH', `${DASHBOARDS}${id}/`, { tiles: [{ text: { body: 'hi' } }] }),
      (body) => body['tiles'],
    ],
    [
      'an insight',
      (id) => byOther('POST', '/api/environments/@current/insights/', { name: 'new', dashboards: [id] }),
      (body) => body['tiles'],
    ],
    ['sharing', (id) => byOther('PATCH', `${DASHBOARDS}${id}/sharing/`, { enabled: true }), (body) => body['is_shared']],
    [
      'a collaborator',
      (id) => byOther('POST', `${DASHBOARDS}${id}/collaborators/`, { level: 37, user_uuid: member.uuid }),
      (body) => body['effective_privilege_level'],
    ],
    [
      'an access rule',
      (id) => byOther('PUT', `${DASHBOARDS}${id}/access_controls/`, { access_level: 'viewer' }),
      (body) => body['user_access_level'],
    ],
    ['deletion', (id) => byOther('PATCH', `${DASHBOARDS}${id}/`, { deleted: true }), (body) => body['code']],
    [
      'its maker’s name',
      () => byOther('PATCH', '/api/users/@me/', { first_name: `O${Math.random()}` }),
      (body) => body['created_by'],
    ],
  ])('it is dropped soon after another process changes %s', async (_, change, shown) => {
    const { id } = await made({ name: 'watched', restriction_level: 37 });
    const path = `${DASHBOARDS}${id}/`;
    const before = shown((await read(path)).body);
    expect(shown((await read(path)).body)).toEqual(before);
    await change(id);
    await expect.poll(async () => shown((await read(path)).body)).not.toEqual(before);
  });

  test('it is not stored if something changes while it is computed', async () => {
    const { id } = await made({ name: 'early' });
    const { db, holdNext } = holdResults(world.deps.db);
    const deps = withServices({ ...world.deps, db, metrics: new Registry() });
    const slow = await buildApp(deps);
    const get = async () => {
      const headers = { authorization: `Bearer ${member.key}` };
      return (await slow.inject({ url: `${DASHBOARDS}${id}/`, headers })).json().name;
    };
    const tiles = holdNext('dashboard_tiles');
    const early = get();
    await tiles.reached;
    const heard = new Promise<void>((resolve) => deps.changes.onChange(() => resolve()));
    await byOther('PATCH', `${DASHBOARDS}${id}/`, { name: 'late' });
    await heard;
    tiles.release();
    expect(await early).toBe('early');
    expect(await get()).toBe('late');
    await slow.close();
  });

  test('it is not returned to a deleted key or a removed member', async () => {
    const joined = await world.invite('leaving@example.com');
    const { id, key } = await world.makeKey(joined.cookie, {});
    const second = await world.makeKey(joined.cookie, {});
    expect([(await read(DASHBOARDS, { key })).status, (await read(DASHBOARDS, { key: second.key })).status]).toEqual([200, 200]);
    await world.call({ cookie: joined.cookie }, 'DELETE', `/api/personal_api_keys/${id}/`);
    expect((await read(DASHBOARDS, { key })).status).toBe(401);
    await byOther('DELETE', `/api/organizations/@current/members/${joined.uuid}/`);
    await expect.poll(async () => (await read(DASHBOARDS, { key: second.key })).status).toBe(401);
  });

  test('while notifications are missed nothing is cached, and everything earlier is dropped', async () => {
    const { id } = await made({ name: 'before' });
    const path = `${DASHBOARDS}${id}/`;
    await read(path);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`.execute(world.deps.db);
    await renameUnheard(id, 'meanwhile');
    await expect.poll(async () => (await read(path)).body.name).toBe('meanwhile');
    await expect.poll(() => world.deps.changes.isListening()).toBe(true);
    await byOther('PATCH', path, { name: 'after' });
    await expect.poll(async () => (await read(path)).body.name).toBe('after');
  });
});

test('cached responses count against the rate limits of a key', async () => {
  const limited = await startAccountsApp({ rateLimits: { perMinute: 3, perHour: 100 } });
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) statuses.push((await limited.call({ key: limited.owner.key }, 'GET', DASHBOARDS)).statusCode);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  await limited.close();
});
