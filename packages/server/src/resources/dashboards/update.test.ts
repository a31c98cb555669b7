import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { untilSomeoneWaits } from '../../testing/lock-waits.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let member: { cookie: string; uuid: string };
let project: OwnProject;
beforeAll(async () => {
  app = await startAccountsApp();
  member = await app.invite('member@example.com');
});
beforeEach(async () => {
  project = await ownProject(app);
});
afterAll(() => app.close());

const make = async (fields: object = {}, caller?: Caller): Promise<number> =>
  (await project.call('POST', 'dashboards/', fields, caller)).json().id;
const patch = (id: number, body: unknown, caller?: Caller) => project.call('PATCH', `dashboards/${id}/`, body, caller);
const get = (id: number, caller?: Caller) => project.call('GET', `dashboards/${id}/`, undefined, caller);
const insight = async (fields: object) => (await project.call('POST', 'insights/', fields)).json();
const log = async (query: string) => (await project.call('GET', `activity_log/?${query}`)).json().results;

describe('spec 4.1 Update', () => {
  test('200 with the full dashboard; fields that are not sent keep their values', async () => {
    const id = await make({ name: 'old', description: 'stays', tags: ['stays'] });
    const answer = await patch(id, { name: 'new', pinned: 'yes', filters: { a: 1 }, variables: { b: { value: 2 } } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      name: 'new',
      pinned: true,
      description: 'stays',
      tags: ['stays'],
      filters: { a: 1 },
      variables: { b: { value: 2 } },
    });
    expect((await get(id)).json()).toEqual(answer.json());
  });

  test('PUT works as PATCH, and needs no field', async () => {
    const id = await make({ name: 'old', description: 'stays' });
    expect((await project.call('PUT', `dashboards/${id}/`, { name: 'new' })).json()).toMatchObject({
      name: 'new',
      description: 'stays',
    });
    const stored = (await get(id)).json();
    expect((await project.call('PUT', `dashboards/${id}/`, {})).json()).toEqual(stored);
    expect((await project.call('PUT', `dashboards/${id}/`, stored)).json()).toEqual(stored);
  });

  test('{} clears filters and variables, null leaves them unchanged; null clears the name; tags are replaced', async () => {
    const id = await make({ name: 'n', filters: { a: 1 }, variables: { b: {} }, tags: ['x', 'y'] });
    expect((await patch(id, { filters: null, variables: null, tags: null })).json()).toMatchObject({
      filters: { a: 1 },
      variables: { b: {} },
      tags: ['x', 'y'],
    });
    expect((await patch(id, { filters: {}, variables: {}, tags: [], name: null })).json()).toMatchObject({
      filters: {},
      variables: {},
      tags: [],
      name: null,
    });
  });

  test('read-only fields, use_template and use_dashboard have no effect', async () => {
    const id = await make();
    const other = await make();
    const body = {
      creation_mode: 'template',
      use_template: 'DEFAULT_APP',
      use_dashboard: other,
      created_by: null,
      is_shared: true,
    };
    expect((await patch(id, body)).json()).toMatchObject({
      creation_mode: 'default',
      use_template: null,
      use_dashboard: null,
      tiles: [],
    });
  });

  test('of several faults in the body the first is returned, and nothing changes', async () => {
    const id = await make({ name: 'n' });
    const refused = async (body: unknown) => {
      const answer = await patch(id, body);
      return [answer.statusCode, answer.json().code, answer.json().attr];
    };
    expect(await refused({ name: 'x', description: null })).toEqual([400, 'null', 'description']);
    expect(await refused({ name: 'x', filters: 'x' })).toEqual([400, 'invalid_input', null]);
    expect(await refused({ name: 'x', tiles: 'x' })).toEqual([400, 'not_a_list', 'tiles']);
    expect(await refused({ name: 'x', tiles: [5] })).toEqual([400, 'invalid_input', 'tiles__0']);
    expect(await refused({ name: 'x', tiles: [{ text: 'x' }] })).toEqual([400, 'invalid_input', 'tiles__0__text']);
    expect(await refused({ name: 'x', tiles: [{ color: 'red' }] })).toEqual([400, 'required', 'tiles__0__text']);
    expect(await refused({ name: 'x', tiles: [{ text: {} }, { id: 999_999 }] })).toEqual([400, 'does_not_exist', 'tiles__1__id']);
    expect((await get(id)).json()).toMatchObject({ name: 'n', tiles: [] });
  });

  test('unknown, malformed and other projects’ ids: 404 Not found., before the body is read', async () => {
    const other = await ownProject(app);
    const theirs = (await other.call('POST', 'dashboards/', {})).json().id;
    for (const id of [theirs, 2_147_483_647, 99_999_999_999, 'abc', '-1', '1.5', '1e3', '%00']) {
      for (const method of ['GET', 'PATCH', 'PUT'] as const) {
        const answer = await project.call(method, `dashboards/${id}/`, method === 'GET' ? undefined : { name: 5, deleted: 'x' });
        expect([id, answer.statusCode, answer.json()]).toEqual([
          id,
          404,
          { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null },
        ]);
      }
    }
  });

  test('a key needs dashboard:write, also for dashboards that do not exist', async () => {
    const { key } = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:read'] });
    const answer = await patch(999_999, {}, { key });
    expect([answer.statusCode, answer.json().detail]).toEqual([403, "API key missing required scope 'dashboard:write'"]);
  });

  test('the activity log has each change from the old to the new value', async () => {
    const id = await make({ name: 'old' });
    await patch(id, { name: 'new', description: '' });
    await patch(id, {});
    expect(await log(`scope=Dashboard&item_id=${id}`)).toMatchObject([
      {
        activity: 'updated',
        detail: { name: 'new', changes: [{ type: 'Dashboard', action: 'changed', field: 'name', before: 'old', after: 'new' }] },
      },
      { activity: 'created' },
    ]);
  });
});

describe('restricted dashboards', () => {
  test('other members see it and cannot edit it; invited editors can', async () => {
    const id = await make({ restriction_level: 37 });
    const seen = await get(id, member);
    expect(seen.json()).toMatchObject({ restriction_level: 37, effective_restriction_level: 37, effective_privilege_level: 21 });
    const refused = await patch(id, { name: 'x' }, member);
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toEqual({
      type: 'authentication_error',
      code: 'permission_denied',
      detail: "You don't have edit permissions for this dashboard.",
      attr: null,
    });
    await project.call('POST', `dashboards/${id}/collaborators/`, { level: 37, user_uuid: member.uuid });
    expect((await patch(id, { name: 'x' }, member)).json()).toMatchObject({ name: 'x', effective_privilege_level: 37 });
  });

  test('a change that waited while the dashboard became restricted is refused', async () => {
    const id = await make({ name: 'old' });
    const { db } = app.deps;
    const { refused } = await db.transaction().execute(async (tx) => {
      await tx.updateTable('dashboards').set({ restriction_level: 37 }).where('id', '=', id).execute();
      const refused = patch(id, { name: 'new' }, member);
      await untilSomeoneWaits(db);
      return { refused };
    });
    expect((await refused).statusCode).toBe(403);
    expect((await get(id)).json().name).toBe('old');
  });

  test('only its creator and administrators may send the restriction, even the same value', async () => {
    const id = await make();
    for (const restriction_level of [37, 21]) {
      const refused = await patch(id, { restriction_level, name: 'x' }, member);
      expect([refused.statusCode, refused.json().detail]).toEqual([
        403,
        "Only the dashboard owner and project admins have the restriction rights required to change the dashboard's restriction level.",
      ]);
    }
    expect((await get(id)).json().name).toBeNull();
    const own = await make({ restriction_level: 37 }, member);
    expect((await patch(own, { restriction_level: 21 }, member)).json().restriction_level).toBe(21);
    expect((await patch(own, { restriction_level: 37 })).json()).toMatchObject({
      restriction_level: 37,
      effective_privilege_level: 37,
    });
  });

  test('access rules apply to the others: a viewer by rule cannot edit', async () => {
    const id = await make();
    await project.call('PUT', `dashboards/${id}/access_controls/`, { access_level: 'viewer' });
    expect((await get(id, member)).json().user_access_level).toBe('viewer');
    const refused = await patch(id, { name: 'x' }, member);
    expect([refused.statusCode, refused.json().detail]).toEqual([403, 'You do not have editor access to this resource.']);
    expect(await log(`scope=AccessControl&item_id=${id}`)).toMatchObject([
      { activity: 'created', detail: { changes: [{ field: 'rule' }] } },
    ]);
  });
});

describe('spec 3 States: deleted', () => {
  test('PATCH deleted = true: 200 with deleted true; the dashboard is missing in list and retrieve; its row remains', async () => {
    const id = await make({ name: 'n' });
    await patch(id, { tiles: [{ text: { body: 'a' } }] });
    const answer = await patch(id, { deleted: true });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ id, name: 'n', deleted: true, tiles: [] });
    expect((await get(id)).statusCode).toBe(404);
    expect((await project.call('GET', 'dashboards/')).json().count).toBe(0);
    const rows = await app.deps.db.selectFrom('dashboards').select('deleted').where('id', '=', id).execute();
    expect(rows).toEqual([{ deleted: true }]);
    expect((await log(`scope=Dashboard&item_id=${id}`))[0]).toMatchObject({ activity: 'deleted', detail: { name: 'n' } });
  });

  test('a deletion by PATCH needs dashboard:write only', async () => {
    const id = await make();
    const { key } = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:read'] });
    expect((await patch(id, { deleted: true }, { key })).statusCode).toBe(403);
    const { key: writer } = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:write'] });
    expect((await patch(id, { deleted: true }, { key: writer })).statusCode).toBe(200);
  });

  test('a deleted dashboard is not found by any update except its restoration', async () => {
    const id = await make({ name: 'n' });
    await patch(id, { deleted: true });
    for (const body of [{ name: 'x' }, { deleted: true }, {}, { deleted: 'nonsense' }, { deleted: null }, []]) {
      expect([body, (await patch(id, body)).statusCode]).toEqual([body, 404]);
    }
    expect((await project.call('GET', `dashboards/${id}/access_controls/`)).statusCode).toBe(404);
  });

  test('PATCH {"deleted": false} restores it with the tiles and insights that its deletion removed', async () => {
    const id = await make({ name: 'n' });
    const other = await make();
    const { id: only } = await insight({ name: 'only here', query: { kind: 'TrendsQuery', series: [] }, dashboards: [id] });
    const { id: both } = await insight({ name: 'on both', query: { kind: 'TrendsQuery', series: [] }, dashboards: [id, other] });
    const { tiles } = (await patch(id, { tiles: [{ text: { body: 'removed' } }] })).json();
    await patch(id, { tiles: [{ id: tiles.find((tile: { text: object | null }) => tile.text).id, deleted: true }] });

    await patch(id, { deleted: true, delete_insights: true });
    expect((await project.call('GET', `insights/${only}/`)).statusCode).toBe(404);
    expect((await project.call('GET', `insights/${both}/`)).json().dashboards).toEqual([other]);
    expect(await log(`scope=Insight&item_id=${only}`)).toMatchObject([{ activity: 'deleted' }, { activity: 'created' }]);

    const restored = await patch(id, { deleted: 'false', name: 'back' });
    expect(restored.statusCode).toBe(200);
    expect(restored.json()).toMatchObject({ deleted: false, name: 'back' });
    // the text was removed before
    expect(restored.json().tiles.map((tile: { text: object | null }) => tile.text)).toEqual([null, null]);
    expect((await project.call('GET', `insights/${only}/`)).json().dashboards).toEqual([id]);
    expect((await log(`scope=Dashboard&item_id=${id}`)).map((one: { activity: string }) => one.activity)).toEqual([
      'restored',
      'updated',
      'deleted',
      'created',
    ]);
  });

  test('delete_insights leaves insights that the caller may not edit', async () => {
    const id = await make();
    const query = { kind: 'TrendsQuery', series: [] };
    const { id: locked } = await insight({ name: 'locked', query, dashboards: [id] });
    const { id: open } = await insight({ name: 'open', query, dashboards: [id] });
    await project.call('PUT', `insights/${locked}/access_controls/`, { access_level: 'viewer' });
    expect((await patch(id, { deleted: true, delete_insights: true }, member)).statusCode).toBe(200);
    expect((await project.call('GET', `insights/${locked}/`)).statusCode).toBe(200);
    expect((await project.call('GET', `insights/${open}/`)).statusCode).toBe(404);
  });

  test('without delete_insights the insights remain, and no longer list the dashboard', async () => {
    const id = await make();
    const { id: remaining } = await insight({ name: 'kept', query: { kind: 'TrendsQuery', series: [] }, dashboards: [id] });
    await patch(id, { deleted: true });
    expect((await project.call('GET', `insights/${remaining}/`)).json()).toMatchObject({ name: 'kept', dashboards: [] });
  });

  test('the project and its group types no longer refer to it', async () => {
    const [id, other] = [await make(), await make()];
    const { db } = app.deps;
    const groupType = { project_id: project.id, group_type: 'company', group_type_index: 0, created_at: new Date(0) };
    await db
      .insertInto('group_types')
      .values({ ...groupType, detail_dashboard: id })
      .execute();
    const pointer = async () => (await project.call('GET', '')).json().primary_dashboard;
    await project.call('PATCH', '', { primary_dashboard: id });
    await patch(other, { deleted: true });
    expect(await pointer()).toBe(id);
    await patch(id, { deleted: true });
    expect(await pointer()).toBeNull();
    expect(await db.selectFrom('group_types').select('detail_dashboard').where('project_id', '=', project.id).execute()).toEqual([
      { detail_dashboard: null },
    ]);
  });
});

describe('spec 4.1 Delete, spec 7 DELETE on a dashboard', () => {
  test('405 without a body, also for unknown dashboards, and the dashboard remains', async () => {
    const id = await make({ name: 'n' });
    for (const path of [`dashboards/${id}/`, `dashboards/${id}`, 'dashboards/999999/', 'dashboards/abc/']) {
      const answer = await project.call('DELETE', path);
      expect([path, answer.statusCode, answer.body]).toEqual([path, 405, '']);
    }
    expect((await get(id)).json().name).toBe('n');
  });

  test('other users and keys without dashboard:write get their refusal before the 405', async () => {
    expect((await project.call('DELETE', 'dashboards/1/', undefined, {})).statusCode).toBe(401);
    const { key } = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:read'] });
    expect((await project.call('DELETE', 'dashboards/1/', undefined, { key })).statusCode).toBe(403);
  });
});
