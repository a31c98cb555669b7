import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';

let app: AccountsApp;
let member: { cookie: string; uuid: string };
beforeAll(async () => {
  app = await startAccountsApp();
  member = await app.invite('member@example.com');
});
afterAll(() => app.close());

const URL = '/api/projects/@current/dashboards/';
const ITEM_FIELDS = [
  'id',
  'name',
  'description',
  'pinned',
  'created_at',
  'created_by',
  'is_shared',
  'deleted',
  'creation_mode',
  'tags',
  'restriction_level',
  'effective_restriction_level',
  'effective_privilege_level',
  'user_access_level',
];

/** A project of its own for one test, and how to call its dashboards. */
async function project() {
  const made = await app.call(app.owner, 'POST', '/api/projects/', { name: 'Own' });
  const url = `/api/environments/${made.json().id}/dashboards/`;
  return {
    url,
    make: async (fields: object): Promise<number> => (await app.call(app.owner, 'POST', url, fields)).json().id,
    list: async (query = '', caller: { key?: string; cookie?: string } = app.owner) =>
      (await app.call(caller, 'GET', `${url}${query}`)).json(),
    names: async (query = ''): Promise<string[]> =>
      (await app.call(app.owner, 'GET', `${url}${query}`)).json().results.map(({ name }: { name: string }) => name),
  };
}

describe('spec 4.1 List', () => {
  test('200: an offset-paginated envelope of list items', async () => {
    const { url, make } = await project();
    const id = await make({ name: 'Numbers', description: 'Ours', pinned: true, tags: ['a'] });
    const answer = await app.call(app.owner, 'GET', url);
    expect(answer.statusCode).toBe(200);
    expect(Object.keys(answer.json())).toEqual(['count', 'next', 'previous', 'results']);
    expect(answer.json()).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id,
          name: 'Numbers',
          description: 'Ours',
          pinned: true,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/),
          created_by: expect.objectContaining({ email: 'owner@example.com', hedgehog_config: {}, is_email_verified: false }),
          is_shared: false,
          deleted: false,
          creation_mode: 'default',
          tags: ['a'],
          restriction_level: 21,
          effective_restriction_level: 21,
          effective_privilege_level: 37,
          user_access_level: 'manager',
        },
      ],
    });
    expect(Object.keys(answer.json().results[0])).toEqual(ITEM_FIELDS);
  });

  test('each item has the same values as its retrieval, for any texts', async () => {
    const { url, make, list } = await project();
    const odd = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('"', '\\', '\n\t\u0001', '\u2028', 'é😀', ',}'),
    );
    for (const [name, description, tag] of fc.sample(fc.tuple(odd, odd, odd), 40)) {
      await app.call(app.owner, 'POST', url, { name, description, tags: tag.trim() ? [tag] : [], pinned: name < description });
    }
    await make({ name: null });
    const { results } = await list();
    expect(results.length).toBeGreaterThan(20);
    for (const item of results) {
      const full = (await app.call(app.owner, 'GET', `${url}${item.id}/`)).json();
      expect(item).toEqual(Object.fromEntries(ITEM_FIELDS.map((field) => [field, full[field]])));
    }
  });

  test('limit and offset choose a page, which links to the pages around it', async () => {
    const { url, make, list } = await project();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await make({ name });
    const page = await list('?limit=2&offset=2&x=1');
    expect(page.count).toBe(5);
    expect(page.results.map(({ name }: { name: string }) => name)).toEqual(['c', 'd']);
    expect(page.next).toBe(`http://localhost${url}?limit=2&offset=4&x=1`);
    expect(page.previous).toBe(`http://localhost${url}?limit=2&x=1`);
    expect((await list('?limit=nonsense&offset=-1')).results).toHaveLength(5);
    expect((await list('?limit=0')).results).toHaveLength(5);
  });

  test('an offset beyond the end returns no results, and the count', async () => {
    const { make, list } = await project();
    await make({ name: 'only' });
    expect(await list('?offset=7')).toMatchObject({ count: 1, next: null, results: [] });
    expect((await list('?offset=7')).previous).not.toBeNull();
    expect(await list('?offset=99999999999&limit=99999999999')).toMatchObject({ count: 1, results: [] });
  });

  test('pinned dashboards come first, then the order is by name, dashboards without a name last, then by id', async () => {
    const { make, list } = await project();
    const ids: number[] = [];
    const plan = [{ name: 'b' }, {}, { name: 'a' }, { name: 'a' }, { name: 'z', pinned: true }, { name: null }];
    for (const fields of plan) ids.push(await make(fields));
    const [b, none, a1, a2, pinned, none2] = ids;
    expect((await list()).results.map(({ id }: { id: number }) => id)).toEqual([pinned, a1, a2, b, none, none2]);
  });

  test('deleted dashboards and those of other projects are missing', async () => {
    const [one, other] = [await project(), await project()];
    await other.make({ name: 'theirs' });
    const id = await one.make({ name: 'gone' });
    await app.call(app.owner, 'PATCH', `${one.url}${id}/`, { deleted: true });
    await one.make({ name: 'made deleted', deleted: true });
    expect(await one.list()).toMatchObject({ count: 0, results: [] });
  });

  test('a key needs dashboard:read, on both prefixes, with or without the trailing slash', async () => {
    const { key } = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:read'] });
    for (const path of ['/api/environments/@current/dashboards', URL]) {
      expect((await app.call({ key }, 'GET', path)).statusCode).toBe(200);
    }
    const { key: other } = await app.makeKey(app.owner.cookie, { scopes: ['insight:write'] });
    const refused = await app.call({ key: other }, 'GET', URL);
    expect(refused.statusCode).toBe(403);
    expect(refused.json().detail).toBe("API key missing required scope 'dashboard:read'");
    expect((await app.call({}, 'GET', URL)).statusCode).toBe(401);
  });
});

describe('filters of the list', () => {
  test('tags: any of them; search: part of name or description; creation_mode; exclude_generated', async () => {
    const { make, names } = await project();
    const first = await make({ name: 'First 100%', tags: ['One', 'two'] });
    await make({ name: 'Second', description: 'about first_things', tags: ['three'] });
    await make({ name: 'Generated Dashboard: my-flag Usage' });
    await make({ name: 'Copy', use_dashboard: first });
    expect(await names('?tags=one&tags=THREE')).toEqual(['First 100%', 'Second']);
    expect(await names('?tags=one,THREE')).toEqual(['First 100%', 'Second']);
    expect(await names('?tags=none')).toEqual([]);
    expect(await names('?search=FIRST')).toEqual(['First 100%', 'Second']);
    expect(await names('?search=100%25')).toEqual(['First 100%']);
    expect(await names('?search=_')).toEqual(['Second']);
    expect(await names('?creation_mode=duplicate')).toEqual(['Copy']);
    expect(await names('?exclude_generated=true')).toEqual(['Copy', 'First 100%', 'Second']);
    expect(await names('?unknown=1&search=&tags=&creation_mode=')).toHaveLength(4);
  });
});

describe('access rules', () => {
  test('a dashboard that is hidden from a member is missing in lists and is not found', async () => {
    const { url, make, list } = await project();
    const hidden = await make({ name: 'hidden' });
    await make({ name: 'open' });
    await app.call(app.owner, 'PUT', `${url}${hidden}/access_controls/`, { access_level: 'none' });
    const seen = await list('', member);
    expect(seen).toMatchObject({ count: 1, results: [{ name: 'open', user_access_level: 'editor' }] });
    expect((await list()).count).toBe(2);
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }]] as const) {
      const answer = await app.call(member, method, `${url}${hidden}/`, body);
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({
        code: 'permission_denied',
        detail: 'You do not have viewer access to this resource.',
      });
    }
  });

  test('a rule about all dashboards: a viewer lists but cannot create, and a member without access can do neither', async () => {
    const { url, make } = await project();
    const id = await make({ name: 'one' });
    const rules = url.replace('/dashboards/', '/resource_access_controls/');
    await app.call(app.owner, 'PUT', rules, { resource: 'dashboard', access_level: 'viewer' });
    expect((await app.call(member, 'GET', url)).statusCode).toBe(200);
    const refused = await app.call(member, 'POST', url, { name: 'x' });
    expect([refused.statusCode, refused.json().detail]).toEqual([403, 'You do not have editor access to this resource.']);
    expect((await app.call(member, 'PATCH', `${url}${id}/`, { name: 'x' })).statusCode).toBe(403);
    await app.call(app.owner, 'PUT', rules, { resource: 'dashboard', access_level: 'none' });
    expect((await app.call(member, 'GET', url)).statusCode).toBe(403);
    expect((await app.call(member, 'POST', url, {})).statusCode).toBe(403);
    expect((await app.call(app.owner, 'GET', url)).statusCode).toBe(200);
  });
});
