import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';

let app: AccountsApp;
let owner: { key: string };
let project: string;
beforeAll(async () => {
  app = await startAccountsApp();
  owner = { key: app.owner.key };
  project = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: 'P' })).json().id}`;
});
afterAll(() => app.close());

const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'a' }] };
const create = async (fields: object) => (await app.call(owner, 'POST', `${project}/insights/`, { query, ...fields })).json();
const duplicate = (id: number | string, by: { key?: string; cookie?: string } = owner) =>
  app.call(by, 'POST', `${project}/insights/${id}/duplicate/`);

test('a copy has the same query and a name of its own, and is on no dashboard', async () => {
  const board = (await app.call(owner, 'POST', `${project}/dashboards/`, {})).json().id;
  const made = await create({ name: 'Visits', description: 'd', tags: ['x'], favorited: true, dashboards: [board] });
  const answer = await duplicate(made.short_id);
  const copy = answer.json();
  expect([answer.statusCode, copy]).toMatchObject([
    201,
    { name: 'Visits (Copy)', description: 'd', tags: ['x'], query, dashboards: [], favorited: false, saved: true },
  ]);
  expect([copy.id, copy.short_id]).not.toEqual([made.id, made.short_id]);
  const [entry] = (await app.call(owner, 'GET', `${project}/insights/${copy.id}/activity/`)).json().results;
  expect(entry).toMatchObject({ activity: 'created', detail: { name: 'Visits (Copy)' } });
});

test('a copy of an insight without a name has none, and a long name is cut', async () => {
  expect((await duplicate((await create({})).id)).json().name).toBeNull();
  const long = (await duplicate((await create({ name: 'x'.repeat(400) })).id)).json().name;
  expect([long.length, long.endsWith('x (Copy)')]).toEqual([400, true]);
});

test('a copy needs the right to see the insight and to create insights', async () => {
  const { id } = await create({ name: 'a' });
  expect((await duplicate(999_999)).statusCode).toBe(404);
  await app.call(owner, 'PATCH', `${project}/insights/${id}/`, { deleted: true });
  expect((await duplicate(id)).statusCode).toBe(404);
  const reads = await app.makeKey(app.owner.cookie, { scopes: ['insight:read'] });
  expect((await duplicate((await create({})).id, reads)).statusCode).toBe(403);
});
