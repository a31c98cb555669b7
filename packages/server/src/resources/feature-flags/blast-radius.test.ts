import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const { projectId: project_id, deps } = service;
  const person = (name: string, plan: string) => ({
    project_id,
    person_id: `00000000-0000-4000-8000-${Buffer.from(name).toString('hex').padStart(12, '0')}`,
    properties: { plan },
    is_identified: true,
    is_deleted: false,
    created_at: 0,
    version: 1,
  });
  const group = (group_key: string, plan: string) => ({
    project_id,
    group_type_index: 0,
    group_key,
    properties: { plan },
    created_at: 0,
    version: 1,
  });
  await deps.events.insert('persons', [person('ann', 'pro'), person('bob', 'pro'), person('cleo', 'free')], {
    token: 'p',
  });
  await deps.events.insert('groups', [group('acme', 'pro'), group('ace', 'free')], { token: 'g' });
});
afterAll(() => service.close());

const count = async (body: unknown) => {
  const answer = await service.call('POST', `/api/projects/${service.projectId}/feature_flags/user_blast_radius/`, { body });
  if (answer.statusCode === 200) return answer.json();
  const { code, attr } = answer.json();
  return [answer.statusCode, code, attr];
};
const plan = (type: string) => ({
  properties: [{ key: 'plan', type, operator: 'exact', value: ['pro'] }],
  rollout_percentage: 10,
});

test('people and groups are counted by the properties of a condition', async () => {
  expect(await count({ condition: plan('person') })).toEqual({ users_affected: 2, total_users: 3 });
  expect(await count({ condition: {} })).toEqual({ users_affected: 3, total_users: 3 });
  expect(await count({ condition: plan('group'), group_type_index: 0 })).toEqual({ users_affected: 1, total_users: 2 });
  expect(await count({ condition: plan('person'), group_type_index: null })).toEqual({ users_affected: 2, total_users: 3 });
});

test.each([
  [{}, 'required', 'condition'],
  [{ condition: [] }, 'invalid_input', 'condition'],
  [{ condition: {}, group_type_index: 'x' }, 'invalid_input', 'group_type_index'],
  [{ condition: { properties: 'x' } }, expect.any(String), 'condition__properties'],
  [
    { condition: { properties: [{ key: 'x', type: 'person', operator: 'nearly', value: 1 }] } },
    expect.any(String),
    expect.stringMatching(/^condition__properties__/),
  ],
  [{ condition: { properties: [{ key: 'id', type: 'cohort', value: 999999 }] } }, 'invalid_input', 'condition'],
])('%j is refused with the place of the fault', async (body, code, attr) => {
  expect(await count(body)).toEqual([400, code, attr]);
});
