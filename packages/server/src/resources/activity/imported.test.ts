import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let project: OwnProject;
let flag: string;
beforeAll(async () => {
  app = await startAccountsApp();
});
beforeEach(async () => {
  project = await ownProject(app);
  const made = await project.call('POST', 'feature_flags/', { key: 'new-cart' });
  flag = `feature_flags/${made.json().id}/activity/`;
});
afterAll(() => app?.close());

const changed = { action: 'changed', field: 'active', before: false, after: true };
const entry = (fields: object = {}) => ({
  id: 'a1',
  author: 'ada@elsewhere.example',
  activity: 'updated',
  created_at: '2024-05-01T10:00:00Z',
  name: 'cart',
  changes: [changed],
  ...fields,
});
const put = (entries: object[], caller?: Parameters<OwnProject['call']>[3]) => project.call('POST', flag, { entries }, caller);
const log = async () => (await project.call('GET', flag)).json().results;

test('entries of another service have no user, but an author as text, and who imported them when', async () => {
  const created = entry({ id: 'a0', activity: 'created', created_at: '2023-01-01T00:00:00Z', author: null, changes: [] });
  expect((await put([entry(), created])).json()).toEqual({ imported: 2, present: 0 });
  // again, and with one more
  expect((await put([entry(), created, entry({ id: 'a2', created_at: '2024-06-01T00:00:00Z' })])).json()).toEqual({
    imported: 1,
    present: 2,
  });
  const [here, third, second, first, ...others] = await log();
  expect(others).toEqual([]);
  // what happened here stays what it is
  expect(here).toMatchObject({ activity: 'created', user: { email: 'owner@example.com' } });
  expect(here).not.toHaveProperty('imported');
  expect(third.created_at).toMatch(/^2024-06-01T00:00:00/);
  expect(second).toMatchObject({
    user: null,
    activity: 'updated',
    scope: 'FeatureFlag',
    created_at: expect.stringMatching(/^2024-05-01T10:00:00/),
    detail: { name: 'cart', changes: [{ type: 'FeatureFlag', ...changed }] },
    imported: {
      author: 'ada@elsewhere.example',
      by: { email: 'owner@example.com' },
      at: expect.stringMatching(/^20\d\d-.*Z$/),
    },
  });
  expect(first).toMatchObject({ activity: 'created', imported: { author: null } });
  // the log of the project has them, too, and nothing of what the importing user did is about them
  const { results } = (await project.call('GET', 'activity_log/?scope=FeatureFlag')).json();
  expect(results).toHaveLength(4);
  const { uuid } = (await app.call(app.owner, 'GET', '/api/users/@me/')).json();
  expect((await project.call('GET', `activity_log/?scope=FeatureFlag&user=${uuid}`)).json().count).toBe(1);
});

test('secrets and long values are stored as those of changes here', async () => {
  const changes = [
    { action: 'changed', field: 'access_token', before: 'a', after: 'b' },
    { action: 'changed', field: 'filters', before: null, after: 'x'.repeat(60_000) },
  ];
  await put([entry({ changes })]);
  const [, { detail }] = await log();
  expect(detail.changes).toMatchObject([
    { before: null, after: null },
    { before: null, after: '(60002 characters)' },
  ]);
});

test.each([
  [{ id: undefined }, 'required', 'entries__0__id'],
  [{ created_at: 'soon' }, 'invalid_input', 'entries__0__created_at'],
  [{ changes: [{ ...changed, action: 'eaten' }] }, 'invalid_choice', 'entries__0__changes__0__action'],
  [{ user: 'owner@example.com' }, 'invalid_input', 'entries__0__user'],
])('%j is refused', async (fields, code, attr) => {
  const answer = await put([entry(fields)]);
  expect([answer.statusCode, answer.json()]).toEqual([400, expect.objectContaining({ code, attr })]);
  expect(await log()).toHaveLength(1);
});

test('only administrators of the project import entries, by keys with the scope', async () => {
  const member = await app.invite(`member-${Date.now()}@example.com`);
  expect((await put([entry()], { cookie: member.cookie })).statusCode).toBe(403);
  const admin = await app.invite(`admin-${Date.now()}@example.com`, 8);
  expect((await put([entry()], { cookie: admin.cookie })).statusCode).toBe(200);
  const reads = await app.makeKey(app.owner.cookie, { scopes: ['activity_log:read', 'feature_flag:write'] });
  expect((await put([entry()], reads)).statusCode).toBe(403);
  expect((await project.call('POST', 'feature_flags/999999/activity/', { entries: [] })).statusCode).toBe(404);
});
