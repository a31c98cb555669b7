import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../ports/db.js';
import { type AccountsApp, PASSWORD, startAccountsApp } from '../testing/accounts-app.js';
import { untilSomeoneWaits } from '../testing/lock-waits.js';

let app: AccountsApp;
let member: string;
/** Of a project that has one dashboard, shared by a configuration. */
let project: string;
let dashboard: number;

beforeAll(async () => {
  app = await startAccountsApp();
  member = (await app.invite('member@example.com')).uuid;
});
afterAll(() => app.close());

beforeEach(async () => {
  project = `/api/projects/${(await app.call(app.owner, 'POST', '/api/projects/', { name: 'To be deleted' })).json().id}/`;
  dashboard = (await app.call(app.owner, 'POST', `${project}dashboards/`, { name: 'Mine' })).json().id;
  await app.call(app.owner, 'GET', `${project}dashboards/${dashboard}/sharing/`);
});

const projectId = () => Number(project.split('/')[3]);

/** Makes a call that meets `first`, which is under way when the call comes and done before it goes on. */
async function callAfter(first: (tx: Db) => Promise<unknown>, ...[method, path, body]: Parameters<typeof request>) {
  // in an object, as a transaction would wait for a promise that it answers with
  const { call } = await app.deps.db.transaction().execute(async (tx) => {
    await first(tx);
    const call = request(method, path, body);
    await untilSomeoneWaits(app.deps.db);
    return { call };
  });
  return call;
}

/** Calls the API about the project; `:dashboard` and `:member` stand for those that there are. */
const request = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  app.call(
    app.owner,
    method,
    project + path.replace(':dashboard', String(dashboard)),
    body && JSON.stringify(body).replace(':member', member),
  );

const deleteProject = (tx: Db) => tx.deleteFrom('projects').where('id', '=', projectId()).execute();

const gone = (detail: string) => ({ type: 'invalid_request', code: 'not_found', detail, attr: null });

describe('facts 1.4: a project deleted during a request is not found', () => {
  test.each<[...Parameters<typeof request>]>([
    ['POST', 'dashboards/', {}],
    ['POST', 'insights/', { name: 'New' }],
    ['POST', 'cohorts/', { name: 'New', is_static: true }],
    ['POST', 'feature_flags/', { key: 'new', filters: { groups: [] } }],
    ['POST', 'dashboard_templates/', { template_name: 'New', tiles: [{ type: 'TEXT', body: 'x' }] }],
    ['PUT', 'access_controls/', { access_level: 'member' }],
    ['PUT', 'resource_access_controls/', { resource: 'dashboard', access_level: 'viewer' }],
    ['PATCH', '', { name: 'New' }],
    ['DELETE', ''],
  ])('%s %s', async (...call) => {
    const answer = await callAfter(deleteProject, ...call);
    expect([answer.statusCode, answer.json()]).toEqual([404, gone('Project not found.')]);
  });

  test.each<[detail: string, ...Parameters<typeof request>]>([
    ['Not found.', 'PATCH', 'dashboards/:dashboard/', { name: 'New' }],
    ['Not found.', 'PATCH', 'dashboards/:dashboard/sharing/', { enabled: true }],
    ['Not found.', 'POST', 'dashboards/:dashboard/sharing/refresh/'],
    ['Not found.', 'POST', 'dashboards/:dashboard/collaborators/', { level: 37, user_uuid: ':member' }],
  ])('%s for an object in it: %s %s', async (detail, method, path, body) => {
    const answer = await callAfter(deleteProject, method, path, body);
    expect([answer.statusCode, answer.json()]).toEqual([404, gone(detail)]);
  });

  test.each<['POST' | 'DELETE', string]>([
    ['POST', 'projects/'],
    ['DELETE', ''],
  ])('an organization deleted during a request is not found: %s %s', async (method, path) => {
    const made = await app.call({ cookie: app.owner.cookie }, 'POST', '/api/organizations/', { name: 'Short-lived' });
    const { id } = made.json();
    const { call } = await app.deps.db.transaction().execute(async (tx) => {
      await tx.deleteFrom('organizations').where('id', '=', id).execute();
      const call = app.call({ cookie: app.owner.cookie }, method, `/api/organizations/${id}/${path}`, {});
      await untilSomeoneWaits(app.deps.db);
      return { call };
    });
    const answer = await call;
    expect([answer.statusCode, answer.json()]).toEqual([404, gone('Organization not found.')]);
  });
});

test('a project whose deletion deadlocks with another write is deleted', async () => {
  const answer = await app.deps.db.transaction().execute(async (tx) => {
    // so that it is the deletion that the database gives up
    await sql`set local deadlock_timeout = '10min'`.execute(tx);
    await tx.updateTable('dashboards').set({ name: 'Held' }).where('id', '=', dashboard).execute();
    const call = request('DELETE', '');
    await untilSomeoneWaits(app.deps.db);
    // refers to the project, which the deletion holds by now
    const now = new Date(app.deps.clock.now());
    await tx.insertInto('dashboards').values({ project_id: projectId(), created_at: now, updated_at: now }).execute();
    return { call };
  });
  expect((await answer.call).statusCode).toBe(204);
  expect((await request('PATCH', '', {})).statusCode).toBe(404);
});

test('a member is removed while another transaction has the organization locked', async () => {
  const { uuid } = await app.invite('leaving@example.com');
  const { call } = await app.deps.db.transaction().execute(async (tx) => {
    await sql`set local deadlock_timeout = '10min'`.execute(tx);
    const { organization_id } = await tx
      .selectFrom('organization_memberships as m')
      .innerJoin('users as u', 'u.id', 'm.user_id')
      .select('m.organization_id')
      .where('u.uuid', '=', uuid)
      .forKeyShare('m')
      .executeTakeFirstOrThrow();
    const call = app.call(app.owner, 'DELETE', `/api/organizations/@current/members/${uuid}/`);
    await untilSomeoneWaits(app.deps.db);
    // as a row does that refers to it
    await tx.selectFrom('organizations').select('id').where('id', '=', organization_id).forKeyShare().execute();
    return { call };
  });
  expect((await call).statusCode).toBe(204);
});

test('an invite is accepted while something else that needs it holds the organization', async () => {
  const email = 'joining@example.com';
  const invite = (await app.call(app.owner, 'POST', '/api/organizations/@current/invites/', { target_email: email })).json();
  const { call } = await app.deps.db.transaction().execute(async (tx) => {
    await sql`set local deadlock_timeout = '10min'`.execute(tx);
    const { organization_id } = await tx
      .selectFrom('organization_invites as i')
      .innerJoin('organizations as o', 'o.id', 'i.organization_id')
      .select('i.organization_id')
      .where('i.id', '=', invite.id)
      .forUpdate('o')
      .executeTakeFirstOrThrow();
    const call = app.call({}, 'POST', `/api/signup/${invite.id}/`, { first_name: 'New', password: PASSWORD });
    await untilSomeoneWaits(app.deps.db);
    // as the deletion of the organization does
    await tx.selectFrom('organization_invites').select('id').where('organization_id', '=', organization_id).forUpdate().execute();
    return { call };
  });
  expect((await call).statusCode).toBe(201);
});
