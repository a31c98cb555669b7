import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';

let it: AccountsApp;
beforeAll(async () => {
  it = await startAccountsApp({ openSignup: true });
});
afterAll(() => it.close());

/** Routes that look at a body, with the fields they know. Removal and log-out are left out: they would end the test. */
const WRITES: [method: 'POST' | 'PATCH', url: string, fields: string[]][] = [
  ['POST', '/api/signup/', ['first_name', 'email', 'password', 'organization_name']],
  ['POST', '/api/signup/00000000-0000-4000-8000-000000000000/', ['first_name', 'password']],
  ['PATCH', '/api/users/@me/', ['first_name', 'theme_mode', 'hedgehog_config', 'set_current_team', 'set_current_organization']],
  ['POST', '/api/organizations/', ['name']],
  ['PATCH', '/api/organizations/@current/', ['name']],
  ['POST', '/api/organizations/@current/invites/', ['target_email', 'level', 'message', 'private_project_access']],
  ['POST', '/api/organizations/@current/invites/bulk/', ['target_email']],
  ['PATCH', '/api/organizations/@current/members/@me/', ['level', 'is_active']],
  ['POST', '/api/projects/', ['name', 'timezone', 'api_token', 'access_control']],
  [
    'PATCH',
    '/api/projects/@current/',
    ['name', 'timezone', 'app_urls', 'test_account_filters', 'has_completed_onboarding_for', 'primary_dashboard'],
  ],
  ['POST', '/api/personal_api_keys/', ['label', 'scopes', 'scoped_teams', 'scoped_organizations']],
];

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\0', '\ud800', '{"', '1e400', 2 ** 31, -(2 ** 31) - 1, 1e308, [[]], [{}], { a: '\u0000' }, 'x'.repeat(70_000)),
);

test('no request body causes a 500', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...WRITES).chain(([method, url, fields]) =>
        fc.record({
          method: fc.constant(method),
          url: fc.constant(url),
          body: fc.oneof(
            { weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...fields), value).map((body) => JSON.stringify(body)) },
            { weight: 1, arbitrary: fc.json() },
            { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
          ),
        }),
      ),
      async ({ method, url, body }) => {
        // the log-in, not the key, may reach every route
        const answer = await it.call({ cookie: it.owner.cookie }, method, url, body);
        expect([answer.statusCode, answer.body]).toEqual([expect.toSatisfy((status) => status < 500), expect.any(String)]);
      },
    ),
    { numRuns: 200 },
  );
});

test('deep, wide and truncated bodies get the status for their fault', async () => {
  const deep = `{"hedgehog_config":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  const wide = JSON.stringify({ hedgehog_config: Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n])) });
  for (const body of [deep, '{"first_name":', '\xff', '[]', 'null', '7']) {
    const answer = await it.call(it.owner, 'PATCH', '/api/users/@me/', body);
    expect([body.slice(0, 30), answer.statusCode]).toEqual([body.slice(0, 30), 400]);
  }
  expect((await it.call(it.owner, 'PATCH', '/api/users/@me/', wide)).statusCode).toBe(413);
  const text = await it.call(it.owner, 'PATCH', '/api/users/@me/', 'x', { 'content-type': 'text/plain' });
  expect([text.statusCode, text.json()]).toEqual([
    415,
    {
      type: 'invalid_request',
      code: 'unsupported_media_type',
      detail: 'Unsupported media type "text/plain" in request.',
      attr: null,
    },
  ]);
});

test.each([
  '/api/users/',
  '/api/personal_api_keys/',
  '/api/projects/',
  '/api/organizations/',
  '/api/organizations/@current/members/',
  '/api/signup/',
])('no path segment below %s causes a 500', async (prefix) => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), async (segment) => {
      const answer = await it.call({ cookie: it.owner.cookie }, 'GET', `${prefix}${encodeURIComponent(segment)}/`);
      expect(answer.statusCode).toBeLessThan(500);
    }),
    { numRuns: 40 },
  );
});
