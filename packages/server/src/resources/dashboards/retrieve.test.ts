import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let project: OwnProject;
beforeAll(async () => {
  app = await startAccountsApp();
});
beforeEach(async () => {
  project = await ownProject(app);
});
afterAll(() => app.close());

const make = async (fields: object = {}) => (await project.call('POST', 'dashboards/', fields)).json();

describe('spec 4.1 Retrieve', () => {
  test('200 with the full dashboard, the same as the response to its creation', async () => {
    const made = await make({ name: 'n', tags: ['a'], filters: { date_from: '-7d' } });
    const answer = await project.call('GET', `dashboards/${made.id}/`);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual(made);
  });

  test('a key needs dashboard:read', async () => {
    const { id } = await make();
    const { key } = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:write'] });
    expect((await project.call('GET', `dashboards/${id}/`, undefined, { key })).statusCode).toBe(200);
    const { key: other } = await app.makeKey(app.owner.cookie, { scopes: ['project:read'] });
    const refused = await project.call('GET', `dashboards/${id}/`, undefined, { key: other });
    expect([refused.statusCode, refused.json().detail]).toEqual([403, "API key missing required scope 'dashboard:read'"]);
  });

  test('a creator who no longer exists is null', async () => {
    const member = await app.invite(`gone${project.id}@example.com`);
    const { id } = (await project.call('POST', 'dashboards/', {}, member)).json();
    await app.deps.db.deleteFrom('users').where('uuid', '=', member.uuid).execute();
    expect((await project.call('GET', `dashboards/${id}/`)).json().created_by).toBeNull();
  });
});

describe('overrides', () => {
  const get = (id: number, query: Record<string, string>) =>
    project.call('GET', `dashboards/${id}/?${new URLSearchParams(query)}`);

  test('filters and variables of the query string override the stored ones in this response only', async () => {
    const variables = { v: { code_name: 'v', variableId: 'v', value: 1 } };
    const { id } = await make({ filters: { date_from: '-7d', properties: [] }, variables });
    const answer = await get(id, {
      filters_override: '{"date_from":"-1d","date_to":null}',
      variables_override: '{"v":{"value":2},"w":{"value":3}}',
    });
    expect(answer.json()).toMatchObject({
      filters: { date_from: '-1d', date_to: null, properties: [] },
      variables: { v: { code_name: 'v', variableId: 'v', value: 2 }, w: { value: 3 } },
    });
    expect((await get(id, {})).json()).toMatchObject({ filters: { date_from: '-7d', properties: [] }, variables });
    expect((await get(id, { filters_override: '', variables_override: '{}' })).json()).toMatchObject({ variables });
  });

  test('overrides that are not JSON objects: 400', async () => {
    const { id } = await make();
    for (const name of ['filters_override', 'variables_override']) {
      for (const value of ['{', 'x', '[]', '5', 'null']) {
        const answer = await get(id, { [name]: value });
        expect([answer.statusCode, answer.json()]).toEqual([
          400,
          { type: 'validation_error', code: 'invalid_input', detail: `Invalid JSON passed in ${name} parameter`, attr: name },
        ]);
      }
    }
  });

  test('any refresh parameter is accepted', async () => {
    const { id } = await make();
    for (const refresh of [
      'force_cache',
      'async',
      'blocking',
      'force_async',
      'force_blocking',
      'lazy_async',
      'true',
      'false',
      '',
    ]) {
      expect((await get(id, { refresh, format: 'json' })).statusCode).toBe(200);
    }
  });
});

test('a retrieval updates the time of the last access, at most once a minute', async () => {
  const { id } = await make();
  const look = async () => {
    await project.call('GET', `dashboards/${id}/`);
    const row = await app.deps.db.selectFrom('dashboards').select('last_accessed_at').where('id', '=', id).executeTakeFirst();
    return row?.last_accessed_at?.getTime() ?? 0;
  };
  const first = await look();
  expect(first).toBeGreaterThan(0);
  app.advance(50_000);
  expect(await look()).toBe(first);
  // a cached response of the last half minute is no new access
  app.advance(31_000);
  expect(await look()).toBeGreaterThanOrEqual(first + 61_000);
});
