import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testProject } from '../../testing/people.js';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
let prefix: string;
let flags: string;
beforeAll(async () => {
  service = await startTestService();
  prefix = `/api/projects/${service.projectId}/early_access_feature`;
  flags = `/api/projects/${service.projectId}/feature_flags`;
});
afterAll(() => service.close());

const post = (body: unknown) => service.call('POST', `${prefix}/`, { body });
async function create(body: object) {
  const answer = await post(body);
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  return answer.json();
}
const patch = (id: string, body: object) => service.call('PATCH', `${prefix}/${id}/`, { body });
const get = async (url: string) => (await service.call('GET', url)).json();
const makeFlag = async (fields: object) => (await service.call('POST', `${flags}/`, { body: fields })).json();

describe('an early access feature with a flag of its own', () => {
  test('it is created with the flag, retrieved and listed', async () => {
    const made = await create({
      name: ' Größer & besser ',
      stage: 'beta',
      payload: { icon: 'x' },
      documentation_url: 'https://example.com/a',
    });
    expect(made).toEqual({
      id: expect.any(String),
      feature_flag: {
        id: expect.any(Number),
        team_id: service.projectId,
        name: '',
        key: 'gro-er-besser',
        filters: {
          groups: [{ properties: [], rollout_percentage: 0 }],
          multivariate: null,
          payloads: {},
          feature_enrollment: true,
        },
        deleted: false,
        active: true,
        ensure_experience_continuity: false,
        version: 1,
      },
      name: 'Größer & besser',
      description: '',
      stage: 'beta',
      documentation_url: 'https://example.com/a',
      payload: { icon: 'x' },
      created_at: expect.any(String),
    });
    expect(await get(`${prefix}/${made.id}/`)).toEqual(made);
    const page = await get(`${prefix}/?limit=1`);
    expect(page).toMatchObject({ count: 1, next: null, results: [made] });
    expect(await get(`${flags}/${made.feature_flag.id}/`)).toMatchObject({ features: [{ id: made.id, stage: 'beta' }] });
    expect((await create({ name: 'Größer & besser' })).feature_flag.key).toBe('gro-er-besser-2');
    expect((await create({ name: '新' })).feature_flag.key).toBe('early-access');
  });

  test('the stage decides whether enrolment counts', async () => {
    const { id, stage, feature_flag: flag } = await create({ name: 'Stages' });
    expect([stage, flag.filters.feature_enrollment]).toEqual(['draft', undefined]);
    const filtersAt = async (wanted: string) => (await patch(id, { stage: wanted })).json().feature_flag.filters;
    expect((await filtersAt('concept')).feature_enrollment).toBeUndefined();
    expect((await filtersAt('alpha')).feature_enrollment).toBe(true);
    expect((await filtersAt('beta')).feature_enrollment).toBe(true);
    const open = await filtersAt('general-availability');
    expect(open).toEqual({ groups: [{ properties: [], rollout_percentage: 100 }], multivariate: null, payloads: {} });
    const log = await get(`/api/projects/${service.projectId}/activity_log/?scope=EarlyAccessFeature&item_id=${id}`);
    expect(log.results.map(({ activity }: { activity: string }) => activity)).toEqual([...Array(4).fill('updated'), 'created']);
    const versions = await get(`${flags}/${flag.id}/activity/`);
    expect(versions.results.map(({ activity }: { activity: string }) => activity)).toEqual(['updated', 'updated', 'created']);
  });

  test('enrolled persons get the feature, and pages list only features that are open', async () => {
    const { id, feature_flag: flag } = await create({ name: 'Try me', stage: 'beta' });
    const ask = async (enrolled: unknown) => {
      const person_properties = enrolled === undefined ? {} : { [`$feature_enrollment/${flag.key}`]: enrolled };
      const body = { token: service.projectKey, distinct_id: 'ann', person_properties };
      return (await service.call('POST', '/flags/?v=2', { key: null, body })).json().flags[flag.key];
    };
    const openFeature = async () => {
      const { earlyAccessFeatures } = (
        await service.call('GET', `/api/early_access_features/?token=${service.projectKey}`, { key: null })
      ).json();
      return earlyAccessFeatures.find((feature: { id: string }) => feature.id === id);
    };
    await expect.poll(openFeature).toMatchObject({ flagKey: flag.key, stage: 'beta' });
    expect(await ask(true)).toMatchObject({ enabled: true, reason: { code: 'super_condition_value' } });
    expect(await ask('false')).toMatchObject({ enabled: false, reason: { code: 'super_condition_value' } });
    expect(await ask(undefined)).toMatchObject({ enabled: false });
    await patch(id, { stage: 'archived' });
    await expect.poll(openFeature).toBeUndefined();
    await expect.poll(() => ask(true)).toMatchObject({ enabled: false });
  });

  test('a deletion leaves the flag, without enrolment', async () => {
    const { id, feature_flag: flag } = await create({ name: 'Going', stage: 'alpha' });
    expect((await service.call('DELETE', `${prefix}/${id}/`)).statusCode).toBe(204);
    expect((await service.call('DELETE', `${prefix}/${id}/`)).statusCode).toBe(404);
    expect((await service.call('GET', `${prefix}/${id}/`)).statusCode).toBe(404);
    const after = await get(`${flags}/${flag.id}/`);
    expect([after.filters.feature_enrollment, after.features, after.active]).toEqual([undefined, [], true]);
  });
});

describe('an early access feature with an existing flag', () => {
  test('the conditions of the flag stay', async () => {
    const groups = [{ properties: [], rollout_percentage: 20 }];
    const flag = await makeFlag({ key: 'linked', filters: { groups } });
    const made = await create({ name: 'Linked', stage: 'beta', feature_flag_id: flag.id });
    expect(made.feature_flag).toMatchObject({
      id: flag.id,
      key: 'linked',
      version: 2,
      filters: { groups, feature_enrollment: true },
    });
    const second = await post({ name: 'Second', feature_flag_id: flag.id });
    expect(second.json()).toMatchObject({ attr: 'feature_flag_id', detail: expect.stringMatching(/already/) });
    expect((await patch(made.id, { feature_flag_id: null })).json()).toMatchObject({ attr: 'feature_flag_id' });
    expect((await patch(made.id, { feature_flag_id: flag.id, stage: 'archived' })).json().feature_flag.filters).toEqual({
      groups,
    });
  });

  test('of concurrent features with the same flag one is created', async () => {
    const { id } = await makeFlag({ key: 'wanted' });
    const answers = await Promise.all([1, 2, 3, 4].map((n) => post({ name: `n${n}`, feature_flag_id: id, stage: 'beta' })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 400, 400, 400]);
  });

  test('flags of groups and flags with variants are refused', async () => {
    const variants = [{ key: 'a', rollout_percentage: 100 }];
    const { id } = await makeFlag({ key: 'many', filters: { groups: [{ properties: [] }], multivariate: { variants } } });
    expect((await post({ name: 'x', feature_flag_id: id })).json()).toMatchObject({
      code: 'invalid_input',
      attr: 'feature_flag_id',
    });
    const times = { created_at: new Date(0), updated_at: new Date(0) };
    const filters = JSON.stringify({ groups: [], aggregation_group_type_index: 0 });
    const grouped = await service.deps.db
      .insertInto('feature_flags')
      .values({ project_id: service.projectId, key: 'grouped', filters, ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect((await post({ name: 'x', feature_flag_id: grouped.id })).json().detail).toMatch(/groups/);
    const foreign = await service.deps.db
      .insertInto('feature_flags')
      .values({ project_id: await testProject(service.deps.db), key: 'foreign', ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect((await post({ name: 'x', feature_flag_id: foreign.id })).json()).toMatchObject({ code: 'does_not_exist' });
  });
});

test.each<[object, string, string]>([
  [{}, 'required', 'name'],
  [{ name: '' }, 'blank', 'name'],
  [{ name: 'x', stage: 'gamma' }, 'invalid_choice', 'stage'],
  [{ name: 'x', documentation_url: 'javascript:alert(1)' }, 'invalid_input', 'documentation_url'],
  [{ name: 'x', payload: [] }, 'invalid_input', 'payload'],
  [{ name: 'x', feature_flag_id: 999_999 }, 'does_not_exist', 'feature_flag_id'],
])('%j is refused', async (body, code, attr) => {
  const answer = await post(body);
  expect([answer.statusCode, answer.json().code, answer.json().attr]).toEqual([400, code, attr]);
});

test('no request body causes a 500', async () => {
  const { id } = await create({ name: 'Odd' });
  const odd = fc.oneof(fc.constantFrom('beta', 'draft', '', '\0', 1, -1, 2 ** 31), fc.jsonValue({ maxDepth: 3 }));
  const fields = { name: odd, description: odd, stage: odd, documentation_url: odd, payload: odd, feature_flag_id: odd };
  await fc.assert(
    fc.asyncProperty(fc.record(fields, { requiredKeys: [] }), fc.boolean(), async (body, isNew) => {
      expect((isNew ? await post(body) : await patch(id, body)).statusCode).toBeLessThan(500);
    }),
    { numRuns: 80 },
  );
});

test('other projects and keys without the scope find no features', async () => {
  const { db } = service.deps;
  const { id } = await create({ name: 'Mine' });
  const other = await testProject(db);
  await db.updateTable('early_access_features').set({ project_id: other }).where('id', '=', id).execute();
  expect((await service.call('GET', `${prefix}/${id}/`)).statusCode).toBe(404);
  expect((await patch(id, { name: 'x' })).statusCode).toBe(404);
  expect((await service.call('DELETE', `${prefix}/${id}/`)).statusCode).toBe(404);
  const scopes = (scope: string) =>
    db
      .updateTable('personal_api_keys')
      .set({ scopes: [scope] })
      .execute();
  await scopes('early_access_feature:read');
  const answers = [await service.call('GET', `${prefix}/`), await post({ name: 'x' })];
  await scopes('*');
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 403]);
});
