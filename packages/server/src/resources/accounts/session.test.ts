import { afterAll, beforeAll, expect, test } from 'vitest';
import { cookieOf } from '../../testing/accounts-app.js';
import { OWNER_EMAIL, OWNER_PASSWORD, startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  // as before the first start of a new service
  await service.deps.db.deleteFrom('organizations').execute();
  await service.deps.db.deleteFrom('users').execute();
});
afterAll(() => service.close());

const session = (headers: Record<string, string> = {}) => service.call('GET', '/api/session/', { key: null, headers });

const NOBODY = { user: null, organization_id: null, project_id: null, organizations: [] };

test('a browser begins, sets up, logs out and logs in by JSON and cookies alone', async () => {
  expect((await session()).json()).toMatchObject({ setup_needed: true, ...NOBODY });
  const account = { email: OWNER_EMAIL, password: OWNER_PASSWORD, first_name: 'Ada', organization_name: 'Acme' };
  const cookie = cookieOf(await service.call('POST', '/api/signup/', { key: null, body: account }));
  const begun = (await session({ cookie })).json();
  expect(begun).toMatchObject({
    setup_needed: false,
    features: { sign_up: false, geoip: false, email: false },
    user: { email: OWNER_EMAIL, first_name: 'Ada', has_password: true, theme_mode: null },
    organizations: [
      {
        name: 'Acme',
        level: 15,
        allow_publicly_shared_resources: true,
        projects: [{ name: 'Default project', level: 15, is_private: false, ingested_event: false, timezone: 'UTC' }],
      },
    ],
  });
  expect(begun.organization_id).toBe(begun.organizations[0].id);
  expect(begun.project_id).toBe(begun.organizations[0].projects[0].id);

  expect((await service.call('POST', '/api/logout/', { key: null, headers: { cookie } })).statusCode).toBe(204);
  expect((await session({ cookie })).json()).toMatchObject({ setup_needed: false, ...NOBODY });
  const body = { email: OWNER_EMAIL, password: OWNER_PASSWORD };
  const again = cookieOf(await service.call('POST', '/api/login/', { key: null, body }));
  expect((await session({ cookie: again })).json().user.email).toBe(OWNER_EMAIL);
});

test('a member sees the projects that they may enter, each with their level', async () => {
  const body = { email: OWNER_EMAIL, password: OWNER_PASSWORD };
  const headers = { cookie: cookieOf(await service.call('POST', '/api/login/', { key: null, body })) };
  const write = (method: 'POST' | 'PUT', url: string, sent: object) =>
    service.call(method, url, { key: null, body: sent, headers });
  const target_email = 'ben@example.com';
  const invite = (await write('POST', '/api/organizations/@current/invites/', { target_email })).json();
  const joined = await service.call('POST', `/api/signup/${invite.id}/`, {
    key: null,
    body: { first_name: 'Ben', password: OWNER_PASSWORD },
  });
  const hidden = (await write('POST', '/api/projects/', { name: 'Hidden', access_control: true })).json();
  const shared = (await write('POST', '/api/projects/', { name: 'Shared', access_control: true })).json();
  const raised = (await write('POST', '/api/projects/', { name: 'Raised' })).json();
  await write('POST', `/api/projects/${shared.id}/explicit_members/`, { user_uuid: joined.json().uuid, level: 1 });
  const members = await service.call('GET', '/api/organizations/@current/members/', { key: null, headers });
  const membership = members.json().results.find((one: { user: { email: string } }) => one.user.email === target_email).id;
  await write('PUT', `/api/projects/${raised.id}/access_controls/`, { access_level: 'admin', organization_member: membership });

  const { organizations } = (await session({ cookie: cookieOf(joined) })).json();
  const seen = organizations[0].projects.map(({ name, level }: { name: string; level: number }) => [name, level]);
  expect(seen).toEqual([
    ['Default project', 1],
    ['Raised', 8],
    ['Shared', 1],
  ]);
  expect(JSON.stringify(organizations)).not.toContain(hidden.api_token);
});

test('keys and invented cookies are nobody, and no credentials are needed', async () => {
  const invented = [{ cookie: 'tidemark_session=invented' }, { authorization: 'Bearer tms_invented' }];
  for (const headers of invented) {
    const answer = await session(headers);
    expect([answer.statusCode, answer.json()]).toMatchObject([200, NOBODY]);
  }
});

test('every response of the API has the build id, also errors, and no other response', async () => {
  const { build, version } = (await session()).json();
  expect(build).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')}-[\\da-f]{12}$`));
  for (const url of ['/api/session/', '/api/projects/', '/api/nothing/']) {
    expect((await service.call('GET', url, { key: null })).headers['x-tidemark-build']).toBe(build);
  }
  expect((await service.call('GET', '/_health', { key: null })).headers).not.toHaveProperty('x-tidemark-build');
});
