import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';

let app: AccountsApp;
let owner: Caller;
let member: { cookie: string; uuid: string };
let project: string;
let round = 0;

beforeAll(async () => {
  app = await startAccountsApp();
  owner = { key: app.owner.key };
});
afterAll(() => app.close());
beforeEach(async () => {
  round += 1;
  project = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: `P${round}` })).json().id}`;
  member = await app.invite(`member${round}@example.com`);
});

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
async function send(who: Caller, method: Method, path: string, body?: unknown) {
  const answer = await app.call(who, method, `${project}${path}`, body);
  if (answer.statusCode < 300) return answer.body === '' ? null : answer.json();
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, attr, detail];
}
const NOT_FOUND = [404, 'not_found', null, 'Not found.'];
const denied = (detail: string) => [403, 'permission_denied', null, detail];
const create = (key: string, who: Caller = owner, fields: object = {}) =>
  send(who, 'POST', '/feature_flags/', { key, ...fields });
const patch = (who: Caller, id: number, fields: object) => send(who, 'PATCH', `/feature_flags/${id}/`, fields);
const rule = (id: number, access_level: string | null) =>
  send(owner, 'PUT', `/feature_flags/${id}/access_controls/`, { access_level });

test('flags of other projects cannot be reached', async () => {
  const { id } = await create('a');
  const foreignPaths = [`/feature_flags/${id}/`, '/feature_flags/a/'];
  project = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: 'Other' })).json().id}`;
  const below = ['', 'versions/', 'versions/1/', 'status/', 'dependent_flags/', 'activity/', 'access_controls/'];
  for (const path of foreignPaths) {
    for (const end of below) expect(await send(owner, 'GET', path + end)).toEqual(NOT_FOUND);
    expect(await send(owner, 'PATCH', path, { name: 'x' })).toEqual(NOT_FOUND);
    expect(await send(owner, 'PATCH', path, { deleted: false })).toEqual(NOT_FOUND);
  }
  expect(await send(owner, 'GET', '/feature_flags/')).toMatchObject({ count: 0 });
  const filters = { groups: [{ properties: [{ key: String(id), type: 'flag', operator: 'flag_evaluates_to', value: true }] }] };
  expect((await create('b', owner, { filters })).slice(0, 3)).toEqual([400, 'invalid_input', 'filters']);
});

test.each(['0', 'x', '-1', '99999999999', 'a.b', '%00', '١'])('%s is no flag', async (id) => {
  expect(await send(owner, 'GET', `/feature_flags/${encodeURIComponent(id).replace('%2500', '%00')}/`)).toEqual(NOT_FOUND);
});

test('the scope feature_flag:read allows reads only, and feature_flag:write allows writes (fact 3.10)', async () => {
  const { id } = await create('a');
  const key = async (...scopes: string[]): Promise<Caller> => app.makeKey(app.owner.cookie, { scopes });
  const [reads, writes, none] = [await key('feature_flag:read'), await key('feature_flag:write'), await key('insight:write')];
  const lacks = (scope: string) => denied(`API key missing required scope '${scope}'`);
  expect((await send(reads, 'GET', `/feature_flags/${id}/`)).key).toBe('a');
  expect(await patch(reads, id, { name: 'b' })).toEqual(lacks('feature_flag:write'));
  expect(await create('b', reads)).toEqual(lacks('feature_flag:write'));
  expect((await patch(writes, id, { name: 'b' })).name).toBe('b');
  expect((await send(writes, 'GET', '/feature_flags/')).count).toBe(1);
  for (const path of ['/feature_flags/', '/feature_flags/999999/', `/feature_flags/${id}/versions/`, '/scheduled_changes/']) {
    expect(await send(none, 'GET', path)).toEqual(lacks('feature_flag:read'));
  }
});

describe('access rules (fact 6)', () => {
  test('level none hides a flag, viewer allows reads, editor allows writes; rules do not restrict creators and administrators', async () => {
    const foreignPaths = await create('foreignPaths');
    const mine = await create('mine', member);
    await rule(foreignPaths.id, 'none');
    await rule(mine.id, 'none');
    expect(await send(member, 'GET', `/feature_flags/${foreignPaths.id}/`)).toEqual(
      denied('You do not have viewer access to this resource.'),
    );
    expect(await patch(member, foreignPaths.id, { name: 'x' })).toEqual(
      denied('You do not have editor access to this resource.'),
    );
    const list = await send(member, 'GET', '/feature_flags/');
    expect([list.count, list.results.map(({ key }: { key: string }) => key)]).toEqual([1, ['mine']]);
    expect(JSON.stringify(await send(member, 'GET', '/feature_flags/activity/'))).not.toContain('foreignPaths');
    expect((await send(owner, 'GET', '/feature_flags/activity/')).count).toBe(2);
    expect((await send(owner, 'GET', '/feature_flags/')).count).toBe(2);
    await rule(foreignPaths.id, 'viewer');
    expect(await send(member, 'GET', `/feature_flags/${foreignPaths.id}/`)).toMatchObject({
      user_access_level: 'viewer',
      can_edit: false,
    });
    expect(await patch(member, foreignPaths.id, { deleted: true })).toEqual(
      denied('You do not have editor access to this resource.'),
    );
    await rule(foreignPaths.id, null);
    expect((await patch(member, foreignPaths.id, { name: 'x' })).can_edit).toBe(true);
    const [entry] = (await send(owner, 'GET', '/activity_log/?scope=AccessControl')).results;
    expect(entry).toMatchObject({ activity: 'deleted', item_id: String(foreignPaths.id), detail: { name: 'foreignPaths' } });
  });

  test('hidden flags are not in the list of dependent flags', async () => {
    const base = await create('base');
    const filters = {
      groups: [{ properties: [{ key: String(base.id), type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
    };
    const dependent = await create('b', owner, { filters });
    await rule(dependent.id, 'none');
    expect(await send(member, 'GET', '/feature_flags/base/dependent_flags/')).toEqual([]);
    expect(await send(owner, 'GET', '/feature_flags/base/dependent_flags/')).toHaveLength(1);
  });

  test('rules about all flags decide who lists and creates flags', async () => {
    const put = (access_level: string) =>
      send(owner, 'PUT', '/resource_access_controls/', { resource: 'feature_flag', access_level });
    await put('viewer');
    expect((await send(member, 'GET', '/feature_flags/')).count).toBe(0);
    expect(await create('a', member)).toEqual(denied('You do not have editor access to this resource.'));
    await put('none');
    for (const path of ['/feature_flags/', '/feature_flags/activity/', '/scheduled_changes/']) {
      expect(await send(member, 'GET', path)).toEqual(denied('You do not have viewer access to this resource.'));
    }
  });
});

test('requests are checked in order: credentials, scope, project, flag, access rules, body (fact 3.13)', async () => {
  const { id } = await create('a');
  await rule(id, 'viewer');
  const bad = { key: '' };
  const reads = await app.makeKey(app.owner.cookie, { scopes: ['feature_flag:read'] });
  expect((await send({}, 'PATCH', '/feature_flags/999999/', bad))[0]).toBe(401);
  expect((await send(reads, 'PATCH', '/feature_flags/999999/', bad))[0]).toBe(403);
  expect((await app.call(owner, 'PATCH', '/api/projects/999999/feature_flags/999999/', bad)).json().detail).toBe(
    'Project not found.',
  );
  expect(await send(member, 'PATCH', '/feature_flags/999999/', bad)).toEqual(NOT_FOUND);
  expect((await patch(member, id, bad))[0]).toBe(403);
  expect(await patch(owner, id, bad)).toEqual([400, 'blank', 'key', 'This field may not be blank.']);
});

test('the activity log has every change, and no secret payload', async () => {
  const filters = (secret: string, percentage = 10) => ({
    groups: [{ properties: [], rollout_percentage: percentage }],
    payloads: { true: JSON.stringify(secret) },
  });
  const { id } = await create('a', owner, { filters: filters('hush'), has_encrypted_payloads: true });
  await patch(owner, id, { filters: filters('whisper', 20), name: 'x' });
  await patch(owner, id, { name: 'x' });
  await patch(owner, id, { deleted: true });
  await patch(owner, id, { deleted: false });
  const answer = await send(owner, 'GET', `/feature_flags/${id}/activity/`);
  const logged = answer.results.map(({ activity, detail }: { activity: string; detail: { changes: { field: string }[] } }) => [
    activity,
    detail.changes.map(({ field }) => field),
  ]);
  expect(logged).toEqual([
    ['restored', ['deleted']],
    ['deleted', ['deleted']],
    ['updated', ['name', 'filters']],
    ['created', []],
  ]);
  expect(answer.results[2].detail.changes[1]).toMatchObject({
    before: { groups: [{ rollout_percentage: 10 }], payloads: { true: '(hidden)' } },
    after: { groups: [{ rollout_percentage: 20 }], payloads: { true: '(hidden, changed)' } },
  });
  expect(JSON.stringify(answer)).not.toMatch(/hush|whisper/);
});
