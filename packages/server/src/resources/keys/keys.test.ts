import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';

const URL = '/api/personal_api_keys/';
let it: AccountsApp;
let session: { cookie: string };
beforeAll(async () => {
  it = await startAccountsApp();
  session = { cookie: it.owner.cookie };
});
afterAll(() => it.close());

test('a key is shown once, authenticates, and can be rolled and deleted', async () => {
  const made = await it.call(session, 'POST', URL, {
    label: 'ci',
    scopes: ['user:read', 'user:read'],
    scoped_teams: [],
    scoped_organizations: [],
  });
  expect(made.statusCode).toBe(201);
  const { id, value } = made.json();
  expect(made.json()).toEqual({
    id: expect.any(String),
    label: 'ci',
    value: expect.stringMatching(/^tms_[\w-]{43}$/),
    mask_value: `tms_...${value.slice(-4)}`,
    created_at: expect.any(String),
    last_used_at: null,
    user_id: 1,
    scopes: ['user:read'],
    scoped_teams: [],
    scoped_organizations: [],
  });
  expect((await it.call({ key: value }, 'GET', '/api/users/@me/')).statusCode).toBe(200);
  const list = (await it.call(session, 'GET', URL)).json();
  expect(list.map((one: { id: string; value: null }) => [one.id, one.value])[0]).toEqual([id, null]);
  const self = (await it.call({ key: value }, 'GET', `${URL}@current/`)).json();
  expect(self).toMatchObject({ id, value: null, last_used_at: expect.any(String) });
  expect((await it.call({ key: value }, 'GET', `${URL}${id}/`)).json().id).toBe(id);
  expect((await it.call(session, 'GET', `${URL}@current/`)).statusCode).toBe(404);
  expect((await it.call({ key: it.owner.key }, 'GET', `${URL}${id}/`)).statusCode).toBe(403);

  expect((await it.call(session, 'PATCH', `${URL}${id}/`, { label: 'new', value: 'x' })).json()).toMatchObject({
    label: 'new',
    value: null,
    scopes: ['user:read'],
  });
  const rolled = (await it.call(session, 'POST', `${URL}${id}/roll/`)).json();
  expect(rolled.value).not.toBe(value);
  expect((await it.call({ key: value }, 'GET', '/api/users/@me/')).statusCode).toBe(401);
  expect((await it.call({ key: rolled.value }, 'GET', '/api/users/@me/')).statusCode).toBe(200);
  expect((await it.call(session, 'DELETE', `${URL}${id}/`)).statusCode).toBe(204);
  expect((await it.call({ key: rolled.value }, 'GET', '/api/users/@me/')).statusCode).toBe(401);
  expect((await it.call(session, 'DELETE', `${URL}${id}/`)).statusCode).toBe(404);
  expect((await it.call(session, 'GET', `${URL}%00/`)).statusCode).toBe(404);
});

test('keys cannot create or change keys, not even with scope *', async () => {
  const by = { key: it.owner.key };
  const refusal = {
    type: 'authentication_error',
    code: 'permission_denied',
    detail: 'This action does not support personal API key access',
    attr: null,
  };
  for (const [method, url] of [
    ['POST', URL],
    ['GET', URL],
    ['PATCH', `${URL}@current/`],
    ['DELETE', `${URL}@current/`],
    ['POST', `${URL}@current/roll/`],
  ] as const) {
    const answer = await it.call(by, method, url);
    expect([answer.statusCode, answer.json()]).toEqual([403, refusal]);
  }
});

test.each([
  [{}, 'label', 'required', 'This field is required.'],
  [{ label: 'x'.repeat(41) }, 'label', 'max_length', 'Ensure this field has no more than 40 characters.'],
  [{ label: '  ' }, 'label', 'blank', 'This field may not be blank.'],
  [{ label: 'x' }, 'scopes', 'required', 'This field is required.'],
  [{ label: 'x', scopes: 'user:read' }, 'scopes', 'not_a_list', 'Expected a list of items but got type "str".'],
  [{ label: 'x', scopes: ['user:read', 'nope:read'] }, 'scopes', 'invalid_input', 'Invalid scope: nope:read'],
  [{ label: 'x', scopes: [7] }, 'scopes', 'invalid_input', 'Invalid scope: 7'],
  [
    { label: 'x', scopes: ['*'], scoped_teams: [424242] },
    'scoped_teams',
    'invalid_input',
    'You must be a member of all teams that you are scoping the key to.',
  ],
  [
    { label: 'x', scopes: ['*'], scoped_organizations: ['00000000-0000-4000-8000-000000000000'] },
    'scoped_organizations',
    'invalid_input',
    'You must be a member of all organizations that you are scoping the key to.',
  ],
])('%j is refused', async (body, attr, code, detail) => {
  const answer = await it.call(session, 'POST', URL, body);
  expect([answer.statusCode, answer.json()]).toEqual([400, { type: 'validation_error', code, detail, attr }]);
});

test('an empty list of scopes is refused, for a new and an existing key', async () => {
  const made = await it.call(session, 'POST', URL, { label: 'narrow', scopes: ['insight:read'] });
  const { id } = made.json();
  for (const answer of [
    await it.call(session, 'POST', URL, { label: 'old client', scopes: [] }),
    await it.call(session, 'PATCH', `${URL}${id}/`, { scopes: [] }),
  ]) {
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'invalid_input',
        detail: 'This list may not be empty. Use "*" for a key that may do everything.',
        attr: 'scopes',
      },
    ]);
  }
  const keys = (await it.call(session, 'GET', URL)).json();
  expect(keys.filter(({ label }: { label: string }) => label === 'old client')).toEqual([]);
  expect(keys.find((key: { id: string }) => key.id === id).scopes).toEqual(['insight:read']);
});

test('a user has at most ten keys, also with concurrent requests', async () => {
  const member = await it.invite('collector@example.com');
  const answers = await Promise.all(
    Array.from({ length: 14 }, (_, n) => it.call({ cookie: member.cookie }, 'POST', URL, { label: `${n}`, scopes: ['*'] })),
  );
  expect(answers.filter((one) => one.statusCode === 201)).toHaveLength(10);
  expect(answers.find((one) => one.statusCode !== 201)?.json()).toEqual({
    type: 'validation_error',
    code: 'invalid_input',
    detail: 'You can only have 10 personal API keys. Remove an existing key before creating a new one.',
    attr: null,
  });
  expect((await it.call({ cookie: member.cookie }, 'GET', URL)).json()).toHaveLength(10);
});
