import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinService, type ServiceMember } from '../../testing/join-service.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let member: ServiceMember;
let project: string;
beforeAll(async () => {
  it = await startTestService();
  member = await joinService(it, 'member@example.com');
  project = `/api/projects/${it.projectId}/`;
});
afterAll(() => it.close());

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

async function call(method: Method, path: string, body?: object, key?: string) {
  const answer = await it.call(method, project + path, { ...(body ? { body } : {}), ...(key ? { key } : {}) });
  return [answer.statusCode, answer.body === '' ? null : answer.json()];
}

const NO_STEP = {
  event: null,
  properties: [],
  selector: null,
  tag_name: null,
  text: null,
  text_matching: null,
  href: null,
  href_matching: null,
  url: null,
  url_matching: null,
};

test('an action is created, listed, changed, deleted and restored', async () => {
  const step = { event: '$autocapture', tag_name: 'button', text: 'Buy', text_matching: 'contains' };
  const properties = [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }];
  const fields = {
    name: 'Bought',
    description: 'Paid for something',
    tags: ['Money '],
    steps: [step, { event: 'paid', properties }],
  };
  const [status, made] = await call('POST', 'actions/', { ...fields, post_to_slack: false, slack_message_format: '' });
  expect([status, made]).toEqual([
    201,
    {
      id: expect.any(Number),
      name: 'Bought',
      description: 'Paid for something',
      tags: ['money'],
      post_to_slack: false,
      slack_message_format: '',
      steps: [
        { ...NO_STEP, ...step },
        { ...NO_STEP, event: 'paid', properties },
      ],
      created_at: expect.any(String),
      created_by: expect.objectContaining({ email: 'owner@example.com' }),
      deleted: false,
      is_calculating: false,
      last_calculated_at: made.created_at,
      team_id: it.projectId,
      is_action: true,
      bytecode_error: null,
      pinned_at: null,
      creation_context: null,
      user_access_level: 'manager',
    },
  ]);
  const [, another] = await call('POST', 'actions/', { name: 'Asked', steps: [] });
  expect(await call('GET', 'actions/')).toMatchObject([200, { count: 2, results: [another, made] }]);
  expect(await call('GET', 'actions/?search=PAID FOR')).toMatchObject([200, { count: 1, results: [made] }]);
  expect(await call('GET', `actions/${made.id}/`)).toEqual([200, made]);
  // clients send back what they were answered
  expect(await call('PATCH', `actions/${made.id}/`, { ...made, pinned_at: '2026-02-01T09:00:00Z' })).toMatchObject([
    200,
    { pinned_at: '2026-02-01T09:00:00Z', steps: made.steps },
  ]);
  expect(await call('GET', 'actions/')).toMatchObject([200, { results: [{ id: made.id }, { id: another.id }] }]);
  expect(await call('DELETE', `actions/${made.id}/`)).toEqual([405, null]);
  expect(await call('PATCH', `actions/${made.id}/`, { deleted: true })).toMatchObject([200, { deleted: true }]);
  expect((await call('GET', `actions/${made.id}/`))[0]).toBe(404);
  expect((await call('PATCH', `actions/${made.id}/`, { name: 'x' }))[0]).toBe(404);
  expect(await call('PATCH', `actions/${made.id}/`, { deleted: false })).toMatchObject([200, { name: 'Bought' }]);
  const [, log] = await call('GET', `actions/${made.id}/activity/`);
  expect(log.results.map(({ activity }: { activity: string }) => activity)).toEqual([
    'restored',
    'deleted',
    'updated',
    'created',
  ]);
});

test('names of actions are unique in a project, also after a restore', async () => {
  const [, first] = await call('POST', 'actions/', { name: 'Only one' });
  const taken = { code: 'unique', attr: 'name', detail: `This project already has an action with this name, ID ${first.id}` };
  expect(await call('POST', 'actions/', { name: 'Only one' })).toMatchObject([400, taken]);
  await call('PATCH', `actions/${first.id}/`, { deleted: true });
  const [, second] = await call('POST', 'actions/', { name: 'Only one' });
  expect(await call('PATCH', `actions/${first.id}/`, { deleted: false })).toMatchObject([
    400,
    { ...taken, detail: `This project already has an action with this name, ID ${second.id}` },
  ]);
});

test.each<[object, string]>([
  [{ steps: [{ event: 'a', text_matching: 'like' }] }, 'steps__0__text_matching'],
  [{ steps: [{ event: 'a', selector: 'a:hover' }] }, 'steps__0__selector'],
  [{ steps: [{ event: 'a', properties: [{ type: 'cohort', key: 'id', value: 1 }] }] }, 'steps__0__properties__0__type'],
  [{ steps: [{ event: 'a', url_contains: '/x' }] }, 'steps__0__url_contains'],
  [{ steps: [{ event: 'a', properties: [{ key: 'x', operator: 'like', value: 1 }] }] }, 'steps__0__properties__0__operator'],
  [{ steps: Array.from({ length: 51 }, () => ({ event: 'a' })) }, 'steps'],
  [{ steps: { event: 'a' } }, 'steps'],
  [{ name: 'x', post_to_slack: true }, 'post_to_slack'],
  [{ name: 'x', filters: { events: [], x: 1 } }, 'filters'],
])('%j is refused at %s', async (body, attr) => {
  expect(await call('POST', 'actions/', body)).toMatchObject([400, { attr }]);
});

test('access rules hide actions and stop viewers from changing them', async () => {
  const [, made] = await call('POST', 'actions/', { name: 'Secret', steps: [{ event: 'secret' }] });
  const rule = (access_level: string | null) => call('PUT', `actions/${made.id}/access_controls/`, { access_level });
  await rule('viewer');
  expect(await call('GET', `actions/${made.id}/`, undefined, member.key)).toMatchObject([200, { user_access_level: 'viewer' }]);
  expect((await call('PATCH', `actions/${made.id}/`, { name: 'x' }, member.key))[0]).toBe(403);
  await rule('none');
  expect((await call('GET', `actions/${made.id}/`, undefined, member.key))[0]).toBe(403);
  const [, list] = await call('GET', 'actions/?search=Secret', undefined, member.key);
  expect(list.count).toBe(0);
  const [, log] = await call('GET', 'activity_log/?scope=Action', undefined, member.key);
  expect(JSON.stringify(log)).not.toContain('Secret');
});

test('a key needs the scopes of actions, and cannot reach the actions of another project', async () => {
  const { id } = (await it.call('POST', '/api/projects/', { body: { name: 'Other' } })).json();
  const [, made] = await call('POST', 'actions/', { name: 'Mine' });
  expect((await it.call('GET', `/api/projects/${id}/actions/${made.id}/`)).statusCode).toBe(404);
  const keyOf = async (scope: string) =>
    (
      await it.call('POST', '/api/personal_api_keys/', {
        key: null,
        headers: { cookie: member.cookie },
        body: { label: scope, scopes: [scope] },
      })
    ).json().value;
  const [reading, foreign] = [await keyOf('action:read'), await keyOf('cohort:write')];
  expect((await call('GET', `actions/${made.id}/`, undefined, reading))[0]).toBe(200);
  expect((await call('PATCH', `actions/${made.id}/`, { name: 'x' }, reading))[0]).toBe(403);
  expect((await call('GET', `actions/${made.id}/`, undefined, foreign))[0]).toBe(403);
});
