import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinService, type ServiceMember } from '../../testing/join-service.js';
import { testProject } from '../../testing/people.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let url: string;
let member: ServiceMember;
beforeAll(async () => {
  it = await startTestService();
  url = `/api/projects/${it.projectId}/annotations/`;
  member = await joinService(it, 'member@example.com');
});
afterAll(() => it.close());

const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', body?: object, key?: string) => {
  const answer = await it.call(method, url + path, { ...(body ? { body } : {}), ...(key ? { key } : {}) });
  return [answer.statusCode, answer.body === '' ? null : answer.json()];
};

test('an annotation is created, listed, changed, deleted and restored', async () => {
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
      insight_short_id: null,
      insight_name: null,
      insight_derived_name: null,
      dashboard_id: null,
      dashboard_name: null,
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
  [{ content: 'x', scope: 'recording' }, 'scope'],
  [{ content: 'x', scope: 'dashboard_item' }, 'dashboard_item'],
  [{ content: 'x', scope: 'dashboard' }, 'dashboard_id'],
  [{ content: 'x', dashboard_item: 2_000_000_000 }, 'dashboard_item'],
  [{ content: 'x', scope: 'project', dashboard_id: 9_000_000_000 }, 'dashboard_id'],
  [{ content: 'x'.repeat(8193) }, 'content'],
  [{ content: 'x', date_marker: 'someday' }, 'date_marker'],
  [{ content: 'x', creation_type: 'BOT' }, 'creation_type'],
])('%j is refused', async (body, attr) => {
  expect(await call('POST', '', body)).toMatchObject([400, { attr }]);
});

test('annotations of other projects are not found', async () => {
  const [, { id }] = await call('POST', '', { content: 'Mine' });
  const other = await testProject(it.deps.db);
  await it.deps.db.updateTable('annotations').set({ project_id: other }).where('id', '=', id).execute();
  expect([(await call('GET', `${id}/`))[0], (await call('PATCH', `${id}/`, { content: 'x' }))[0]]).toEqual([404, 404]);
});

const make = async (path: string, body: object, project: number = it.projectId) => {
  const answer = await it.call('POST', `/api/projects/${project}/${path}/`, { body });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
};

test('annotations of an insight or a dashboard are visible to callers who may see it', async () => {
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }] };
  const board = await make('dashboards', { name: 'Board' });
  const insight = await make('insights', { name: 'Closed', query });
  const [, ofInsight] = await call('POST', '', { content: 'of an insight', dashboard_item: insight.id });
  const [, ofBoard] = await call('POST', '', { content: 'of a board', scope: 'dashboard', dashboard_id: board.id });
  const [, beside] = await call('POST', '', { content: 'of all', scope: 'project', dashboard_item: insight.id });
  expect([ofInsight, ofBoard, beside]).toMatchObject([
    { scope: 'dashboard_item', dashboard_item: insight.id, insight_short_id: insight.short_id, insight_name: 'Closed' },
    { scope: 'dashboard', dashboard_id: board.id, dashboard_name: 'Board', dashboard_item: null },
    { scope: 'project', dashboard_item: insight.id },
  ]);
  const idsFor = async (query_: string, key?: string) =>
    (await call('GET', `?search=of a&${query_}`, undefined, key))[1].results.map(({ id }: { id: number }) => id);
  expect(await idsFor('', member.key)).toEqual([beside.id, ofBoard.id, ofInsight.id]);
  expect(await idsFor('scope=dashboard_item')).toEqual([ofInsight.id]);
  expect(await idsFor(`dashboard_item=${insight.id}`)).toEqual([beside.id, ofInsight.id]);
  expect(await idsFor(`dashboard_id=${board.id}`)).toEqual([ofBoard.id]);
  const rule = (path: string, access_level: string | null) =>
    it.call('PUT', `/api/projects/${it.projectId}/${path}/`, { body: { access_level, resource: 'insight' } });
  const closed = [`insights/${insight.id}/access_controls`, `dashboards/${board.id}/access_controls`];
  for (const path of closed) await rule(path, 'none');
  const log = async () => (await it.call('GET', `/api/projects/${it.projectId}/activity_log/?scope=Annotation`, member)).body;
  expect(await idsFor('', member.key)).toEqual([beside.id]);
  expect(await idsFor(`dashboard_item=${insight.id}`, member.key)).toEqual([]);
  for (const { id } of [ofInsight, ofBoard]) {
    expect((await call('GET', `${id}/`, undefined, member.key))[0]).toBe(404);
    expect((await call('PATCH', `${id}/`, { content: 'x' }, member.key))[0]).toBe(404);
  }
  expect(await log()).not.toMatch(/of an insight|of a board/);
  // who is answered null sends null back, and changes only what they mean to
  const [, shown] = await call('GET', `${beside.id}/`, undefined, member.key);
  expect(shown).toMatchObject({ dashboard_item: null, insight_name: null });
  expect((await call('PATCH', `${beside.id}/`, { ...shown, content: 'of all of them' }, member.key))[0]).toBe(200);
  expect(await call('GET', `${beside.id}/`)).toMatchObject([200, { content: 'of all of them', dashboard_item: insight.id }]);
  expect(await call('POST', '', { content: 'x', dashboard_item: insight.id }, member.key)).toMatchObject([
    400,
    { attr: 'dashboard_item', code: 'does_not_exist' },
  ]);
  for (const path of closed) await rule(path, null);
  await rule('resource_access_controls', 'none');
  expect(await idsFor('', member.key)).toEqual([beside.id, ofBoard.id]);
  await rule('resource_access_controls', null);
  expect(await log()).toMatch(/of an insight/);
  // gone with the insight, and back with it
  const deleted = (value: boolean) =>
    it.call('PATCH', `/api/projects/${it.projectId}/insights/${insight.id}/`, { body: { deleted: value } });
  await deleted(true);
  expect([await idsFor(''), (await call('GET', `${ofInsight.id}/`))[0]]).toEqual([[beside.id, ofBoard.id], 404]);
  await deleted(false);
  expect(await idsFor('')).toEqual([beside.id, ofBoard.id, ofInsight.id]);
});

test('annotations of an organization are in all of its projects, and in no other', async () => {
  const { id: second } = (await it.call('POST', '/api/projects/', { body: { name: 'Second' } })).json();
  const there = (method: 'GET' | 'PATCH' | 'POST', path: string, body?: object) =>
    it.call(method, `/api/projects/${second}/annotations/${path}`, body ? { body } : {});
  const insight = await make('insights', { name: 'Here', query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }] } });
  const [, made] = await call('POST', '', { content: 'For all', scope: 'organization', dashboard_item: insight.id });
  expect((await there('GET', '')).json()).toMatchObject({ count: 1, results: [{ id: made.id, dashboard_item: null }] });
  expect((await there('PATCH', `${made.id}/`, { content: 'For everybody' })).json()).toMatchObject({ content: 'For everybody' });
  expect(await call('GET', `${made.id}/`)).toMatchObject([200, { content: 'For everybody', dashboard_item: insight.id }]);
  expect((await there('PATCH', `${made.id}/`, { scope: 'project' })).json()).toMatchObject({ attr: 'scope' });
  const [, own] = await call('POST', '', { content: 'For this one' });
  expect((await there('GET', `${own.id}/`)).statusCode).toBe(404);
  await it.deps.db
    .updateTable('annotations')
    .set({ project_id: await testProject(it.deps.db) })
    .where('id', '=', made.id)
    .execute();
  expect([(await there('GET', '')).json().count, (await call('GET', `${made.id}/`))[0]]).toEqual([0, 404]);
  const limited = await it.call('POST', '/api/personal_api_keys/', {
    key: null,
    headers: { cookie: member.cookie },
    body: { label: 'limited', scopes: ['*'], scoped_teams: [it.projectId] },
  });
  const key = limited.json().value;
  expect((await call('POST', '', { content: 'x', scope: 'organization' }, key))[0]).toBe(403);
  expect((await call('POST', '', { content: 'x', scope: 'project' }, key))[0]).toBe(201);
});
