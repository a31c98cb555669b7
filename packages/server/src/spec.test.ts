import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from './testing/accounts-app.js';

const DASHBOARDS = '/api/environments/@current/dashboards/';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let app: AccountsApp;
/** A dashboard of the owner. */
let id: number;
let member: { cookie: string; uuid: string };

beforeAll(async () => {
  app = await startAccountsApp();
  member = await app.invite('member@example.com');
  id = (await app.call(app.owner, 'POST', DASHBOARDS, { name: 'Spec' })).json().id;
});
afterAll(() => app.close());

/** The record of spec 2.1, and nothing beside it. */
const USER = {
  id: expect.any(Number),
  uuid: expect.stringMatching(UUID),
  distinct_id: expect.any(String),
  first_name: expect.any(String),
  last_name: expect.any(String),
  email: expect.stringContaining('@'),
  is_email_verified: expect.any(Boolean),
  hedgehog_config: {},
};

describe('spec 2.1 User (embedded object)', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['created_by of a dashboard', async () => (await app.call(app.owner, 'GET', `${DASHBOARDS}${id}/`)).json().created_by],
    ['created_by in the list', async () => (await app.call(app.owner, 'GET', DASHBOARDS)).json().results[0].created_by],
    [
      'user of a collaborator',
      async () =>
        (await app.call(app.owner, 'POST', `${DASHBOARDS}${id}/collaborators/`, { level: 37, user_uuid: member.uuid })).json()
          .user,
    ],
    [
      'user of an explicit member',
      async () =>
        (await app.call(app.owner, 'POST', '/api/environments/@current/explicit_members/', { user_uuid: member.uuid })).json()
          .user,
    ],
  ])('%s', async (_, user) => {
    expect(await user()).toEqual(USER);
  });
});

describe('spec 5 Authentication', () => {
  test('1: every request has Authorization: Bearer <PERSONAL_API_KEY>', async () => {
    expect((await app.call({}, 'GET', DASHBOARDS)).statusCode).toBe(401);
    expect((await app.call({ key: `${app.owner.key}x` }, 'GET', DASHBOARDS)).statusCode).toBe(401);
    expect((await app.call({ key: app.owner.key }, 'GET', DASHBOARDS)).statusCode).toBe(200);
  });

  test.each<[scope: string, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object]>([
    ['dashboard:read', 'GET', 'dashboards/'],
    ['dashboard:read', 'GET', 'dashboards/:id/'],
    ['dashboard:write', 'POST', 'dashboards/', { name: 'one more' }],
    ['dashboard:write', 'PATCH', 'dashboards/:id/', { description: 'new' }],
    ['dashboard:read', 'GET', 'dashboards/:id/collaborators/'],
    ['sharing_configuration:read', 'GET', 'dashboards/:id/sharing/'],
    ['group:read', 'GET', 'groups/?group_type_index=0'],
    ['project:read', 'GET', 'explicit_members/'],
  ])('2: %s is the scope of %s %s', async (scope, method, path, body) => {
    const url = `/api/environments/@current/${path.replace(':id', String(id))}`;
    const status = async (scopes: string[]) => {
      const { id: keyId, key } = await app.makeKey(app.owner.cookie, { scopes });
      const { statusCode, body: text } = await app.call({ key }, method, url, body);
      await app.call({ cookie: app.owner.cookie }, 'DELETE', `/api/personal_api_keys/${keyId}/`);
      return statusCode < 300 ? 'in' : JSON.parse(text).detail;
    };
    expect(await status([scope])).toBe('in');
    expect(await status([scope.replace(':read', ':write')])).toBe('in');
    expect(await status(['insight:write'])).toBe(`API key missing required scope '${scope}'`);
    if (scope.endsWith(':write')) {
      expect(await status([scope.replace(':write', ':read')])).toBe(`API key missing required scope '${scope}'`);
    }
  });

  test('3: the project API key is for clients only, and is in the project settings', async () => {
    const project = (await app.call(app.owner, 'GET', '/api/projects/@current/')).json();
    expect(project.api_token).toMatch(/^tmk_/);
    expect((await app.call({ key: project.api_token }, 'GET', DASHBOARDS)).statusCode).toBe(401);
  });

  test('4 (gap): a log-in session is accepted too, and creates keys with scopes', async () => {
    expect((await app.call({ cookie: member.cookie }, 'GET', DASHBOARDS)).statusCode).toBe(200);
    const { key } = await app.makeKey(member.cookie, { scopes: ['dashboard:read'] });
    expect((await app.call({ key }, 'GET', DASHBOARDS)).statusCode).toBe(200);
  });
});
