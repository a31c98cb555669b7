import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let member: Caller;
let project: OwnProject;
beforeAll(async () => {
  app = await startAccountsApp();
  member = await app.invite('member@example.com');
});
beforeEach(async () => {
  project = await ownProject(app);
});
afterAll(() => app.close());

const create = (body: unknown, caller?: Caller) => project.call('POST', 'insight_variables/', body, caller);
const made = async (body: object) => {
  const answer = await create(body);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
};
const refused = async (body: unknown) => {
  const answer = await create(body);
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, detail, attr];
};

test('a variable is made, read, changed and deleted, and all of it is in the activity log', async () => {
  const variable = await made({ name: 'Home Country!', type: 'List', values: ['DE', 'FR'], default_value: 'DE' });
  expect(variable).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Home Country!',
    type: 'List',
    default_value: 'DE',
    created_by: expect.any(Number),
    created_at: expect.stringMatching(/Z$/),
    code_name: 'home_country',
    values: ['DE', 'FR'],
  });
  const path = `insight_variables/${variable.id}/`;
  expect((await project.call('GET', path)).json()).toEqual(variable);
  const changed = await project.call('PATCH', path, { name: 'Market', default_value: 'FR' });
  // the code name stays: questions name it
  expect(changed.json()).toEqual({ ...variable, name: 'Market', default_value: 'FR' });
  expect((await project.call('PATCH', path, changed.json())).json()).toEqual(changed.json());
  expect((await project.call('GET', 'insight_variables/')).json()).toMatchObject({ count: 1, results: [changed.json()] });
  expect((await project.call('DELETE', path)).statusCode).toBe(204);
  expect((await project.call('GET', path)).statusCode).toBe(404);
  expect((await project.call('PATCH', path, { name: 'x' })).statusCode).toBe(404);
  const log = (await project.call('GET', 'activity_log/?scope=InsightVariable')).json().results;
  expect(log.map(({ activity }: { activity: string }) => activity)).toEqual(
    expect.arrayContaining(['created', 'updated', 'deleted']),
  );
});

test.each([
  ['String', 'x', 5],
  ['Number', 1.5, '1.5'],
  ['Boolean', false, 'false'],
  ['Date', '2026-01-31', '31.1.2026'],
  ['Date', '2026-01-31T10:00:00Z', '2026-13-31'],
])('a default of a %s is of its type', async (type, fits, fitsNot) => {
  expect(await made({ name: 'a', type, default_value: fits })).toMatchObject({ type, default_value: fits, values: null });
  expect(await refused({ name: 'b', type, default_value: fitsNot })).toEqual([
    400,
    'invalid_input',
    expect.stringContaining('Expected'),
    'default_value',
  ]);
  expect(await made({ name: 'c', type, default_value: null })).toMatchObject({ default_value: null });
});

test('a new type forgets values and default of the one before', async () => {
  const { id } = await made({ name: 'a', type: 'List', values: ['x'], default_value: 'x' });
  const changed = (await project.call('PATCH', `insight_variables/${id}/`, { type: 'Number' })).json();
  expect(changed).toMatchObject({ type: 'Number', default_value: null, values: null });
});

test.each([
  [{ type: 'String' }, ['required', 'This field is required.', 'name']],
  [{ name: 'a' }, ['required', 'This field is required.', 'type']],
  [{ name: 'a', type: 'Text' }, ['invalid_choice', '"Text" is not a valid choice.', 'type']],
  [{ name: '!?', type: 'String' }, ['invalid_input', 'The name needs a letter from a to z or a digit.', 'name']],
  [{ name: 'a', type: 'List' }, ['invalid_input', 'A list needs at least one value.', 'values']],
  [
    { name: 'a', type: 'List', values: ['x'], default_value: 'y' },
    ['invalid_input', 'Expected one of the values.', 'default_value'],
  ],
  [{ name: 'a', type: 'String', values: ['x'] }, ['invalid_input', 'Only a list has values.', 'values']],
  [
    { name: 'a', type: 'String', default_value: {} },
    ['invalid_input', 'Expected a text, a number or a boolean.', 'default_value'],
  ],
  [{ name: 'a', type: 'List', values: Array(101).fill('x') }, ['invalid_input', 'A list may have 100 values.', 'values']],
])('%j is refused', async (body, [code, detail, attr]) => {
  expect(await refused(body)).toEqual([400, code, detail, attr]);
});

test('a code name is used once in a project, and in each project anew', async () => {
  await made({ name: 'Plan', type: 'String' });
  expect(await refused({ name: 'plan', type: 'Number' })).toEqual([
    400,
    'invalid_input',
    'Variable with name already exists',
    'name',
  ]);
  expect(await made({ name: '2nd plan', type: 'String' })).toMatchObject({ code_name: '_2nd_plan' });
  const found = (await project.call('GET', 'insight_variables/?code_name=plan')).json();
  expect(found).toMatchObject({ count: 1, results: [{ name: 'Plan' }] });
  project = await ownProject(app);
  await made({ name: 'Plan', type: 'String' });
});

describe('access', () => {
  test('scopes and access rules of insights decide', async () => {
    const { id } = await made({ name: 'a', type: 'String' });
    const path = `insight_variables/${id}/`;
    const reads = await app.makeKey(app.owner.cookie, { scopes: ['insight:read'] });
    expect((await project.call('GET', path, undefined, reads)).statusCode).toBe(200);
    expect((await project.call('PATCH', path, { name: 'b' }, reads)).statusCode).toBe(403);
    const other = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:write'] });
    expect((await project.call('GET', 'insight_variables/', undefined, other)).statusCode).toBe(403);
    await project.call('PUT', 'resource_access_controls/', { resource: 'insight', access_level: 'viewer' });
    const as = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', to: string, body?: object) =>
      (await project.call(method, to, body, { cookie: member.cookie ?? '' })).statusCode;
    expect(await as('GET', path)).toBe(200);
    expect(await as('POST', 'insight_variables/', { name: 'c', type: 'String' })).toBe(403);
    expect(await as('PATCH', path, { name: 'c' })).toBe(403);
    expect(await as('DELETE', path)).toBe(403);
    await project.call('PUT', 'resource_access_controls/', { resource: 'insight', access_level: 'none' });
    expect([await as('GET', path), await as('GET', 'insight_variables/')]).toEqual([403, 403]);
  });

  test('a variable of another project is not found', async () => {
    const { id } = await made({ name: 'a', type: 'String' });
    const other = await ownProject(app);
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      expect(
        (await other.call(method, `insight_variables/${id}/`, method === 'PATCH' ? { name: 'b' } : undefined)).statusCode,
      ).toBe(404);
    }
    expect((await other.call('GET', 'insight_variables/')).json().count).toBe(0);
    expect((await project.call('GET', 'insight_variables/no-uuid/')).statusCode).toBe(404);
  });
});
