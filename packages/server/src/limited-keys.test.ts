import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD, type TestService } from './testing/service.js';
import { startWatchedService, type WatchedRoute } from './testing/watched-service.js';

/** A key that is limited to one project, or to one organization, sees that one alone. */
let service: TestService;
let routes: readonly WatchedRoute[];
let session: { cookie: string };
/** The project that keys are limited to, and another one of the same organization. */
let inside: Place;
let beside: Place;
/** The first project of another organization of the same user. */
let elsewhere: Place;

interface Place {
  id: number;
  uuid: string;
  organization: string;
  token: string;
  name: string;
}

beforeAll(async () => {
  ({ service, routes } = await startWatchedService());
  const login = await service.call('POST', '/api/login/', { key: null, body: { email: OWNER_EMAIL, password: OWNER_PASSWORD } });
  session = { cookie: login.cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
  inside = placeOf((await service.call('GET', '/api/projects/@current/')).json());
  // numbers that no count or other id can be by chance
  await sql`select setval(pg_get_serial_sequence('projects', 'id'), 70716550)`.execute(service.deps.db);
  beside = placeOf((await service.call('POST', '/api/projects/', { body: { name: 'Beside the limit' } })).json());
  const organization = (await service.call('POST', '/api/organizations/', { body: { name: 'Elsewhere Limited' } })).json();
  const [project] = organization.teams;
  elsewhere = placeOf(project);
  await service.call('PATCH', `/api/projects/${elsewhere.id}/`, { body: { name: 'Far from the limit' } });
  elsewhere.name = 'Far from the limit';
});
afterAll(() => service?.close());

const placeOf = (project: { id: number; uuid: string; organization: string; api_token: string; name: string }): Place => ({
  id: project.id,
  uuid: project.uuid,
  organization: project.organization,
  token: project.api_token,
  name: project.name,
});

/** By their limits, as a user may have ten keys. */
const keys = new Map<string, string>();

async function keyWith(limits: { scoped_teams?: number[]; scoped_organizations?: string[] }): Promise<string> {
  const known = keys.get(JSON.stringify(limits));
  if (known !== undefined) return known;
  const body = { label: 'limited', scopes: ['*'], ...limits };
  const made = await service.call('POST', '/api/personal_api_keys/', { key: null, headers: session, body });
  expect(made.statusCode, made.body).toBe(201);
  keys.set(JSON.stringify(limits), made.json().value);
  return made.json().value;
}

/** Makes a place the one where the user is. */
const goTo = async ({ id }: Place) => {
  const moved = await service.call('PATCH', '/api/users/@me/', { key: null, headers: session, body: { set_current_team: id } });
  expect(moved.statusCode, moved.body).toBe(200);
};

/** The texts by which answers would give a place away. */
const secretsOf = ({ id, uuid, token, name }: Place) => [String(id), uuid, token, name];

/** Every GET route, asked for the place that the key reaches. */
const paths = (): string[] => {
  const known: Record<string, string[]> = {
    project_id: [String(inside.id), '@current'],
    organization_id: [inside.organization, '@current'],
    user_id: ['@me'],
    id: ['1', '@current', '@me'],
  };
  return routes
    .filter(({ method, url }) => method === 'GET' && !url.includes('logout'))
    .flatMap(({ url }) => {
      const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
      const most = Math.max(1, ...names.map((name) => known[name]?.length ?? 1));
      return Array.from({ length: most }, (_, i) =>
        url.replace('*', 'x').replace(/:(\w+)/g, (_, name: string) => known[name]?.at(i % (known[name]?.length ?? 1)) ?? '1'),
      );
    });
};

describe.each([
  ['the project', () => ({ scoped_teams: [inside.id] }), () => [beside, elsewhere], 'inside'],
  ['the project', () => ({ scoped_teams: [inside.id] }), () => [beside, elsewhere], 'beside'],
  ['the project', () => ({ scoped_teams: [inside.id] }), () => [beside, elsewhere], 'elsewhere'],
  ['the organization', () => ({ scoped_organizations: [inside.organization] }), () => [elsewhere], 'elsewhere'],
  [
    'the project and its organization',
    () => ({ scoped_teams: [inside.id], scoped_organizations: [inside.organization] }),
    () => [beside, elsewhere],
    'elsewhere',
  ],
] as const)('a key limited to %s', (_, limits, hidden, at) => {
  test(`it reads no other on any GET route, while its user is ${at}`, { timeout: 300_000 }, async () => {
    const key = await keyWith(limits());
    await goTo({ inside, beside, elsewhere }[at]);
    const all = paths();
    expect(all.length).toBeGreaterThan(150);
    let answered = 0;
    for (const path of all) {
      const { statusCode, body } = await service.call('GET', path, { key });
      const shown = hidden()
        .flatMap(secretsOf)
        .filter((secret) => body.includes(secret));
      expect({ path, shown }).toEqual({ path, shown: [] });
      expect(statusCode, `${path}: ${body}`).toBeLessThan(500);
      if (statusCode === 200) answered++;
    }
    expect(answered).toBeGreaterThan(60);
    const current = await service.call('GET', '/api/projects/@current/', { key });
    expect([current.statusCode, current.json().id]).toEqual([200, inside.id]);
    const me = (await service.call('GET', '/api/users/@me/', { key })).json();
    expect([me.team.id, me.organization.id, me.organizations.map(({ id }: { id: string }) => id)]).toEqual([
      inside.id,
      inside.organization,
      [inside.organization],
    ]);
  });

  test(`it changes no other, while its user is ${at}`, async () => {
    const key = await keyWith(limits());
    await goTo({ inside, beside, elsewhere }[at]);
    const where = async () => (await service.call('GET', '/api/users/@me/', { key: null, headers: session })).json().team.id;
    const before = await where();
    const set = (body: object) => service.call('PATCH', '/api/users/@me/', { key, body });
    for (const { id } of hidden()) {
      const refused = await set({ set_current_team: id });
      expect([refused.statusCode, refused.json()]).toMatchObject([400, { code: 'does_not_exist', attr: 'set_current_team' }]);
    }
    const foreign = await set({ set_current_organization: elsewhere.organization });
    expect([foreign.statusCode, foreign.json()]).toMatchObject([400, { attr: 'set_current_organization' }]);
    expect((await service.call('POST', '/api/organizations/', { key, body: { name: 'New' } })).statusCode).toBe(403);
    expect(await where()).toBe(before);
    expect((await set({ set_current_team: inside.id })).statusCode).toBe(200);
    expect(await where()).toBe(inside.id);
  });
});
