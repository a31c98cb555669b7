import { eventMaker, eventually } from '@tidemark/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OWNER_EMAIL, type TestService } from './testing/service.js';
import { startWatchedService, type WatchedRoute } from './testing/watched-service.js';

/** Every route of the service. */
let routes: readonly WatchedRoute[];

/** What belongs to one organization: its objects by the name of the parameter that names them in paths. */
interface Tenant {
  key: string;
  projectKey: string;
  ids: Record<string, string[]>;
}

let service: TestService;
let ours: Tenant;
let theirs: Tenant;
/** Texts that only we may ever be shown. */
let secrets: string[];

beforeAll(async () => {
  ({ service, routes } = await startWatchedService({ openSignup: true }));

  ours = await fill({ key: service.personalKey, projectKey: service.projectKey, ids: {} }, 'ours');
  theirs = await fill(await signUp('rival@example.org', 'Rivals'), 'theirs');
  // names of events and the mark of a first one are written in the background: what follows is ours alone to change
  await eventually(async () => {
    const definitions = await call(ours.key, 'GET', '/api/projects/@current/event_definitions/');
    const project = await call(ours.key, 'GET', '/api/projects/@current/');
    if (definitions.json().count < 2 || !project.json().ingested_event) throw new Error('not all is written yet');
  });
  secrets = [OWNER_EMAIL, 'Test organization', 'Test project', service.projectKey, 'secret-of-ours', ...unguessable(ours)];
});
afterAll(() => service?.close());

test('the routes that this test needs exist', () => {
  const urls = new Set(routes.map(({ url }) => url.replace(/\/$/, '')));
  for (const url of ['/batch', '/api/organizations', '/api/projects/:project_id/query', '/api/projects/:project_id/persons']) {
    expect(urls).toContain(url);
  }
  expect(secrets.length).toBeGreaterThan(8);
});

describe('another organization', { timeout: 600_000 }, () => {
  // every id of the first organization, in every parameter; and its objects below the project and the organization of the caller
  let before: Record<string, unknown>;
  beforeAll(async () => {
    before = await everythingWeSee();
  });

  test.each(['all ids', 'object ids'])('our %s reads nothing of it, on any route', async (which) => {
    const objects = objectsOf(ours);
    const ids = which === 'all ids' ? ours.ids : { ...objects, ...placesOf(theirs) };
    let requests = 0;
    for (const { method, url } of routes) {
      for (const path of pathsOf(url, ids)) {
        if (isLeftOut(method, url, which)) continue;
        const answer = await call(theirs.key, method, path, method === 'GET' || method === 'HEAD' ? undefined : BODY);
        requests++;
        const revealed = secrets.filter((secret) => answer.body.includes(secret) && !JSON.stringify(BODY).includes(secret));
        expect({ method, path, revealed }).toEqual({ method, path, revealed: [] });
        expect(answer.statusCode, `${method} ${path}: ${answer.body}`).toBeLessThan(500);
        if (names(url, which)) expect(answer.statusCode, `${method} ${path}: ${answer.body}`).toBeGreaterThanOrEqual(400);
      }
    }
    expect(requests).toBeGreaterThan(60);
  });

  test('it is unchanged by all these requests', async () => {
    expect(await everythingWeSee()).toEqual(before);
  });
});

/** Whatever may be written by a body, in one. */
const BODY = {
  name: 'taken over',
  label: 'taken over',
  level: 15,
  is_active: false,
  scopes: ['*'],
  access_control: true,
  target_email: 'mole@example.org',
  query: { kind: 'EventsQuery', select: ['*'], after: 'all' },
  event: 'theirs',
  distinct_id: 'person-theirs',
};

const PLACES = ['project_id', 'organization_id'];
const placesOf = (tenant: Tenant) => Object.fromEntries(PLACES.map((name) => [name, tenant.ids[name] ?? []]));
const objectsOf = (tenant: Tenant) => Object.fromEntries(Object.entries(tenant.ids).filter(([name]) => !PLACES.includes(name)));

/** Whether a parameter of the path names an object of the first organization, so that a successful response would be about it. */
function names(url: string, which: string): boolean {
  if (!url.startsWith('/api/')) return false;
  const parameters = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return parameters.some((name) => which === 'all ids' || !PLACES.includes(name));
}

/** Left out: requests that would delete the caller itself, and the link of an invite, which is valid for anyone who has it. */
function isLeftOut(method: string, url: string, which: string): boolean {
  const own =
    which === 'object ids' && /^\/api\/(projects|environments|organizations)\/:(project_id|organization_id)\/?$/.test(url);
  return url.includes('logout') || (own && method === 'DELETE') || url.includes('reset_token') || url.startsWith('/api/signup/:');
}

/** A route's pattern with each of our ids put in at least once; parameters of a name we have nothing for get all of our ids. */
function pathsOf(url: string, ids: Record<string, string[]>): string[] {
  const choicesOf = (name: string) => ids[name] ?? Object.values(objectsOf({ ...ours, ids })).flat();
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const most = Math.max(1, ...names.map((name) => choicesOf(name).length));
  return Array.from({ length: most }, (_, i) =>
    url
      .replace('*', 'anything')
      .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(choicesOf(name).at(i % choicesOf(name).length) ?? '')),
  );
}

function call(key: string, method: string, url: string, body?: unknown) {
  return service.call(method as 'GET', url, { key, ...(body === undefined ? {} : { body }) });
}

async function signUp(email: string, organization: string): Promise<Tenant> {
  const password = 'a quite different and long passphrase 77';
  const signup = await service.call('POST', '/api/signup/', {
    key: null,
    body: { email, password, first_name: 'Rival', organization_name: organization },
  });
  expect(signup.statusCode, signup.body).toBe(201);
  const cookie = signup.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const made = await service.call('POST', '/api/personal_api_keys/', {
    key: null,
    headers: { cookie },
    body: { label: 'walk', scopes: ['*'] },
  });
  expect(made.statusCode, made.body).toBe(201);
  const key: string = made.json().value;
  const project = await call(key, 'GET', '/api/projects/@current/');
  return { key, projectKey: project.json().api_token, ids: {} };
}

/** Gives a tenant events, a person, a group, an invite and a key, and notes what they are called in paths. */
async function fill(tenant: Tenant, name: string): Promise<Tenant> {
  const make = eventMaker(name.length);
  const batch = [
    make({ event: `event-${name}`, distinct_id: `person-${name}`, properties: { $set: { note: `secret-of-${name}` } } }),
    make({
      event: '$groupidentify',
      distinct_id: `person-${name}`,
      properties: { $group_type: 'company', $group_key: `group-${name}`, $group_set: { note: `secret-of-${name}` } },
    }),
  ];
  const sent = await service.call('POST', '/batch/', { key: null, body: { api_key: tenant.projectKey, batch } });
  expect(sent.statusCode, sent.body).toBe(200);
  const get = async (url: string) => (await call(tenant.key, 'GET', url)).json();
  const project = await get('/api/projects/@current/');
  const organization = await get('/api/organizations/@current/');
  const me = await get('/api/users/@me/');
  const key = await get('/api/personal_api_keys/@current/');
  const invite = (
    await call(tenant.key, 'POST', '/api/organizations/@current/invites/', { target_email: `invited-by-${name}@example.com` })
  ).json();
  const person = await eventually(async () => {
    const { results } = await get(`/api/projects/@current/persons/?distinct_id=person-${name}`);
    if (!results[0]) throw new Error('The person is not there yet.');
    return results[0];
  });
  tenant.ids = {
    project_id: [String(project.id), project.uuid],
    organization_id: [organization.id],
    user_id: [me.uuid],
    user_uuid: [me.uuid],
    invite_id: [invite.id],
    id: [key.id, person.uuid ?? person.id, String(person.id)],
  };
  return tenant;
}

/** Ids that cannot be hit by chance. */
const unguessable = ({ ids }: Tenant) =>
  Object.values(ids)
    .flat()
    .filter((id) => id.length > 8);

/** What our own key is shown on every route that only reads, except times of use and the counts of the last minutes, which move with the clock. */
async function everythingWeSee(): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  const isRead = ({ method, url }: WatchedRoute) =>
    method === 'GET' && url.startsWith('/api/') && !url.includes('/live/activity');
  for (const { url } of routes.filter(isRead)) {
    for (const path of pathsOf(url, ours.ids)) {
      const { statusCode, body } = await call(ours.key, 'GET', path);
      seen[path] = [statusCode, body.replace(/"last_(used|seen|login)\w*":("[^"]*"|null)/g, '')];
    }
  }
  const query = { kind: 'EventsQuery', select: ['*'], after: 'all', orderBy: ['uuid'] };
  seen['events'] = (await call(ours.key, 'POST', '/api/projects/@current/query/', { query })).json().results;
  return seen;
}
