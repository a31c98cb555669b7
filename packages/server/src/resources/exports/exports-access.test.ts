import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadPrincipal } from '../../auth/index.js';
import { OWNER_EMAIL, OWNER_PASSWORD, startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let project: string;
let insight: number;
let dashboard: number;
let owner: string;
let member: string;

beforeAll(async () => {
  service = await startTestService();
  project = `/api/projects/${service.projectId}`;
  const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }] };
  dashboard = (await service.call('POST', `${project}/dashboards/`, { body: { name: 'D' } })).json().id;
  const body = { name: 'I', query: { kind: 'InsightVizNode', source }, dashboards: [dashboard] };
  insight = (await service.call('POST', `${project}/insights/`, { body })).json().id;
  const invite = await service.call('POST', '/api/organizations/@current/invites/', {
    body: { target_email: 'member@example.com' },
  });
  const signup = { first_name: 'M', password: OWNER_PASSWORD };
  await service.call('POST', `/api/signup/${invite.json().id}/`, { key: null, body: signup });
  [owner, member] = await Promise.all([cookieOf(OWNER_EMAIL), cookieOf('member@example.com')]);
});
afterAll(() => service.close());

async function cookieOf(email: string): Promise<string> {
  const answer = await service.call('POST', '/api/login/', { key: null, body: { email, password: OWNER_PASSWORD } });
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

type Who = { key: string } | { cookie: string };
const call = (who: Who, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown) =>
  service.call(method, url, {
    ...('key' in who ? { key: who.key } : { key: null, headers: { cookie: who.cookie } }),
    ...(body === undefined ? {} : { body }),
  });
const newKey = async (...scopes: string[]): Promise<{ key: string; id: string }> => {
  const { value, id } = (await call({ cookie: owner }, 'POST', '/api/personal_api_keys/', { label: 'k', scopes })).json();
  return { key: value, id };
};
const ended = (who: Who, id: number) =>
  vi.waitFor(
    async () => {
      const shown = (await call(who, 'GET', `${project}/exports/${id}/`)).json();
      expect(shown.has_content !== '' || shown.exception !== null).toBe(true);
      return shown;
    },
    { timeout: 60_000, interval: 30 },
  );

describe('scopes', () => {
  test('export:read reads, export:write creates, and neither allows more', async () => {
    const [reads, writes, none] = [await newKey('export:read'), await newKey('export:write'), await newKey('insight:write')];
    const body = { insight, export_format: 'application/json' };
    expect((await call(reads, 'POST', `${project}/exports/`, body)).json().detail).toBe(
      "API key missing required scope 'export:write'",
    );
    const made = await call(writes, 'POST', `${project}/exports/`, body);
    expect(made.statusCode).toBe(201);
    const { id } = made.json();
    for (const path of ['', `${id}/`, `${id}/content/`]) {
      expect((await call(none, 'GET', `${project}/exports/${path}`)).statusCode).toBe(403);
    }
    expect(await ended(reads, id)).toMatchObject({ has_content: 'true' });
    expect((await call(reads, 'GET', `${project}/exports/${id}/content/`)).statusCode).toBe(200);
  });

  test.each([
    ['the path', 'dashboard:read', () => ({ path: `${project}/dashboards/` })],
    ['the query', 'query:read', () => ({ source: { kind: 'HogQLQuery', query: 'select 1' } })],
  ] as const)('a key reads no more by %s of an export than by itself', async (_name, scope, context) => {
    const fields = { export_format: 'application/json', export_context: context() };
    const narrow = await newKey('export:write');
    const { id } = (await call(narrow, 'POST', `${project}/exports/`, fields)).json();
    expect(await ended(narrow, id)).toMatchObject({ exception: `API key missing required scope '${scope}'` });
    const wide = await newKey('export:write', scope);
    const again = (await call(wide, 'POST', `${project}/exports/`, fields)).json();
    expect(await ended(wide, again.id)).toMatchObject({ has_content: 'true' });
  });

  test('while an export calls the API as its user, a request from the network has no credentials of it', async () => {
    const url = `${await service.app.listen({ port: 0, host: '127.0.0.1' })}${project}/exports/`;
    const { id: userId } = (await service.call('GET', '/api/users/@me/')).json();
    const principal = await loadPrincipal(service.deps, userId, null);
    if (!principal) throw new Error('The owner has no access.');
    const [inside, outside] = await service.deps.services.impersonation.run(principal, () =>
      Promise.all([service.app.inject({ url: `${project}/exports/` }), fetch(url)]),
    );
    expect([inside.statusCode, outside.status]).toEqual([200, 401]);
    expect((await service.app.inject({ url: `${project}/exports/` })).statusCode).toBe(401);
  });
});

describe('access to an export', () => {
  test('only its creator sees it, in its project', async () => {
    const { id } = (await call({ cookie: owner }, 'POST', `${project}/exports/`, { insight, export_format: 'text/csv' })).json();
    await ended({ cookie: owner }, id);
    for (const path of [`${id}/`, `${id}/content/`]) {
      expect((await call({ cookie: member }, 'GET', `${project}/exports/${path}`)).statusCode).toBe(404);
    }
    expect((await call({ cookie: member }, 'GET', `${project}/exports/`)).json().count).toBe(0);
    const other = (await call({ cookie: owner }, 'POST', '/api/projects/', { name: 'Other' })).json().id;
    for (const path of [`${id}/`, `${id}/content/`]) {
      expect((await call({ cookie: owner }, 'GET', `/api/projects/${other}/exports/${path}`)).statusCode).toBe(404);
    }
    const foreign = await call({ cookie: owner }, 'POST', `/api/projects/${other}/exports/`, {
      insight,
      export_format: 'text/csv',
    });
    expect([foreign.statusCode, foreign.json().attr]).toEqual([400, 'insight']);
  });

  test('its creator loses it with access to its object', async () => {
    const who = { cookie: member };
    const ask = (body: object) => call(who, 'POST', `${project}/exports/`, { export_format: 'application/json', ...body });
    const first = (await ask({ insight })).json().id;
    const board = (await ask({ dashboard })).json().id;
    const response = (await ask({ export_context: { path: `${project}/dashboards/${dashboard}/` } })).json().id;
    const empty = (await ask({ export_context: { path: `${project}/dashboards/` } })).json().id;
    for (const id of [first, board, response, empty]) await ended(who, id);
    const { headers } = await call(who, 'GET', `${project}/exports/${board}/content/`);
    await call({ cookie: owner }, 'PUT', `${project}/insights/${insight}/access_controls/`, { access_level: 'none' });
    for (const id of [first, board, response]) {
      expect((await call(who, 'GET', `${project}/exports/${id}/`)).statusCode).toBe(404);
      expect((await call(who, 'GET', `${project}/exports/${id}/content/`)).statusCode).toBe(404);
    }
    // nor by the copy of a browser
    const held = await service.call('GET', `${project}/exports/${board}/content/`, {
      key: null,
      headers: { cookie: member, 'if-none-match': String(headers['etag']) },
    });
    expect([held.statusCode, headers['cache-control']]).toEqual([404, 'private, no-cache']);
    expect((await call(who, 'GET', `${project}/exports/`)).json().results.map((one: { id: number }) => one.id)).toEqual([empty]);
    expect((await ask({ insight })).statusCode).toBe(403);
    // a tile that is hidden from them is not on the board that they export
    const again = (await ask({ dashboard })).json().id;
    await ended(who, again);
    expect((await call(who, 'GET', `${project}/exports/${again}/content/`)).json().tiles).toEqual([]);
    await call({ cookie: owner }, 'PUT', `${project}/insights/${insight}/access_controls/`, { access_level: null });
    for (const id of [first, board]) expect((await call(who, 'GET', `${project}/exports/${id}/content/`)).statusCode).toBe(200);
  });
});
