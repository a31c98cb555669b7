import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';

let it: AccountsApp;
let ann: { cookie: string; uuid: string };
let id: number;
beforeAll(async () => {
  it = await startAccountsApp();
  ann = await it.invite('ann@example.com');
});
afterAll(() => it.close());
beforeEach(async () => {
  id = (await it.call(it.owner, 'POST', '/api/projects/@current/dashboards/', { name: 'Ours' })).json().id;
});

const call = (by: Caller, method: 'GET' | 'PATCH', rest = '', body?: object, headers?: Record<string, string>) =>
  it.call(by, method, `/api/projects/@current/dashboards/${id}/${rest}`, body, headers);
const version = async () => (await call(it.owner, 'GET', 'version/')).json();
const text = { text: { body: 'Hello' } };

test('each change of a dashboard or its tiles makes a version, with who made it and when', async () => {
  expect(await version()).toMatchObject({ version: 1, last_modified_by: { email: 'owner@example.com' }, tiles: 0 });
  await call(ann, 'PATCH', '', { name: 'Hers' });
  expect(await version()).toMatchObject({ version: 2, last_modified_by: { email: 'ann@example.com' } });
  const changed = await call(it.owner, 'PATCH', '', { tiles: [text] });
  expect(changed.json().version).toBe(3);
  expect((await call(it.owner, 'GET')).json().version).toBe(3);
  await call(ann, 'PATCH', '', {});
  expect(await version()).toMatchObject({ version: 3, last_modified_by: { email: 'owner@example.com' }, tiles: 1 });
});

test('a moved tile makes a version of both dashboards', async () => {
  const [tile] = (await call(it.owner, 'PATCH', '', { tiles: [text] })).json().tiles;
  const other = (await it.call(it.owner, 'POST', '/api/projects/@current/dashboards/', {})).json().id;
  await call({ cookie: it.owner.cookie }, 'PATCH', 'move_tile/', { tile: { id: tile.id }, toDashboard: other });
  expect(await version()).toMatchObject({ version: 3, tiles: 0 });
  id = other;
  expect(await version()).toMatchObject({ version: 2, tiles: 1 });
});

test('asked with the ETag of the last answer, an unchanged dashboard is a 304; a new tile and a changed insight are news', async () => {
  const ask = (etag: string) => call(ann, 'GET', 'version/', undefined, { 'if-none-match': etag });
  let etag = String((await ask('"other"')).headers['etag']);
  const isNews = async () => {
    const answer = await ask(etag);
    etag = String(answer.headers['etag']);
    return answer.statusCode === 200;
  };
  const same = await ask(etag);
  expect([same.statusCode, same.body]).toEqual([304, '']);
  const insights = '/api/projects/@current/insights/';
  const insight = (await it.call(it.owner, 'POST', insights, { name: 'A', dashboards: [id] })).json().id;
  expect([await isNews(), await isNews()]).toEqual([true, false]);
  it.advance(5);
  await it.call(it.owner, 'PATCH', `${insights}${insight}/`, { name: 'B' });
  expect([await isNews(), await isNews()]).toEqual([true, false]);
  await it.call(it.owner, 'PATCH', `${insights}${insight}/`, { deleted: true });
  expect([await isNews(), await isNews()]).toEqual([true, false]);
});

test('a change for another version is refused with who made the present one; without If-Match it is made', async () => {
  await call(ann, 'PATCH', '', { description: 'hers' });
  const stale = await call(it.owner, 'PATCH', '', { name: 'Mine' }, { 'if-match': '"1"' });
  expect([stale.statusCode, stale.json()]).toEqual([
    409,
    {
      type: 'invalid_request',
      code: 'conflict',
      detail: 'New has changed this dashboard meanwhile.',
      attr: null,
      extra: expect.objectContaining({ version: 2, last_modified_by: expect.objectContaining({ email: 'ann@example.com' }) }),
    },
  ]);
  expect((await call(it.owner, 'GET')).json()).toMatchObject({ name: 'Ours', description: 'hers' });
  for (const etag of ['"2"', '*'])
    expect((await call(it.owner, 'PATCH', '', { pinned: true }, { 'if-match': etag })).statusCode).toBe(200);
  expect((await call(it.owner, 'PATCH', '', { name: 'Mine' })).json()).toMatchObject({ name: 'Mine', version: 4 });
});

test('of two changes of one version one is made', async () => {
  const save = (name: string) => call(it.owner, 'PATCH', '', { name }, { 'if-match': '"1"' });
  const both = await Promise.all([save('One'), save('Two')]);
  expect(both.map((one) => one.statusCode).sort()).toEqual([200, 409]);
});

test('a caller who may not see the dashboard does not learn its version', async () => {
  await call(it.owner, 'PATCH', '', {});
  await it.call(it.owner, 'PUT', `/api/projects/@current/dashboards/${id}/access_controls/`, { access_level: 'none' });
  expect((await call(ann, 'GET', 'version/')).statusCode).toBe(403);
  id = 2_147_483_647;
  expect((await call(ann, 'GET', 'version/')).statusCode).toBe(404);
});
