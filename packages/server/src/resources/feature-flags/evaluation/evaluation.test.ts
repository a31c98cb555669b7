import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../../testing/accounts-app.js';
import { makePerson } from '../../../testing/flags-app.js';

let app: AccountsApp;
let owner: Caller;
let member: { cookie: string };
let project: string;

beforeAll(async () => {
  app = await startAccountsApp();
  owner = { key: app.owner.key };
  member = await app.invite('member@example.com');
});
afterAll(() => app.close());
beforeEach(async () => {
  project = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: 'P' })).json().id}`;
  const project_id = Number(project.split('/').at(-1));
  await app.deps.db
    .insertInto('group_types')
    .values({ project_id, group_type_index: 0, group_type: 'company', created_at: new Date(0) })
    .execute();
});

async function send(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown, who: Caller = owner) {
  const answer = await app.call(who, method, `${project}${path}`, body);
  if (answer.statusCode < 300) return answer.json();
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, attr, detail];
}
const create = (key: string, filters: object, fields: object = {}) =>
  send('POST', '/feature_flags/', { key, filters, ...fields });
const is = (key: string, value: string) => ({ key, type: 'person', operator: 'exact', value: [value] });
const group = (...properties: object[]) => ({ properties, rollout_percentage: 100 });
const nobody = { properties: [], rollout_percentage: 0 };
const tryOut = (key: string, body: object, who: Caller = owner) =>
  send('POST', `/feature_flags/${key}/test_evaluation/`, body, who);

describe('testing the evaluation of a flag', () => {
  test('an initial property that is not stored comes from the sent property, or else from the stored one, as in /flags', async () => {
    const projectId = Number(project.split('/').at(-1));
    await makePerson({ deps: app.deps, projectId }, ['eve'], { utm_source: 'stored', plan: 'pro' });
    await create('first', { groups: [group(is('$initial_utm_source', 'told'), is('plan', 'pro'))] });
    const value = async (person_properties: object) => (await tryOut('first', { distinct_id: 'eve', person_properties })).value;
    expect(await value({ utm_source: 'told' })).toBe(true);
    expect(await value({})).toBe(false);
    expect(await value({ utm_source: 'told', plan: 'free' })).toBe(false);
  });

  test('the response has value, variant, payload and the step that decided', async () => {
    const variants = [
      { key: 'x', rollout_percentage: 0 },
      { key: 'y', rollout_percentage: 100 },
    ];
    await create('a', {
      groups: [group(is('plan', 'free')), { ...group(is('plan', 'pro')), variant: 'x' }],
      multivariate: { variants },
      payloads: { x: '{"n":1}' },
    });
    expect(await tryOut('a', { distinct_id: 'ada', person_properties: { plan: 'pro' } })).toMatchObject({
      key: 'a',
      value: 'x',
      variant: 'x',
      payload: '{"n":1}',
      reason: 'condition_match',
      condition_index: 1,
      steps: [
        {
          stage: 'condition',
          condition_index: 0,
          outcome: 'passed_over',
          message: expect.stringContaining('Condition 1 does not match'),
          properties: [{ property: is('plan', 'free'), matches: false, message: expect.stringContaining('it is pro') }],
          rollout: null,
        },
        {
          condition_index: 1,
          outcome: 'decided',
          properties: [{ matches: true }],
          rollout: { identifier: 'ada', percentage: 100 },
        },
      ],
    });
    expect(await tryOut('a', { distinct_id: 'ada', person_properties: { plan: 'free' } })).toMatchObject({
      value: 'y',
      payload: null,
      condition_index: 0,
    });
    expect(await tryOut('a', { distinct_id: 'ada' })).toMatchObject({
      value: false,
      reason: 'no_condition_match',
      condition_index: 1,
    });
  });

  test('stored properties and groups are used', async () => {
    const project_id = Number(project.split('/').at(-1));
    await app.deps.db
      .insertInto('groups')
      .values({
        project_id,
        group_type_index: 0,
        group_key: 'acme',
        group_properties: '{"size":"big"}',
        created_at: new Date(0),
        updated_at: new Date(0),
      })
      .execute();
    const size = { key: 'size', type: 'group', operator: 'exact', value: ['big'], group_type_index: 0 };
    await create('a', { groups: [group(size)], aggregation_group_type_index: 0 });
    expect(await tryOut('a', { distinct_id: 'ada', groups: { company: 'acme' } })).toMatchObject({ value: true });
    expect(await tryOut('a', { distinct_id: 'ada' })).toMatchObject({ value: false, reason: 'no_group_type' });
    const overrides = { groups: { company: 'acme' }, group_properties: { company: { size: 'small' } } };
    expect(await tryOut('a', { distinct_id: 'ada', ...overrides })).toMatchObject({ value: false, reason: 'no_condition_match' });
  });

  test('a change made just before is used', async () => {
    await create('a', { groups: [group()] });
    expect((await tryOut('a', { distinct_id: 'ada' })).value).toBe(true);
    await send('PATCH', '/feature_flags/a/', { active: false });
    expect(await tryOut('a', { distinct_id: 'ada' })).toMatchObject({ value: false, reason: 'flag_disabled' });
    await send('PATCH', '/feature_flags/a/', { active: true, filters: { groups: [nobody] } });
    expect(await tryOut('a', { distinct_id: 'ada' })).toMatchObject({ value: false, reason: 'out_of_rollout_bound' });
  });

  test.each([
    [{}, 'required', 'distinct_id'],
    [{ distinct_id: '' }, 'blank', 'distinct_id'],
    [{ distinct_id: 'a', groups: [] }, 'invalid_input', 'groups'],
    [{ distinct_id: 'a', person_properties: 'x' }, 'invalid_input', 'person_properties'],
    [{ distinct_id: 'a', group_properties: 1 }, 'invalid_input', 'group_properties'],
  ])('%j is refused', async (body, code, attr) => {
    await create('a', {});
    expect((await tryOut('a', body)).slice(0, 3)).toEqual([400, code, attr]);
  });
});

test('every flag has a reason, inactive ones too', async () => {
  await create('a', { groups: [nobody, group()] });
  await create('b', { groups: [group()] }, { active: false });
  await create('c', { groups: [group()], aggregation_group_type_index: 0 });
  const reasons = async (query: string, who = owner) =>
    send('GET', `/feature_flags/evaluation_reasons/?${query}`, undefined, who);
  expect(await reasons('distinct_id=ada')).toEqual({
    a: { value: true, evaluation: { reason: 'condition_match', condition_index: 1 } },
    b: { value: false, evaluation: { reason: 'flag_disabled', condition_index: null } },
    c: { value: false, evaluation: { reason: 'no_group_type', condition_index: 0 } },
  });
  expect((await reasons(`distinct_id=ada&groups=${encodeURIComponent('{"company":7}')}`)).c.value).toBe(true);
  expect(await reasons('')).toEqual([400, 'required', 'distinct_id', 'This field is required.']);
  expect((await reasons('distinct_id=ada&groups=x')).slice(0, 3)).toEqual([400, 'invalid_input', 'groups']);
  await send('PUT', '/feature_flags/a/access_controls/', { access_level: 'none' });
  expect(Object.keys(await reasons('distinct_id=ada', member))).toEqual(['b', 'c']);
  expect((await tryOut('a', { distinct_id: 'ada' }, member))[0]).toBe(403);
});

test('my_flags evaluates flags for the distinct id of the caller', async () => {
  const { distinct_id } = (await app.call(owner, 'GET', '/api/users/@me/')).json();
  await create('a', { groups: [{ ...group(is('distinct_id', distinct_id)) }] });
  const { id } = await create('b', { groups: [group()] });
  await create('c', {}, { active: false });
  const mine = await send('GET', '/feature_flags/my_flags/');
  expect(mine).toContainEqual({ feature_flag: { id, key: 'b', name: '', active: true }, value: true });
  expect(mine.map(({ feature_flag }: { feature_flag: { key: string } }) => feature_flag.key)).toEqual(['a', 'b']);
});
