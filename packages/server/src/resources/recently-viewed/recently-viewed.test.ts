import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let member: Caller;
let project: OwnProject;
let ids: { dashboard: number; insight: number; short: string; flag: number };
beforeAll(async () => {
  app = await startAccountsApp();
  member = { cookie: (await app.invite('member@example.com')).cookie };
});
beforeEach(async () => {
  project = await ownProject(app);
  const post = async (path: string, body: object) => (await project.call('POST', path, body)).json();
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }] };
  const insight = await post('insights/', { name: '', derived_name: 'x by day', query });
  ids = {
    dashboard: (await post('dashboards/', { name: 'Board' })).id,
    insight: insight.id,
    short: insight.short_id,
    flag: (await post('feature_flags/', { key: 'new-checkout' })).id,
  };
});
afterAll(() => app.close());

const view = async (path: string, caller: Caller = member) => {
  app.advance(1_000);
  const answer = await project.call('POST', `${path}/viewed/`, undefined, caller);
  expect([answer.statusCode, answer.json()]).toEqual([
    201,
    { id: expect.any(Number), last_viewed_at: expect.stringMatching(/Z$/) },
  ]);
};
const viewAll = async () => {
  await view(`dashboards/${ids.dashboard}`);
  await view(`feature_flags/${ids.flag}`);
  await view(`insights/${ids.insight}`);
};
const recent = async (query = '', caller: Caller = member) => {
  const answer = await project.call('GET', `recently_viewed/${query}`, undefined, caller);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
const kinds = async (caller: Caller = member) => (await recent('', caller)).map(({ kind }: { kind: string }) => kind);

test('what a user views is listed, the latest first, once each', async () => {
  expect(await recent()).toEqual([]);
  await viewAll();
  await record();
  const last_viewed_at = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(await recent()).toEqual([
    { kind: 'session_recording', id: 'session-1', short_id: null, name: 'https://example.com/start', last_viewed_at },
    { kind: 'insight', id: String(ids.insight), short_id: ids.short, name: 'x by day', last_viewed_at },
    { kind: 'feature_flag', id: String(ids.flag), short_id: null, name: 'new-checkout', last_viewed_at },
    { kind: 'dashboard', id: String(ids.dashboard), short_id: null, name: 'Board', last_viewed_at },
  ]);
  await view(`dashboards/${ids.dashboard}`);
  expect(await kinds()).toEqual(['session_recording', 'dashboard', 'insight', 'feature_flag']);
  expect(await recent('?limit=2')).toHaveLength(2);
  // each user has their own list, and each project
  expect(await recent('', app.owner)).toEqual([]);
  project = await ownProject(app);
  expect(await recent()).toEqual([]);
});

/** A recording that the member has viewed. The module of recordings itself needs an event store. */
async function record(): Promise<void> {
  const { db } = app.deps;
  const now = new Date(Date.now() + 3_600_000);
  const times = { start_time: now, end_time: now, updated_at: now, start_url: 'https://example.com/start' };
  const { id } = await db
    .insertInto('recordings')
    .values({
      project_id: project.id,
      session_id: 'session-1',
      distinct_id: 'ann',
      snapshot_source: 'web',
      snapshot_library: 'web',
      ...times,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const user = await db.selectFrom('users').select('id').where('email', '=', 'member@example.com').executeTakeFirstOrThrow();
  await db.insertInto('recording_views').values({ recording_id: id, user_id: user.id, viewed_at: now }).execute();
}

test('deleted objects are left out until they are restored', async () => {
  await viewAll();
  for (const path of [`dashboards/${ids.dashboard}/`, `insights/${ids.insight}/`, `feature_flags/${ids.flag}/`]) {
    expect((await project.call('PATCH', path, { deleted: true })).statusCode).toBe(200);
  }
  expect(await recent()).toEqual([]);
  await project.call('PATCH', `dashboards/${ids.dashboard}/`, { deleted: false });
  expect(await kinds()).toEqual(['dashboard']);
});

test('objects that access rules hide are left out, by a rule about the object or about its kind', async () => {
  await viewAll();
  const rule = (path: string, access_level: string | null) => project.call('PUT', `${path}access_controls/`, { access_level });
  await rule(`insights/${ids.insight}/`, 'none');
  expect(await kinds()).toEqual(['feature_flag', 'dashboard']);
  await project.call('PUT', 'resource_access_controls/', { resource: 'dashboard', access_level: 'none' });
  expect(await kinds()).toEqual(['feature_flag']);
  // its own rule opens the dashboard again
  await rule(`dashboards/${ids.dashboard}/`, 'viewer');
  expect(await kinds()).toEqual(['feature_flag', 'dashboard']);
  expect(await kinds(app.owner)).toEqual([]);
  await view(`insights/${ids.insight}`, app.owner);
  expect(await kinds(app.owner)).toEqual(['insight']);
});

test('a view needs the right to see, and a key lists the kinds that it may read', async () => {
  await project.call('PUT', `dashboards/${ids.dashboard}/access_controls/`, { access_level: 'none' });
  const hidden = await project.call('POST', `dashboards/${ids.dashboard}/viewed/`, undefined, member);
  expect(hidden.statusCode).toBe(403);
  expect((await project.call('POST', 'feature_flags/999999/viewed/', undefined, member)).statusCode).toBe(404);
  await view(`dashboards/${ids.dashboard}`, app.owner);
  await view(`feature_flags/${ids.flag}`, app.owner);
  const key = await app.makeKey(app.owner.cookie, { scopes: ['feature_flag:read'] });
  expect(await kinds({ key: key.key })).toEqual(['feature_flag']);
  const none = await app.makeKey(app.owner.cookie, { scopes: ['survey:read'] });
  expect(await kinds({ key: none.key })).toEqual([]);
  expect((await project.call('POST', `dashboards/${ids.dashboard}/viewed/`, undefined, { key: key.key })).statusCode).toBe(403);
});
