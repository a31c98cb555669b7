import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';

let app: AccountsApp;
let owner: Caller;
let member: { cookie: string };
let from: number;
let to: number;

beforeAll(async () => {
  app = await startAccountsApp();
  owner = { key: app.owner.key };
  member = await app.invite('member@example.com');
});
afterAll(() => app.close());
beforeEach(async () => {
  from = await newProject();
  to = await newProject();
});

const newProject = async (): Promise<number> => (await app.call(owner, 'POST', '/api/projects/', { name: 'P' })).json().id;
async function send(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown, who: Caller = owner) {
  const answer = await app.call(who, method, path, body);
  if (answer.statusCode < 300) return answer.json();
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, attr, detail];
}
const create = (project: number, fields: object) =>
  send('POST', `/api/projects/${project}/feature_flags/`, { key: 'a', ...fields });
const copy = (fields: object = {}, who: Caller = owner) =>
  send(
    'POST',
    '/api/organizations/@current/feature_flags/copy_flags/',
    { feature_flag_key: 'a', from_project: from, target_project_ids: [to], ...fields },
    who,
  );
const own = (project_id: number) => ({ project_id, created_at: new Date(0), updated_at: new Date(0) });

test('a copy creates the flag in the target project, or updates an existing one', async () => {
  const filters = { groups: [{ properties: [], rollout_percentage: 30 }], payloads: { true: '1' } };
  await create(from, { name: 'x', filters, tags: ['t'], active: false });
  const first = await copy({ target_project_ids: [to, to] });
  expect(first).toMatchObject({
    success: [{ project_id: to, key: 'a', name: 'x', filters, tags: ['t'], active: false, version: 1 }],
    failed: [],
  });
  expect(first.success[0].created_by.email).toBe('owner@example.com');
  await send('PATCH', `/api/projects/${from}/feature_flags/a/`, { name: 'y' });
  expect((await copy()).success).toMatchObject([{ id: first.success[0].id, name: 'y', version: 2 }]);
  expect((await send('GET', `/api/projects/${to}/feature_flags/a/activity/`)).count).toBe(2);
});

test('a copy has the same fields and gives people the same values as its original', async () => {
  const settings = { bucketing_identifier: 'device_id', evaluation_runtime: 'server', evaluation_contexts: ['shop'] };
  await create(from, settings);
  expect((await copy()).success).toMatchObject([settings]);
  await send('PATCH', `/api/projects/${from}/feature_flags/a/`, { bucketing_identifier: null, evaluation_runtime: 'all' });
  expect((await copy()).success).toMatchObject([{ bucketing_identifier: 'distinct_id', evaluation_runtime: 'all' }]);
});

test('a target project that does not exist or is not allowed fails, without affecting the others', async () => {
  await create(from, {});
  const closed = await newProject();
  await send('PUT', `/api/projects/${closed}/resource_access_controls/`, { resource: 'feature_flag', access_level: 'viewer' });
  const shut = await newProject();
  await send('PATCH', `/api/projects/${shut}/`, { access_control: true });
  const { success, failed } = await copy({ target_project_ids: [closed, 999_999, to, shut] }, member);
  expect(success.map(({ project_id }: { project_id: number }) => project_id)).toEqual([to]);
  expect(failed).toEqual([
    { project_id: closed, error_message: 'You do not have editor access to this resource.' },
    { project_id: 999_999, error_message: 'Project not found.' },
    { project_id: shut, error_message: "You don't have access to the project." },
  ]);
  expect((await send('GET', `/api/projects/${closed}/feature_flags/`)).count).toBe(0);
});

test('cohorts, flags and group types are found by name in the target project', async () => {
  const { db } = app.deps;
  const cohort = async (project: number, name: string) =>
    (
      await db
        .insertInto('cohorts')
        .values({ ...own(project), name })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id;
  const theirs = await cohort(from, 'Friends');
  await db
    .insertInto('group_types')
    .values([
      { project_id: from, group_type_index: 0, group_type: 'company', created_at: new Date(0) },
      { project_id: to, group_type_index: 0, group_type: 'team', created_at: new Date(0) },
      { project_id: to, group_type_index: 1, group_type: 'company', created_at: new Date(0) },
    ])
    .execute();
  const base = await create(from, { key: 'base' });
  const groups = (cohortId: number, flagId: number, index: number) => [
    { properties: [{ key: 'id', type: 'cohort', operator: 'in', value: cohortId }], rollout_percentage: 10 },
    { properties: [{ key: String(flagId), type: 'flag', operator: 'flag_evaluates_to', value: true }] },
    {
      properties: [{ key: 'plan', type: 'group', operator: 'exact', value: ['x'], group_type_index: index }],
      aggregation_group_type_index: index,
    },
  ];
  const made = await create(from, { filters: { groups: groups(theirs, base.id, 0) } });
  expect(made.key).toBe('a');
  const failure = async () => (await copy()).failed[0].error_message;
  expect(await failure()).toBe('The project has no cohort called Friends.');
  const ours = await cohort(to, 'Friends');
  expect(await failure()).toBe('The project has no feature flag with the key base.');
  const other = await create(to, { key: 'base' });
  expect((await copy()).success).toMatchObject([{ filters: { groups: groups(ours, other.id, 1) } }]);
});

test('missing and hidden flags are refused', async () => {
  expect(await copy()).toEqual([404, 'not_found', null, 'Feature flag to copy does not exist.']);
  const { id } = await create(from, {});
  expect(await copy({ from_project: 999_999 })).toEqual([404, 'not_found', null, 'Project not found.']);
  expect(await copy({ target_project_ids: 'x' })).toEqual([
    400,
    'not_a_list',
    'target_project_ids',
    'Expected a list of items but got type "str".',
  ]);
  expect((await copy({ feature_flag_key: undefined })).slice(1, 3)).toEqual(['required', 'feature_flag_key']);
  await send('PUT', `/api/projects/${from}/feature_flags/${id}/access_controls/`, { access_level: 'none' });
  expect(await copy({}, member)).toEqual([403, 'permission_denied', null, 'You do not have viewer access to this resource.']);
  const reads = await app.makeKey(app.owner.cookie, { scopes: ['feature_flag:read'] });
  expect((await copy({}, reads))[3]).toBe("API key missing required scope 'feature_flag:write'");
});
