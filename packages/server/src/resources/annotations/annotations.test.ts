import { afterAll, beforeAll, expect, test } from 'vitest';
import { testProject } from '../../testing/people.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let url: string;
beforeAll(async () => {
  it = await startTestService();
  url = `/api/projects/${it.projectId}/annotations/`;
});
afterAll(() => it.close());

const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', body?: object) => {
  const answer = await it.call(method, url + path, body ? { body } : {});
  return [answer.statusCode, answer.body === '' ? null : answer.json()];
};

test('an annotation is made, listed, changed, deleted and restored', async () => {
  const [status, made] = await call('POST', '', { content: 'New prices', date_marker: '2026-02-01T09:00:00Z' });
  expect([status, made]).toEqual([
    201,
    {
      id: expect.any(Number),
      content: 'New prices',
      date_marker: '2026-02-01T09:00:00Z',
      creation_type: 'USR',
      scope: 'project',
      dashboard_item: null,
      dashboard_id: null,
      created_by: expect.objectContaining({ email: 'owner@example.com' }),
      created_at: expect.any(String),
      updated_at: made.created_at,
      deleted: false,
    },
  ]);
  const [, later] = await call('POST', '', { content: 'Campaign', date_marker: '2026-03-01', creation_type: 'GIT' });
  expect(await call('GET')).toMatchObject([200, { count: 2, results: [later, made] }]);
  expect(await call('GET', '?search=PRICES')).toMatchObject([200, { count: 1, results: [made] }]);
  expect(await call('GET', `${made.id}/`)).toEqual([200, made]);
  // what was answered can be sent back
  expect(await call('PATCH', `${made.id}/`, { ...made, content: 'Newer prices' })).toMatchObject([
    200,
    { content: 'Newer prices' },
  ]);
  expect(await call('DELETE', `${made.id}/`)).toEqual([405, null]);
  expect(await call('PATCH', `${made.id}/`, { deleted: true })).toMatchObject([200, { deleted: true }]);
  expect((await call('GET', `${made.id}/`))[0]).toBe(404);
  expect((await call('PATCH', `${made.id}/`, { content: 'x' }))[0]).toBe(404);
  expect(await call('GET')).toMatchObject([200, { count: 1 }]);
  expect(await call('PATCH', `${made.id}/`, { deleted: false })).toMatchObject([200, { content: 'Newer prices' }]);
  const log = await it.call('GET', `/api/projects/${it.projectId}/activity_log/?scope=Annotation&item_id=${made.id}`);
  expect(log.json().results.map(({ activity }: { activity: string }) => activity)).toEqual([
    'restored',
    'deleted',
    'updated',
    'created',
  ]);
});

test.each<[object, string]>([
  [{ content: 'x', scope: 'dashboard_item', dashboard_item: 3 }, 'scope'],
  [{ content: 'x', dashboard_item: 3 }, 'dashboard_item'],
  [{ content: 'x', date_marker: 'someday' }, 'date_marker'],
  [{ content: 'x', creation_type: 'BOT' }, 'creation_type'],
])('%j is refused', async (body, attr) => {
  expect(await call('POST', '', body)).toMatchObject([400, { attr }]);
});

test('other projects have their own', async () => {
  const [, { id }] = await call('POST', '', { content: 'Mine' });
  const other = await testProject(it.deps.db);
  await it.deps.db.updateTable('annotations').set({ project_id: other }).where('id', '=', id).execute();
  expect([(await call('GET', `${id}/`))[0], (await call('PATCH', `${id}/`, { content: 'x' }))[0]]).toEqual([404, 404]);
});
