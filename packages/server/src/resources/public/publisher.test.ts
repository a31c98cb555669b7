import { eventMaker, eventually } from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { joinService, type ServiceMember } from '../../testing/join-service.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let owner: string;
let member: ServiceMember;
let role: string;
let project: string;
/** A dashboard of the owner that everybody may edit, and an insight on it. */
let board: number;
let insight: number;
let sharing: string;

beforeAll(async () => {
  it = await startTestService();
  owner = it.personalKey;
  project = `/api/projects/${it.projectId}`;
  const sent = await it.call('POST', '/batch/', {
    key: null,
    body: { api_key: it.projectKey, batch: [eventMaker(1)({ event: 'signed_up', distinct_id: 'ann' })] },
  });
  expect(sent.statusCode).toBe(200);
  member = await joinService(it, 'member@example.com');
  role = (await api(owner, 'POST', '/api/organizations/@current/roles/', { name: 'Analysts' }, 201)).id;
  const roleMembers = `/api/organizations/@current/roles/${role}/role_memberships/`;
  await api(owner, 'POST', roleMembers, { user_uuid: member.uuid }, 201);
});
afterAll(() => it?.close());

beforeEach(async () => {
  // each test has a minute of its own for the limits of public pages, and no rules of another test
  it.clock.advance(61_000);
  await it.deps.db.deleteFrom('access_controls').execute();
  board = (await api(owner, 'POST', `${project}/dashboards/`, { name: 'Board' }, 201)).id;
  insight = await makeInsight('Salaries');
  sharing = `${project}/dashboards/${board}/sharing/`;
});

async function api(key: string, method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, body?: object, status = 200) {
  const answer = await it.call(method, url, { key, ...(body ? { body } : {}) });
  expect(answer.statusCode, `${method} ${url}: ${answer.body}`).toBe(status);
  return answer.statusCode === 204 ? null : answer.json();
}
const makeInsight = async (name: string): Promise<number> => {
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed_up' }] };
  return (await api(owner, 'POST', `${project}/insights/`, { name, query, dashboards: [board] }, 201)).id;
};
const visit = (token: string, ending = '') => it.app.inject({ url: `/shared/${token}${ending}` });
const titles = async (token: string): Promise<string[] | number> => {
  const { statusCode, body } = await visit(token, '.json');
  return statusCode === 200 ? JSON.parse(body).tiles.map(({ name }: { name: string }) => name) : statusCode;
};
const open = async (key: string): Promise<string> => (await api(key, 'PATCH', sharing, { enabled: true })).access_token;

/** Ways to close the insight to the member. */
const CLOSINGS: [string, () => Promise<unknown>][] = [
  ['a rule for everybody about the insight', () => rule(`insights/${insight}/access_controls`, {})],
  [
    'a rule for the member about the insight',
    () => rule(`insights/${insight}/access_controls`, { organization_member: member.id }),
  ],
  ['a rule for a role about the insight', () => rule(`insights/${insight}/access_controls`, { role })],
  ['a rule for everybody about all insights', () => rule('resource_access_controls', { resource: 'insight' })],
  ['a rule for a role about all insights', () => rule('resource_access_controls', { resource: 'insight', role })],
];
const rule = (path: string, body: object) => api(owner, 'PUT', `${project}/${path}/`, { access_level: 'none', ...body });

const CLOSED = 'You cannot share this dashboard: it shows insights, experiments, persons or groups that you have no access to.';

describe.each(CLOSINGS)('an insight closed by %s', (_name, close) => {
  test('cannot be published by an editor of the dashboard', async () => {
    await close();
    const { access_token: token } = await api(member.key, 'GET', sharing);
    for (const [method, url, body] of [
      ['PATCH', sharing, { enabled: true }],
      ['PATCH', sharing, { enabled: true, settings: { theme: 'dark' } }],
      ['PATCH', sharing, { password_required: false }],
      ['POST', `${sharing}refresh/`, undefined],
      ['POST', `${sharing}passwords/`, { raw_password: 'correct horse' }],
    ] as const) {
      expect((await api(member.key, method, url, body, 403)).detail).toBe(CLOSED);
    }
    expect(await titles(token)).toBe(404);
    expect((await api(owner, 'GET', sharing)).enabled).toBe(false);
    // what narrows the page is open to every editor
    expect(await titles(await open(owner))).toEqual(['Salaries']);
    await api(member.key, 'PATCH', sharing, { enabled: false });
    expect(await titles(token)).toBe(404);
  });

  test('leaves the page, data and picture that the member published before', async () => {
    const token = await open(member.key);
    expect(await titles(token)).toEqual(['Salaries']);
    const before = await visit(token, '.png');
    expect(before.statusCode).toBe(200);
    // the second one is the finished page
    for (let i = 0; i < 2; i++) expect((await visit(token)).body).toContain('Salaries');
    await close();
    expect(await titles(token)).toEqual([]);
    const after = await visit(token, '.png');
    expect(after.statusCode).toBe(200);
    expect(after.rawPayload.equals(before.rawPayload)).toBe(false);
    for (const page of [await visit(token), await it.app.inject({ url: `/embedded/${token}` })]) {
      expect(page.statusCode).toBe(200);
      expect(page.body).not.toContain('Salaries');
    }
  });

  test('and put on a published dashboard: hidden until a member with access publishes it', async () => {
    await api(owner, 'PATCH', `${project}/insights/${insight}/`, { dashboards: [] });
    const token = await open(member.key);
    await close();
    await api(owner, 'PATCH', `${project}/insights/${insight}/`, { dashboards: [board] });
    expect(await titles(token)).toEqual([]);
    expect(await titles(await open(owner))).toEqual(['Salaries']);
  });

  test('cannot be brought back to, or moved between, published dashboards by an editor who does not see it', async () => {
    const { tiles } = await api(owner, 'GET', `${project}/dashboards/${board}/`);
    const token = await open(owner);
    const remove = { tiles: [{ id: tiles[0].id, deleted: true }] };
    await api(owner, 'PATCH', `${project}/dashboards/${board}/`, remove);
    await close();
    const restore = { tiles: [{ id: tiles[0].id, deleted: false }] };
    const refusal = await api(member.key, 'PATCH', `${project}/dashboards/${board}/`, restore, 400);
    expect(refusal).toMatchObject({ code: 'does_not_exist', attr: 'tiles__0__id' });
    expect(await titles(token)).toEqual([]);
    await api(owner, 'PATCH', `${project}/dashboards/${board}/`, restore);
    expect(await titles(token)).toEqual(['Salaries']);
    const other = (await api(owner, 'POST', `${project}/dashboards/`, { name: 'Other' }, 201)).id;
    const move = { tile: { id: tiles[0].id }, toDashboard: other };
    const moved = await it.call('PATCH', `${project}/dashboards/${board}/move_tile/`, {
      key: null,
      headers: { cookie: member.cookie },
      body: move,
    });
    expect([moved.statusCode, moved.json().code]).toEqual([404, 'not_found']);
  });
});

describe('a public page', () => {
  test('of an insight or a dashboard is hidden while its publisher has no access', async () => {
    const insights = `${project}/insights/${insight}/sharing/`;
    const { access_token: ofInsight } = await api(member.key, 'PATCH', insights, { enabled: true });
    const ofBoard = await open(member.key);
    expect([await titles(ofInsight), await titles(ofBoard)]).toEqual([['Salaries'], ['Salaries']]);
    await rule(`insights/${insight}/access_controls`, {});
    expect([await titles(ofInsight), await titles(ofBoard)]).toEqual([404, []]);
    await rule(`dashboards/${board}/access_controls`, { organization_member: member.id });
    expect([await titles(ofInsight), await titles(ofBoard)]).toEqual([404, 404]);
    const lifted = { access_level: null };
    await api(owner, 'PUT', `${project}/insights/${insight}/access_controls/`, lifted, 204);
    await api(
      owner,
      'PUT',
      `${project}/dashboards/${board}/access_controls/`,
      { ...lifted, organization_member: member.id },
      204,
    );
    expect([await titles(ofInsight), await titles(ofBoard)]).toEqual([['Salaries'], ['Salaries']]);
  });

  test('remains after its publisher has left, with what the default access shows', async () => {
    const leaver = await joinService(it, 'leaver@example.com');
    const token = await open(leaver.key);
    const other = await makeInsight('Visits');
    await rule(`insights/${insight}/access_controls`, {});
    const theirs = { access_level: 'viewer', organization_member: leaver.id };
    await api(owner, 'PUT', `${project}/insights/${insight}/access_controls/`, theirs);
    expect(await titles(token)).toEqual(['Salaries', 'Visits']);
    await api(owner, 'DELETE', `/api/organizations/@current/members/${leaver.uuid}/`, undefined, 204);
    expect(await titles(token)).toEqual(['Visits']);
    await rule(`insights/${other}/access_controls`, {});
    expect(await titles(token)).toEqual([]);
    expect(await titles(await open(owner))).toEqual(['Salaries', 'Visits']);
  });

  test('of a recording is hidden while its publisher has no access to recordings', async () => {
    const session = '0192f3a1-7c1e-7b5a-9f58-3f1d2c4b5a69';
    const values = { project_id: it.projectId, session_id: session, distinct_id: 'ann', snapshot_library: 'web' };
    const now = new Date();
    await it.deps.db
      .insertInto('recordings')
      .values({ ...values, snapshot_source: 'web', start_time: now, end_time: now, updated_at: now })
      .execute();
    const url = `${project}/session_recordings/${session}/sharing/`;
    const { access_token: token } = await api(member.key, 'PATCH', url, { enabled: true });
    const statuses = async () => [
      (await visit(token)).statusCode,
      (await visit(token, '/player')).statusCode,
      (await visit(token, '/snapshots')).statusCode,
    ];
    expect(await statuses()).toEqual([200, 200, 200]);
    await rule('resource_access_controls', { resource: 'session_recording' });
    expect(await statuses()).toEqual([404, 404, 404]);
  });

  test('enabled while a hidden insight is added never shows it', async () => {
    await api(owner, 'PATCH', `${project}/insights/${insight}/`, { dashboards: [] });
    await rule(`insights/${insight}/access_controls`, {});
    const { access_token: token } = await api(member.key, 'GET', sharing);
    await Promise.all([
      it.call('PATCH', sharing, { key: member.key, body: { enabled: true } }),
      api(owner, 'PATCH', `${project}/insights/${insight}/`, { dashboards: [board] }),
    ]);
    // whichever came first
    expect([404, []]).toContainEqual(await titles(token));
  });
});

describe('restored objects', () => {
  const dashboards = () => `${project}/dashboards/${board}/`;
  const names = async () =>
    (await api(owner, 'GET', dashboards())).tiles.map(
      ({ insight }: { insight: { name: string } | null }) => insight?.name ?? 'text',
    );

  test('are those that the deletion removed, and are not public until sharing is enabled again', async () => {
    await makeInsight('Removed before');
    const deletedBefore = await makeInsight('Deleted before');
    const elsewhere = await makeInsight('Kept elsewhere');
    const { tiles } = await api(owner, 'GET', dashboards());
    const removed = tiles.find(({ insight }: { insight: { name: string } }) => insight.name === 'Removed before');
    await api(owner, 'PATCH', dashboards(), { tiles: [{ id: removed.id, deleted: true }, { text: { body: 'Hello' } }] });
    await api(owner, 'PATCH', `${project}/insights/${deletedBefore}/`, { deleted: true });
    const token = await open(owner);
    const ofInsight = (await api(owner, 'PATCH', `${project}/insights/${insight}/sharing/`, { enabled: true })).access_token;
    const refreshed = (await api(owner, 'POST', `${sharing}refresh/`)).access_token;

    await api(owner, 'PATCH', dashboards(), { deleted: true, delete_insights: true });
    await api(owner, 'GET', `${project}/insights/${elsewhere}/`, undefined, 404);
    expect(await Promise.all([token, refreshed, ofInsight].map(titles))).toEqual([404, 404, 404]);

    const restored = await api(owner, 'PATCH', dashboards(), { deleted: false });
    expect(restored).toMatchObject({ deleted: false, is_shared: false });
    expect((await names()).sort()).toEqual(['Kept elsewhere', 'Salaries', 'text']);
    await api(owner, 'GET', `${project}/insights/${deletedBefore}/`, undefined, 404);
    expect(await Promise.all([token, refreshed, ofInsight].map(titles))).toEqual([404, 404, 404]);
    expect(await api(owner, 'GET', sharing)).toMatchObject({ enabled: false, access_token: refreshed });

    expect(await titles(await open(owner))).toEqual(expect.arrayContaining(['Kept elsewhere', 'Salaries', '']));
    const log = await api(owner, 'GET', `${project}/activity_log/?scope=SharingConfiguration`);
    const changes = log.results.map(({ detail }: { detail: { type: string; changes: { after: unknown }[] } }) => [
      detail.type,
      detail.changes[0]?.after,
    ]);
    expect(changes).toEqual(
      expect.arrayContaining([
        ['dashboard', false],
        ['insight', false],
      ]),
    );
  });

  test('an insight deleted while its dashboard is deleted is not restored with it', async () => {
    await api(owner, 'PATCH', dashboards(), { deleted: true });
    await api(owner, 'PATCH', `${project}/insights/${insight}/`, { deleted: true });
    await api(owner, 'PATCH', dashboards(), { deleted: false });
    expect(await names()).toEqual([]);
    await api(owner, 'PATCH', `${project}/insights/${insight}/`, { deleted: false });
    expect(await names()).toEqual([]);
  });

  test('a restored, removed and again deleted tile belongs to the last deletion', async () => {
    const [tile] = (await api(owner, 'GET', dashboards())).tiles;
    await api(owner, 'PATCH', dashboards(), { deleted: true });
    await api(owner, 'PATCH', dashboards(), { deleted: false });
    await api(owner, 'PATCH', dashboards(), { tiles: [{ id: tile.id, deleted: true }] });
    await api(owner, 'PATCH', dashboards(), { deleted: true });
    await api(owner, 'PATCH', dashboards(), { deleted: false });
    expect(await names()).toEqual([]);
  });

  test('an insight is not public until sharing is enabled again', async () => {
    const url = `${project}/insights/${insight}/`;
    const { access_token: token } = await api(owner, 'PATCH', `${url}sharing/`, { enabled: true });
    await eventually(async () => expect(await titles(token)).toEqual(['Salaries']));
    await api(owner, 'PATCH', url, { deleted: true });
    await api(owner, 'PATCH', url, { deleted: false });
    expect(await titles(token)).toBe(404);
    await api(owner, 'PATCH', `${url}sharing/`, { enabled: true });
    expect(await titles(token)).toEqual(['Salaries']);
  });
});
