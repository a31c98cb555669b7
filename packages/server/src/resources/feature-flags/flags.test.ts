import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';

let app: AccountsApp;
let owner: Caller;
let project: string;
let round = 0;

beforeAll(async () => {
  app = await startAccountsApp();
  owner = { key: app.owner.key };
});
afterAll(() => app.close());
beforeEach(async () => {
  round += 1;
  project = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: `P${round}` })).json().id}`;
});

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
async function send(method: Method, path: string, body?: unknown, who: Caller = owner) {
  const answer = await app.call(who, method, `${project}${path}`, body);
  if (answer.statusCode < 300) return answer.body === '' ? null : answer.json();
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, attr, detail];
}
const create = (fields: object = {}) => send('POST', '/feature_flags/', { key: 'a', ...fields });
const patch = (id: number | string, fields: object) => send('PATCH', `/feature_flags/${id}/`, fields);
const get = (id: number | string) => send('GET', `/feature_flags/${id}/`);
const list = async (query: string): Promise<string[]> =>
  (await send('GET', `/feature_flags/?${query}`)).results.map(({ key }: { key: string }) => key);
const group = (properties: object[] = [], rollout_percentage: number | null = 100) => ({ properties, rollout_percentage });
const needs = (flag: { id: number }) => ({
  groups: [group([{ key: String(flag.id), type: 'flag', operator: 'flag_evaluates_to', value: true }])],
});
const NOT_FOUND = [404, 'not_found', null, 'Not found.'];

describe('fields of a flag (fact 13.7)', () => {
  test('a flag created with only a key is on for everybody, and its response has every field', async () => {
    const flag = await create();
    expect(flag).toMatchObject({
      key: 'a',
      name: '',
      filters: { groups: [{ properties: [], rollout_percentage: null }] },
      deleted: false,
      active: true,
      ensure_experience_continuity: false,
      bucketing_identifier: 'distinct_id',
      evaluation_runtime: 'all',
      evaluation_contexts: [],
      is_remote_configuration: false,
      has_encrypted_payloads: false,
      has_enriched_analytics: false,
      tags: [],
      usage_dashboard: null,
      analytics_dashboards: [],
      version: 1,
      created_by: { email: 'owner@example.com' },
      last_modified_by: { email: 'owner@example.com' },
      last_called_at: null,
      is_simple_flag: true,
      rollout_percentage: 100,
      experiment_set: [],
      surveys: [],
      features: [],
      can_edit: true,
      user_access_level: 'manager',
      status: 'ACTIVE',
    });
    expect(Object.keys(flag)).toHaveLength(30);
    expect(await get(flag.id)).toEqual(flag);
    expect(await get('a')).toEqual(flag);
  });

  test('a response has the values that were sent', async () => {
    const { id: board } = await send('POST', '/dashboards/', { name: 'D' });
    const fields = {
      key: 'B-1_x',
      name: 'For some',
      filters: {
        groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }], rollout_percentage: 12.5 }],
        multivariate: {
          variants: [
            { key: 'control', rollout_percentage: 50 },
            { key: 'test', rollout_percentage: 50 },
          ],
        },
        payloads: { test: '{"a":1}' },
      },
      active: false,
      ensure_experience_continuity: true,
      bucketing_identifier: 'device_id',
      evaluation_runtime: 'server',
      evaluation_contexts: ['docs'],
      is_remote_configuration: true,
      has_encrypted_payloads: true,
      has_enriched_analytics: true,
      analytics_dashboards: [board],
    };
    const flag = await create({ ...fields, tags: [' Shop ', 'shop', 'new'], can_edit: false, version: 7 });
    expect(flag).toMatchObject({ ...fields, tags: ['shop', 'new'], version: 1, can_edit: true, status: 'INACTIVE' });
    expect([flag.is_simple_flag, flag.rollout_percentage]).toEqual([false, null]);
  });

  test.each([
    ['a percentage', { groups: [group([], 20)] }, true, 20],
    ['no percentage', { groups: [{}] }, true, 100],
    ['two conditions', { groups: [group(), group()] }, false, null],
    ['groups', { groups: [group()], aggregation_group_type_index: 0 }, false, null],
    ['no condition', { groups: [] }, false, null],
    ['properties', { groups: [group([{ key: 'x', type: 'person', value: '1' }])] }, false, null],
  ])('is_simple_flag and rollout_percentage: %s', async (_, filters, isSimple, percentage) => {
    await app.deps.db
      .insertInto('group_types')
      .values({
        project_id: Number(project.split('/').at(-1)),
        group_type_index: 0,
        group_type: 'company',
        created_at: new Date(0),
      })
      .execute();
    const flag = await create({ filters });
    expect([flag.is_simple_flag, flag.rollout_percentage]).toEqual([isSimple, percentage]);
  });

  test('a response has the experiments and early access features of the flag', async () => {
    const { id } = await create();
    const { db, ids } = app.deps;
    const [project_id, at] = [Number(project.split('/').at(-1)), new Date(0)];
    const experiment = { project_id, feature_flag_id: id, name: 'Old button', created_at: at, updated_at: at };
    const [one] = await db
      .insertInto('experiments')
      .values([experiment, { ...experiment, deleted: true }])
      .returning('id')
      .execute();
    const feature = {
      id: ids.uuid(),
      project_id,
      feature_flag_id: id,
      name: 'Beta',
      stage: 'beta',
      created_at: at,
      updated_at: at,
    };
    await db.insertInto('early_access_features').values(feature).execute();
    const shown = {
      id: feature.id,
      name: 'Beta',
      description: '',
      stage: 'beta',
      documentationUrl: '',
      payload: {},
      flagKey: 'a',
    };
    expect(await get(id)).toMatchObject({ experiment_set: [one?.id], features: [shown] });
    expect(await list('search=OLD')).toEqual(['a']);
    expect(await list('type=experiment')).toEqual(['a']);
    expect(await patch(id, { deleted: true })).toEqual([
      400,
      'invalid_input',
      null,
      'Cannot delete a feature flag that is in use with early access features. Please delete the early access feature before deleting the flag.',
    ]);
    await db.deleteFrom('early_access_features').execute();
    await db.updateTable('experiments').set({ start_date: at }).where('feature_flag_id', '=', id).execute();
    expect((await patch(id, { deleted: true }))[3]).toContain(
      `a running experiment uses. Please end the experiment before: ${one?.id}.`,
    );
  });
});

describe('keys of flags', () => {
  test('keys are unique among the flags of a project that are not deleted', async () => {
    const taken = [400, 'unique', 'key', 'There is already a feature flag with this key.'];
    const first = await create();
    expect(await create()).toEqual(taken);
    const other = await create({ key: 'b' });
    expect(await patch(other.id, { key: 'a' })).toEqual(taken);
    expect((await patch(first.id, { key: 'a', deleted: true })).deleted).toBe(true);
    const second = await create();
    expect(second.id).not.toBe(first.id);
    expect(await patch(first.id, { deleted: false })).toEqual(taken);
    expect((await get('a')).id).toBe(second.id);
    expect((await patch(first.id, { deleted: false, key: 'c' })).key).toBe('c');
  });

  test.each([
    ['', 'blank', 'This field may not be blank.'],
    [null, 'null', 'This field may not be null.'],
    [undefined, 'required', 'This field is required.'],
    [['a'], 'invalid_input', 'Not a valid string.'],
    ['a b', 'invalid_key', 'Only letters, numbers, hyphens (-) & underscores (_) are allowed.'],
    ['é', 'invalid_key', 'Only letters, numbers, hyphens (-) & underscores (_) are allowed.'],
    ['a'.repeat(401), 'max_length', 'Ensure this field has no more than 400 characters.'],
  ])('%j is refused', async (key, code, detail) => {
    expect(await create({ key })).toEqual([400, code, 'key', detail]);
  });

  test('of two concurrent requests with the same key, one succeeds', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create()));
    expect(answers.filter((answer) => !Array.isArray(answer))).toHaveLength(1);
    expect(answers.filter(Array.isArray)).toEqual(
      Array.from({ length: 7 }, () => [400, 'unique', 'key', 'There is already a feature flag with this key.']),
    );
  });

  test('keys that are numbers find their flag unless another flag has the number', async () => {
    const { id } = await create({ key: '2000000000' });
    expect((await get('2000000000')).id).toBe(id);
  });
});

describe('updates of flags', () => {
  test('filters without groups do not change the conditions', async () => {
    const { id } = await create({ filters: { groups: [group([], 10)], payloads: { true: '1' } } });
    expect((await patch(id, { filters: { payloads: { true: '2' } } })).filters).toEqual({
      groups: [group([], 10)],
      payloads: { true: '2' },
    });
    expect((await patch(id, { name: 'x' })).filters.payloads).toEqual({ true: '2' });
    expect(await patch(id, { filters: [] })).toEqual([400, 'invalid_input', 'filters', 'Filters must be a dictionary.']);
  });

  test('PUT works as PATCH, and DELETE is not allowed', async () => {
    const { id } = await create();
    expect((await send('PUT', `/feature_flags/${id}/`, { name: 'x' })).name).toBe('x');
    expect(await send('DELETE', `/feature_flags/${id}/`)).toEqual([
      405,
      'method_not_allowed',
      null,
      'Method "DELETE" not allowed.',
    ]);
  });

  test('a deleted flag is not listed, is found by its number, and can only be restored', async () => {
    const { id } = await create();
    expect(await patch(id, { deleted: true })).toMatchObject({ deleted: true, status: 'DELETED' });
    expect(await list('')).toEqual([]);
    expect(await get('a')).toEqual(NOT_FOUND);
    expect((await get(id)).status).toBe('DELETED');
    expect(await patch(id, { name: 'x' })).toEqual(NOT_FOUND);
    expect(await patch(id, { deleted: true })).toEqual(NOT_FOUND);
    expect(await patch(id, { deleted: false, name: 'x' })).toMatchObject({ deleted: false, name: 'x', version: 3 });
  });

  test('an analytics dashboard must exist', async () => {
    const { id } = await create();
    const missing = (length: number) => patch(id, { analytics_dashboards: Array.from({ length }, (_, n) => 999_999 + n) });
    const refusal = [400, 'does_not_exist', 'analytics_dashboards', 'Invalid pk "999999" - object does not exist.'];
    // 70,000 are more than a statement may have parameters
    for (const length of [1, 70_000]) expect(await missing(length)).toEqual(refusal);
  });
});

describe('versions of flags', () => {
  test('every change adds a version, and all versions can be retrieved', async () => {
    const { id } = await create({ name: 'one' });
    expect((await patch(id, { name: 'two' })).version).toBe(2);
    expect((await patch(id, { name: 'two' })).version).toBe(2);
    const all = await send('GET', `/feature_flags/${id}/versions/?limit=1`);
    expect([all.count, all.results]).toMatchObject([
      2,
      [{ version: 2, is_current: true, created_by: { email: 'owner@example.com' } }],
    ]);
    expect(all.next).toContain('offset=1');
    expect(await send('GET', '/feature_flags/a/versions/1/')).toMatchObject({
      version: 1,
      is_current: false,
      flag: { name: 'one', key: 'a' },
    });
    for (const version of ['3', '0', 'x'])
      expect(await send('GET', `/feature_flags/${id}/versions/${version}/`)).toEqual(NOT_FOUND);
  });

  test('a change of an old version is a conflict unless other fields have changed since', async () => {
    const flag = await create({ name: 'one' });
    await patch(flag.id, { name: 'two' });
    const conflict = [
      409,
      'conflict',
      'version',
      'The feature flag was updated by owner@example.com since you started editing it: it has version 2 now. Please refresh and try again.',
    ];
    expect(await patch(flag.id, { name: 'three', version: 1 })).toEqual(conflict);
    expect(await patch(flag.id, { active: false, version: 1 })).toEqual(conflict);
    expect(await patch(flag.id, { name: 'three', version: 1, original_flag: flag })).toEqual(conflict);
    expect(await patch(flag.id, { active: false, version: 1, original_flag: flag })).toMatchObject({ version: 3, name: 'two' });
    expect((await patch(flag.id, { name: 'three', version: 3 })).version).toBe(4);
    expect(await patch(flag.id, { version: 'x' })).toEqual([400, 'invalid_input', 'version', 'A valid integer is required.']);
  });

  test('of many concurrent changes of the same version, one succeeds', async () => {
    const { id } = await create();
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => patch(id, { name: `n${n}`, version: 1 })));
    expect(answers.filter((answer) => !Array.isArray(answer))).toHaveLength(1);
    expect(new Set(answers.filter(Array.isArray).map(([status]) => status))).toEqual(new Set([409]));
  });
});

describe('dependencies between flags', () => {
  test('a flag that others depend on cannot be deleted or switched off', async () => {
    const base = await create();
    const dependent = await create({ key: 'b', filters: needs(base) });
    expect(await patch(base.id, { deleted: true })).toEqual([
      400,
      'invalid_input',
      null,
      `Cannot delete this feature flag because other flags depend on it: b (ID: ${dependent.id}).`,
    ]);
    expect((await patch(base.id, { active: false }))[3]).toBe(
      `Cannot disable this feature flag because other active flags depend on it: b (ID: ${dependent.id}).`,
    );
    expect(await send('GET', '/feature_flags/a/dependent_flags/')).toEqual([
      { id: dependent.id, key: 'b', name: '', active: true },
    ]);
    await patch(dependent.id, { active: false });
    expect((await patch(base.id, { active: false })).active).toBe(false);
    await patch(dependent.id, { deleted: true });
    expect((await patch(base.id, { deleted: true })).deleted).toBe(true);
    expect((await patch(dependent.id, { deleted: false }))[2]).toBe('filters');
  });

  test('dependencies by key are stored by number, so that keys can change', async () => {
    const base = await create();
    const byKey = { groups: [group([{ key: 'a', type: 'flag', operator: 'flag_evaluates_to', value: true }])] };
    const dependent = await create({ key: 'b', filters: byKey });
    expect(dependent.filters).toEqual(needs(base));
    expect((await patch(dependent.id, { filters: byKey })).filters).toEqual(needs(base));
    await patch(base.id, { key: 'renamed' });
    expect(await send('GET', '/feature_flags/renamed/dependent_flags/')).toMatchObject([{ key: 'b' }]);
  });

  test('cycles are refused, also when two concurrent requests would make one', async () => {
    const [a, b, c] = [await create(), await create({ key: 'b' }), await create({ key: 'c' })];
    await patch(b.id, { filters: needs(a) });
    await patch(c.id, { filters: needs(b) });
    const circle = (path: string) => [400, 'invalid_input', 'filters', `groups: The flag would depend on itself: ${path}.`];
    expect(await patch(a.id, { filters: needs(c) })).toEqual(circle('a → c → b → a'));
    expect(await patch(a.id, { filters: needs(a) })).toEqual(circle('a → a'));
    const [d, e] = [await create({ key: 'd' }), await create({ key: 'e' })];
    const both = await Promise.all([patch(d.id, { filters: needs(e) }), patch(e.id, { filters: needs(d) })]);
    expect(both.filter(Array.isArray)).toHaveLength(1);
  });
});

describe('filters of flags', () => {
  const person = (fields: object) => ({ groups: [group([{ key: 'x', type: 'person', ...fields }])] });
  test.each([
    [{ groups: [group([], 101)] }, 'groups[0].rollout_percentage: '],
    [{ groups: {} }, 'groups: '],
    [{ groups: [group(), 'x'] }, 'groups[1]: '],
    [{ groups: [{ ...group(), variant: 'x' }] }, 'groups[0].variant: '],
    [person({ operator: 'nearly', value: 1 }), 'groups[0].properties[0].operator: '],
    [person({ operator: 'regex', value: '(' }), 'groups[0].properties[0].value: '],
    [person({ operator: 'regex', value: '(?=a)' }), 'groups[0].properties[0].value: '],
    [person({ operator: 'is_date_before', value: 'soon' }), 'groups[0].properties[0].value: '],
    [{ groups: [group([{ key: 'id', type: 'cohort', value: 999_999 }])] }, 'groups[0].properties[0].value: '],
    [{ groups: [group([{ key: '999999', type: 'flag', value: true }])] }, 'groups[0].properties[0].key: '],
    [{ multivariate: { variants: [{ key: 'a', rollout_percentage: 60 }] } }, 'multivariate.variants: '],
    [{ payloads: { other: '1' } }, 'payloads.other: '],
    [{ aggregation_group_type_index: 3 }, 'aggregation_group_type_index: '],
  ])('%j are refused with the place of the fault', async (filters, start) => {
    const answer = await create({ filters });
    expect([...answer.slice(0, 3), answer[3].slice(0, start.length)]).toEqual([400, 'invalid_input', 'filters', start]);
    expect((await send('GET', '/feature_flags/')).count).toBe(0);
  });

  test('conditions can have cohorts of the project', async () => {
    const [project_id, at] = [Number(project.split('/').at(-1)), new Date(0)];
    const row = { project_id, name: 'C', created_at: at, updated_at: at };
    const { id } = await app.deps.db.insertInto('cohorts').values(row).returning('id').executeTakeFirstOrThrow();
    const filters = { groups: [group([{ key: 'id', type: 'cohort', operator: 'in', value: id }])] };
    expect((await create({ filters })).filters).toEqual(filters);
  });
});

describe('lists of flags', () => {
  test('lists have the newest flags first, pages and filters', async () => {
    await create({ key: 'one', tags: ['x'], name: 'The 100%_ flag' });
    await create({ key: 'two', active: false, evaluation_runtime: 'server' });
    const variants = [{ key: 'v', rollout_percentage: 100 }];
    await create({ key: 'three', tags: ['y'], filters: { groups: [group()], multivariate: { variants } } });
    await create({ key: 'four', is_remote_configuration: true });
    expect(await list('')).toEqual(['four', 'three', 'two', 'one']);
    expect(await send('GET', '/feature_flags/?limit=1&offset=9')).toMatchObject({ count: 4, results: [], next: null });
    expect(await list('order=key')).toEqual(['four', 'one', 'three', 'two']);
    expect(await list('search=100%25_')).toEqual(['one']);
    expect(await list('search=TW')).toEqual(['two']);
    expect(await list('active=false')).toEqual(['two']);
    expect(await list('active=true&limit=2')).toEqual(['four', 'three']);
    expect(await list('tags=["x","Y"]')).toEqual(['three', 'one']);
    expect(await list('type=multivariant')).toEqual(['three']);
    expect(await list('type=boolean')).toEqual(['two', 'one']);
    expect(await list('type=remote_config')).toEqual(['four']);
    expect(await list('evaluation_runtime=server')).toEqual(['two']);
    expect(await list('created_by_id=999999')).toEqual([]);
    expect(await send('GET', '/feature_flags/?type=x')).toEqual([400, 'invalid_choice', 'type', '"x" is not a valid choice.']);
  });
});
