import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';

const QUERY = { kind: 'InsightVizNode', source: { kind: 'TrendsQuery' } };
const RESTRICTED =
  'This insight is on a dashboard that can only be edited by its owner, team members invited to editing the dashboard, and project admins.';
const NOT_FOUND = [404, 'not_found', null, 'Not found.'];

let app: AccountsApp;
let owner: Caller;
let member: { cookie: string; uuid: string };
let projectId: number;
let project: string;
let round = 0;

beforeAll(async () => {
  app = await startAccountsApp();
  owner = { key: app.owner.key };
});
afterAll(() => app.close());
beforeEach(async () => {
  round += 1;
  projectId = (await app.call(owner, 'POST', '/api/projects/', { name: `P${round}` })).json().id;
  project = `/api/projects/${projectId}`;
  member = await app.invite(`member${round}@example.com`);
});

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
async function send(who: Caller, method: Method, path: string, body?: unknown) {
  const answer = await app.call(who, method, `${project}${path}`, body);
  if (answer.statusCode < 300) return answer.body === '' ? null : answer.json();
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, attr, detail];
}
const denied = (detail: string) => [403, 'permission_denied', null, detail];
const create = (fields: object = {}, who: Caller = owner) => send(who, 'POST', '/insights/', { query: QUERY, ...fields });
const patch = (who: Caller, id: number, fields: object) => send(who, 'PATCH', `/insights/${id}/`, fields);
const dashboard = async (fields: object = {}, who: Caller = owner): Promise<number> =>
  (await send(who, 'POST', '/dashboards/', { name: 'D', ...fields })).id;
const rule = (id: number, access_level: string | null, resource = 'insights') =>
  send(owner, 'PUT', `/${resource}/${id}/access_controls/`, { access_level });

describe('isolation of projects', () => {
  test('insights of another project are not found by number or short id, for any method', async () => {
    const theirs = await create({ name: 'theirs' });
    const other = (await app.call(owner, 'POST', '/api/projects/', { name: 'Other' })).json().id;
    project = `/api/projects/${other}`;
    for (const id of [theirs.id, theirs.short_id]) {
      expect(await send(owner, 'GET', `/insights/${id}/`)).toEqual(NOT_FOUND);
      expect(await send(owner, 'PATCH', `/insights/${id}/`, { name: 'x' })).toEqual(NOT_FOUND);
      expect(await send(owner, 'PATCH', `/insights/${id}/`, { deleted: false })).toEqual(NOT_FOUND);
      expect(await send(owner, 'POST', `/insights/${id}/viewed/`)).toEqual(NOT_FOUND);
      expect(await send(owner, 'GET', `/insights/${id}/activity/`)).toEqual(NOT_FOUND);
      expect(await send(owner, 'GET', `/insights/${id}/access_controls/`)).toEqual(NOT_FOUND);
    }
    expect(await send(owner, 'GET', '/insights/')).toMatchObject({ count: 0 });
  });

  test('dashboards of another project are unknown to an insight', async () => {
    const foreign = await dashboard();
    const other = (await app.call(owner, 'POST', '/api/projects/', { name: 'Other' })).json().id;
    project = `/api/projects/${other}`;
    const refusal = [400, 'does_not_exist', 'dashboards', `Invalid pk "${foreign}" - object does not exist.`];
    expect(await create({ dashboards: [foreign] })).toEqual(refusal);
    const { id } = await create();
    expect(await patch(owner, id, { dashboards: [foreign] })).toEqual(refusal);
    expect(await send(owner, 'GET', `/insights/?dashboards=[${foreign}]`)).toMatchObject({ count: 0 });
  });

  test.each(['0', 'x', '-1', '99999999999', 'abcdefgh', '%00', 'a.b', '١'])('%s is not the id of an insight', async (id) => {
    expect(await send(owner, 'GET', `/insights/${encodeURIComponent(id).replace('%2500', '%00')}/`)).toEqual(NOT_FOUND);
  });
});

test('fact 3.10 insight:read reads and insight:write writes, and neither includes the other', async () => {
  const { id } = await create({ name: 'a' });
  const key = async (...scopes: string[]): Promise<Caller> => app.makeKey(app.owner.cookie, { scopes });
  const [reads, writes, none] = [await key('insight:read'), await key('insight:write'), await key('dashboard:write')];
  const lacks = (scope: string) => denied(`API key missing required scope '${scope}'`);
  expect((await send(reads, 'GET', `/insights/${id}/`)).name).toBe('a');
  expect((await send(reads, 'POST', `/insights/${id}/viewed/`)).id).toBe(id);
  expect(await patch(reads, id, { name: 'b' })).toEqual(lacks('insight:write'));
  expect(await create({}, reads)).toEqual(lacks('insight:write'));
  expect((await patch(writes, id, { name: 'b' })).name).toBe('b');
  expect((await send(writes, 'GET', '/insights/')).count).toBe(1);
  for (const path of ['/insights/', `/insights/${id}/`, '/insights/my_last_viewed/', '/insights/999999/']) {
    expect(await send(none, 'GET', path)).toEqual(lacks('insight:read'));
  }
});

describe('fact 6 access rules', () => {
  test('level none hides an insight, viewer reads, editor edits; rules do not restrict creators and administrators', async () => {
    const theirs = await create({ name: 'theirs' });
    const mine = await create({ name: 'mine' }, member);
    await rule(theirs.id, 'none');
    await rule(mine.id, 'none');
    expect(await send(member, 'GET', `/insights/${theirs.id}/`)).toEqual(
      denied('You do not have viewer access to this resource.'),
    );
    expect(await patch(member, theirs.id, { name: 'x' })).toEqual(denied('You do not have editor access to this resource.'));
    const list = await send(member, 'GET', '/insights/');
    expect([list.count, list.results.map(({ name }: { name: string }) => name)]).toEqual([1, ['mine']]);
    expect((await send(owner, 'GET', '/insights/')).count).toBe(2);
    expect((await patch(member, mine.id, { name: 'still mine' })).user_access_level).toBe('manager');

    await rule(theirs.id, 'viewer');
    expect((await send(member, 'GET', `/insights/${theirs.id}/`)).user_access_level).toBe('viewer');
    expect(await patch(member, theirs.id, { deleted: true })).toEqual(denied('You do not have editor access to this resource.'));
    await rule(theirs.id, null);
    expect((await patch(member, theirs.id, { name: 'changed' })).user_access_level).toBe('editor');
  });

  test('fact 13.12 changes of access rules are in the activity log', async () => {
    const { id, short_id } = await create({ name: 'a' });
    await rule(id, 'viewer');
    const [entry] = (await send(owner, 'GET', '/activity_log/?scope=AccessControl')).results;
    expect(entry).toMatchObject({
      activity: 'created',
      item_id: String(id),
      detail: { name: 'a', short_id, changes: [{ before: null, after: { access_level: 'viewer', resource: 'insight' } }] },
    });
  });

  test('the effective privilege level of a viewer by rule is the level of a viewer', async () => {
    const { id, short_id } = await create({ name: 'watched', dashboards: [await dashboard()] });
    expect((await send(member, 'GET', `/insights/${id}/`)).effective_privilege_level).toBe(37);
    await send(owner, 'PUT', `/insights/${id}/access_controls/`, { access_level: 'viewer' });
    const seen = { effective_privilege_level: 21, user_access_level: 'viewer' };
    expect(await send(member, 'GET', `/insights/${id}/`)).toMatchObject(seen);
    expect((await send(member, 'GET', `/insights/?short_id=${short_id}`)).results).toMatchObject([seen]);
  });

  test('fact 6.9 rules about all insights decide who lists and creates them', async () => {
    const set = (access_level: string) => send(owner, 'PUT', '/resource_access_controls/', { resource: 'insight', access_level });
    await set('viewer');
    expect((await send(member, 'GET', '/insights/')).count).toBe(0);
    expect(await create({}, member)).toEqual(denied('You do not have editor access to this resource.'));
    await set('none');
    expect(await send(member, 'GET', '/insights/')).toEqual(denied('You do not have viewer access to this resource.'));
    expect(await send(member, 'GET', '/insights/my_last_viewed/')).toEqual(
      denied('You do not have viewer access to this resource.'),
    );
    expect(await create({ name: 'by owner' })).toMatchObject({ name: 'by owner' });
  });
});

describe('fact 4 restricted dashboards', () => {
  test('an insight that is on restricted dashboards only can be edited by their editors only', async () => {
    const closed = await dashboard({ restriction_level: 37 });
    const made = await create({ dashboards: [closed] });
    const levels = { effective_restriction_level: 37, effective_privilege_level: 21 };
    expect(await send(member, 'GET', `/insights/${made.id}/`)).toMatchObject(levels);
    expect(await patch(member, made.id, { name: 'x' })).toEqual(denied(RESTRICTED));
    expect(await patch(member, made.id, { dashboards: [] })).toEqual(denied(RESTRICTED));
    expect(made).toMatchObject({ effective_restriction_level: 37, effective_privilege_level: 37 });

    const open = await dashboard();
    await patch(owner, made.id, { dashboards: [closed, open] });
    expect(await patch(member, made.id, { name: 'x' })).toMatchObject({ ...levels, effective_privilege_level: 37, name: 'x' });
    // off the restricted one still only its editors take it
    expect(await patch(member, made.id, { dashboards: [open], name: 'y' })).toEqual(
      denied(`You don't have permission to remove insights from dashboard: ${closed}`),
    );
    expect((await send(owner, 'GET', `/insights/${made.id}/`)).name).toBe('x');
  });

  test('collaborators who may edit can add insights, others cannot', async () => {
    const closed = await dashboard({ restriction_level: 37 });
    const refusal = denied(`You don't have permission to add insights to dashboard: ${closed}`);
    expect(await create({ dashboards: [closed] }, member)).toEqual(refusal);
    const mine = await create({}, member);
    expect(await patch(member, mine.id, { dashboards: [closed] })).toEqual(refusal);
    expect((await send(owner, 'GET', '/insights/')).count).toBe(1);
    await send(owner, 'POST', `/dashboards/${closed}/collaborators/`, { level: 37, user_uuid: member.uuid });
    expect((await patch(member, mine.id, { dashboards: [closed] })).dashboards).toEqual([closed]);
    expect((await create({ dashboards: [closed] }, member)).effective_privilege_level).toBe(37);
  });

  test('a rule that makes the caller a viewer of a dashboard leaves its insights unchanged', async () => {
    const board = await dashboard();
    const mine = await create({}, member);
    await rule(board, 'viewer', 'dashboards');
    const refusal = denied('You do not have editor access to this resource.');
    expect(await patch(member, mine.id, { dashboards: [board] })).toEqual(refusal);
    await patch(owner, mine.id, { dashboards: [board] });
    expect(await patch(member, mine.id, { dashboards: [] })).toEqual(refusal);
    // what stays needs no rights
    expect((await patch(member, mine.id, { dashboards: [board], name: 'n' })).name).toBe('n');
  });
});
