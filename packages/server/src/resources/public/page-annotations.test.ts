import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { joinService, type ServiceMember } from '../../testing/join-service.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let member: ServiceMember;
let project: string;
let board: number;
let insight: number;
let path: string;
let token: string;
beforeAll(async () => {
  it = await startTestService();
  project = `/api/projects/${it.projectId}`;
  member = await joinService(it, 'member@example.com');
  const batch = [{ event: 'signed_up', distinct_id: 'ann', properties: {} }];
  const sent = await it.call('POST', '/batch/', { key: null, body: { api_key: it.projectKey, batch } });
  expect(sent.statusCode).toBe(200);
});
afterAll(() => it.close());

const QUERY = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed_up' }], dateRange: { date_from: '-7d' } };

beforeEach(async () => {
  // each test has a minute of its own for the limits of public pages, and no notes of another test
  it.clock.advance(61_000);
  for (const table of ['annotations', 'access_controls'] as const) await it.deps.db.deleteFrom(table).execute();
  board = (await api('POST', 'dashboards/', { name: 'Growth' })).id;
  insight = (await api('POST', 'insights/', { name: 'Sign-ups', query: QUERY, dashboards: [board] })).id;
  path = `dashboards/${board}/sharing/`;
  token = (await api('PATCH', path, { enabled: true, settings: { annotations: true } })).access_token;
});

async function api(method: 'GET' | 'POST' | 'PATCH' | 'PUT', to: string, body?: object, key?: string) {
  const answer = await it.call(method, `${project}/${to}`, { body, ...(key ? { key } : {}) });
  expect([answer.statusCode < 300, answer.body]).toEqual([true, answer.body]);
  return answer.json();
}
const daysAgo = (days: number) => new Date(it.clock.now() - days * 86_400_000).toISOString();
const annotate = (content: string, more: object = {}, days = 2): Promise<{ id: number }> =>
  api('POST', 'annotations/', { content, date_marker: daysAgo(days), ...more });
const page = async (query = ''): Promise<string> => (await it.app.inject({ url: `/shared/${token}${query}` })).body;
/** The texts of the list of notes; null: there is no list. */
const notes = async (query = ''): Promise<string[] | null> => {
  const list = /<section class="notes">.*?<\/section>/s.exec(await page(query))?.[0];
  return list === undefined ? null : [...list.matchAll(/<dd>(.*?)<\/dd>/gs)].map(([, text = '']) => text);
};

test('annotations stand on charts and in a list only where the owner allows it', async () => {
  await annotate('New <b>prices</b>');
  expect(await notes()).toEqual(['New &lt;b&gt;prices&lt;/b&gt;']);
  expect(await page()).toMatch(/<svg class="v326".*>A<\/text>/s);
  await api('PATCH', path, { settings: {} });
  expect(await notes()).toBe(null);
  expect(await page()).not.toContain('prices');
  expect((await it.app.inject({ url: `/shared/${token}.json` })).body).not.toContain('prices');
});

test('only those of the project, of the dashboard and of its insights are shown, within the dates of a chart', async () => {
  const other = (await api('POST', 'dashboards/', { name: 'Other' })).id;
  const elsewhere = (await api('POST', 'insights/', { name: 'Elsewhere', query: QUERY, dashboards: [other] })).id;
  await annotate('of the project', {}, 5);
  await annotate('of the organization', { scope: 'organization' }, 4);
  await annotate('of the dashboard', { scope: 'dashboard', dashboard_id: board }, 3);
  await annotate('of the insight', { scope: 'dashboard_item', dashboard_item: insight });
  await annotate('of another dashboard', { scope: 'dashboard', dashboard_id: other });
  await annotate('of another insight', { scope: 'dashboard_item', dashboard_item: elsewhere });
  await annotate('too early', {}, 20);
  const shown = ['of the project', 'of the organization', 'of the dashboard', 'of the insight'];
  expect(await notes()).toEqual(shown);
  await api('PATCH', path, { settings: { annotations: true, dateRange: true } });
  expect(await notes('?range=30d')).toEqual(['too early', ...shown]);
});

test('a changed and a deleted annotation show at once, also on a page that was sent before', async () => {
  const { id } = await annotate('Before');
  for (let i = 0; i < 2; i++) expect(await notes()).toEqual(['Before']);
  await api('PATCH', `annotations/${id}/`, { content: 'After' });
  for (let i = 0; i < 2; i++) expect(await notes()).toEqual(['After']);
  await api('PATCH', `annotations/${id}/`, { deleted: true });
  expect(await notes()).toBe(null);
});

test('a page that was published by somebody without access to annotations shows none', async () => {
  await annotate('Secret');
  expect(await notes()).toEqual(['Secret']);
  await api('PATCH', path, { enabled: true }, member.key);
  expect(await notes()).toEqual(['Secret']);
  await api('PUT', 'resource_access_controls/', { resource: 'annotation', access_level: 'none' });
  expect(await notes()).toBe(null);
  await api('PATCH', path, { enabled: true });
  expect(await notes()).toEqual(['Secret']);
});

test('a single insight has those of the project and its own', async () => {
  await annotate('of the project', {}, 3);
  await annotate('of the insight', { scope: 'dashboard_item', dashboard_item: insight });
  await annotate('of the dashboard', { scope: 'dashboard', dashboard_id: board });
  const sharing = { enabled: true, settings: { annotations: true } };
  token = (await api('PATCH', `insights/${insight}/sharing/`, sharing)).access_token;
  expect(await notes()).toEqual(['of the project', 'of the insight']);
});
