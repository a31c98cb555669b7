import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { countStatements } from '../../testing/count-statements.js';
import { type ActivityEntry, recordActivities, recordActivity } from './index.js';

const ORGANIZATION = '/api/organizations/@current';
const PROJECT = '/api/projects/@current';
const KEYS = '/api/personal_api_keys/';

let it: AccountsApp;
let here: { organizationId: string; projectId: number };
beforeAll(async () => {
  it = await startAccountsApp();
  const me = (await it.call(it.owner, 'GET', '/api/users/@me/')).json();
  here = { organizationId: me.organization.id, projectId: me.team.id };
});
afterAll(() => it.close());

const read = async (url: string, caller: Caller = it.owner) => {
  const answer = await it.call(caller, 'GET', url);
  expect(answer.statusCode).toBe(200);
  return answer.json();
};
const idOf = async (email: string): Promise<number> =>
  (await it.deps.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id;
type Usual = 'organizationId' | 'projectId' | 'userId' | 'activity' | 'detail';
type LogEntry<E> = E extends ActivityEntry ? Omit<E, Usual> & Partial<Pick<E, Usual>> : never;
const note = (entry: LogEntry<ActivityEntry>) =>
  recordActivity(it.deps.db, it.deps, { ...here, userId: null, activity: 'updated', detail: { name: 'x' }, ...entry });

test('a log is limited to days, in the zone of the project', async () => {
  await it.deps.db.updateTable('projects').set({ timezone: 'Asia/Tokyo' }).where('id', '=', here.projectId).execute();
  // the first is on 2 March in Tokyo
  for (const [name, at] of [
    ['night', '2026-03-01T20:00:00Z'],
    ['noon', '2026-03-02T03:00:00Z'],
    ['later', '2026-03-03T03:00:00Z'],
  ] as const) {
    await note({ scope: 'GroupType', itemId: 'dated', activity: 'created', detail: { name } });
    await it.deps.db
      .updateTable('activity_log')
      .set({ created_at: new Date(at) })
      .where(sql<boolean>`item_id = 'dated' and detail ->> 'name' = ${name}`)
      .execute();
  }
  const names = async (query: string) =>
    (await read(`${PROJECT}/activity_log/?item_id=dated${query}`)).results.map(
      ({ detail }: { detail: { name: string } }) => detail.name,
    );
  expect(await names('')).toEqual(['later', 'noon', 'night']);
  expect(await names('&date_from=2026-03-02&date_to=2026-03-02')).toEqual(['noon', 'night']);
  expect(await names('&date_from=2026-03-03')).toEqual(['later']);
  expect(await names('&date_to=2026-03-01')).toEqual([]);
  expect(await names('&date_from=all')).toEqual(['later', 'noon', 'night']);
  expect((await it.call(it.owner, 'GET', `${PROJECT}/activity_log/?date_from=soon`)).json()).toMatchObject({
    code: 'invalid_input',
    attr: 'date_from',
  });
  await it.deps.db.updateTable('projects').set({ timezone: 'UTC' }).where('id', '=', here.projectId).execute();
});

describe('the activity log of an organization', () => {
  test('spec 13.12: an entry has the user, the action and each change from its old to its new value', async () => {
    const made = await it.makeKey(it.owner.cookie, { label: 'ci', scopes: ['insight:read'], scoped_teams: [here.projectId] });
    await it.call({ cookie: it.owner.cookie }, 'PATCH', `${KEYS}${made.id}/`, { label: 'ci', scopes: ['insight:write'] });
    await it.call({ cookie: it.owner.cookie }, 'PATCH', `${KEYS}${made.id}/`, { label: 'ci' });
    await it.call({ cookie: it.owner.cookie }, 'POST', `${KEYS}${made.id}/roll/`);
    await it.call({ cookie: it.owner.cookie }, 'DELETE', `${KEYS}${made.id}/`);
    const log = await read(`${ORGANIZATION}/activity_log/?scope=PersonalAPIKey&item_id=${made.id}`);
    expect(Object.keys(log)).toEqual(['count', 'next', 'previous', 'results']);
    expect(log.results.map((entry: { activity: string }) => entry.activity)).toEqual(['deleted', 'rolled', 'updated', 'created']);
    expect(log.results[2]).toEqual({
      id: expect.any(String),
      user: expect.objectContaining({ email: 'owner@example.com' }),
      unread: false,
      activity: 'updated',
      scope: 'PersonalAPIKey',
      item_id: made.id,
      detail: {
        name: 'ci',
        short_id: null,
        changes: [
          { type: 'PersonalAPIKey', action: 'changed', field: 'scopes', before: ['insight:read'], after: ['insight:write'] },
        ],
        trigger: null,
        type: null,
      },
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(Object.keys(log.results[2].detail.changes[0])).toEqual(['type', 'action', 'field', 'before', 'after']);
  });

  test('members, invites and the organization itself have entries', async () => {
    const member = await it.invite('joined@example.com');
    await it.call(it.owner, 'PATCH', `${ORGANIZATION}/members/${member.uuid}/`, { level: 8 });
    await it.call(it.owner, 'DELETE', `${ORGANIZATION}/members/${member.uuid}/`);
    const invite = (await it.call(it.owner, 'POST', `${ORGANIZATION}/invites/`, { target_email: 'not@example.com' })).json();
    await it.call(it.owner, 'DELETE', `${ORGANIZATION}/invites/${invite.id}/`);
    const leaver = await it.invite('leaver@example.com');
    await it.call(leaver, 'DELETE', `${ORGANIZATION}/members/@me/`);
    await it.call(it.owner, 'PATCH', `${ORGANIZATION}/`, { name: 'Renamed' });
    const { results } = await read(`${ORGANIZATION}/activity_log/?limit=9`);
    expect(
      results.map((entry: { scope: string; activity: string; detail: { name: string; changes: object[] } }) => [
        entry.scope,
        entry.activity,
        entry.detail.name,
        entry.detail.changes.length,
      ]),
    ).toEqual([
      ['Organization', 'updated', 'Renamed', 1],
      ['OrganizationMember', 'left', 'leaver@example.com', 2],
      ['OrganizationMember', 'joined', 'leaver@example.com', 2],
      ['OrganizationInvite', 'created', 'leaver@example.com', 1],
      ['OrganizationInvite', 'deleted', 'not@example.com', 0],
      ['OrganizationInvite', 'created', 'not@example.com', 1],
      ['OrganizationMember', 'deleted', 'joined@example.com', 2],
      ['OrganizationMember', 'updated', 'joined@example.com', 1],
      ['OrganizationMember', 'joined', 'joined@example.com', 2],
    ]);
    expect(results.find((entry: { scope: string }) => entry.scope === 'OrganizationInvite').item_id).toBeNull();
  });

  test('only administrators read it, and keys with the scope for it', async () => {
    const plain = await it.invite('plain@example.com');
    const denied = { type: 'authentication_error', code: 'permission_denied', attr: null };
    expect((await it.call(plain, 'GET', `${ORGANIZATION}/activity_log/`)).json()).toEqual({
      ...denied,
      detail: 'Your organization access level is insufficient.',
    });
    const { key } = await it.makeKey(it.owner.cookie, { scopes: ['organization:read', 'project:read'] });
    for (const base of [ORGANIZATION, PROJECT]) {
      expect((await it.call({ key }, 'GET', `${base}/activity_log/`)).json()).toEqual({
        ...denied,
        detail: "API key missing required scope 'activity_log:read'",
      });
    }
  });

  test('the log of another organization is not found', async () => {
    const elsewhere = (await it.call(it.owner, 'POST', '/api/organizations/', { name: 'Elsewhere' })).json();
    const there = `/api/organizations/${elsewhere.id}/activity_log/`;
    const label = async (url: string) =>
      (await read(`${url}?scope=PersonalAPIKey`)).results.map((entry: { activity: string; detail: { name: string } }) => [
        entry.activity,
        entry.detail.name,
      ]);
    const made = await it.makeKey(it.owner.cookie, { label: 'narrow', scoped_teams: [here.projectId] });
    await it.makeKey(it.owner.cookie, { label: 'wide' });
    expect(await label(there)).toEqual([['created', 'wide']]);
    // opened to the other organization, it is new there; closed to this one, it is gone here
    const { cookie } = it.owner;
    await it.call({ cookie }, 'PATCH', `${KEYS}${made.id}/`, { scoped_teams: [], scoped_organizations: [elsewhere.id] });
    expect((await label(there))[0]).toEqual(['created', 'narrow']);
    const ours = `/api/organizations/${here.organizationId}/activity_log/`;
    expect((await label(ours))[0]).toEqual(['deleted', 'narrow']);
    expect(JSON.stringify(await read(ours))).not.toContain(elsewhere.id);
    expect((await it.call(it.owner, 'DELETE', `/api/organizations/${elsewhere.id}/`)).statusCode).toBe(204);
  });
});

describe('the activity log of a project', () => {
  test('it starts with the creation of the project; the deletion is in the log of the organization', async () => {
    const project = (await it.call(it.owner, 'POST', '/api/projects/', { name: 'Side' })).json();
    const url = `/api/projects/${project.id}/`;
    await it.call(it.owner, 'PATCH', url, { name: 'Aside', timezone: 'Europe/Rome', surveys_opt_in: true, week_start_day: null });
    await it.call(it.owner, 'PATCH', url, { name: 'Aside' });
    await it.call(it.owner, 'PATCH', `${url}reset_token/`);
    const { results } = await read(`${url}activity_log/`);
    expect(results.map((entry: { activity: string }) => entry.activity)).toEqual(['token_reset', 'updated', 'created']);
    expect(results[0].detail.changes).toEqual([]);
    const change = { type: 'Project', action: 'changed' };
    expect(results[1].detail.changes).toEqual([
      { ...change, field: 'name', before: 'Side', after: 'Aside' },
      { ...change, field: 'timezone', before: 'UTC', after: 'Europe/Rome' },
      { ...change, action: 'created', field: 'surveys_opt_in', before: null, after: true },
    ]);
    await it.call(it.owner, 'DELETE', url);
    const [last] = (await read(`${ORGANIZATION}/activity_log/`)).results;
    expect(last).toMatchObject({ activity: 'deleted', scope: 'Project', item_id: String(project.id), detail: { name: 'Aside' } });
  });

  test('entries are filtered and paged, with the same response at both prefixes', async () => {
    const owner = await idOf('owner@example.com');
    const { uuid } = (await it.call(it.owner, 'GET', '/api/users/@me/')).json();
    await note({ scope: 'Group', itemId: 'acme', activity: 'created', userId: owner });
    await note({ scope: 'Group', itemId: 'acme', activity: 'deleted' });
    await note({ scope: 'Group', itemId: 'other', activity: 'created' });
    const url = `${PROJECT}/activity_log/?scope=Group`;
    const ids = async (query: string) =>
      (await read(`${url}${query}`)).results.map(
        (entry: { item_id: string; activity: string }) => `${entry.activity} ${entry.item_id}`,
      );
    expect(await ids('')).toEqual(['created other', 'deleted acme', 'created acme']);
    expect(await ids('&item_id=acme')).toEqual(['deleted acme', 'created acme']);
    expect(await ids('&activity=created&item_id=')).toEqual(['created other', 'created acme']);
    expect(await ids(`&user=${uuid}`)).toEqual(['created acme']);
    expect(await ids('&user=00000000-0000-4000-8000-000000000000')).toEqual([]);
    expect((await it.call(it.owner, 'GET', `${url}&user=me`)).json()).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail: 'Must be a valid UUID.',
      attr: 'user',
    });
    const page = await read(`/api/environments/@current/activity_log/?scope=Group&limit=2`);
    expect([page.count, page.results.length]).toEqual([3, 2]);
    expect((await read(page.next)).results).toHaveLength(1);
  });

  test('entries of the same millisecond stay in order, and any text is stored', async () => {
    const texts = Array.from({ length: 20 }, (_, n) => `${n} \u0000 \ud800 "quoted" \\u0000`);
    const entries = texts.map(
      (name): ActivityEntry => ({
        ...here,
        userId: null,
        activity: 'created',
        scope: 'Cohort',
        itemId: 5,
        detail: { name },
      }),
    );
    await recordActivities(it.deps.db, it.deps, entries);
    const { results } = await read(`${PROJECT}/activity_log/?scope=Cohort`);
    const names = results.map((entry: { detail: { name: string } }) => entry.detail.name);
    expect(names).toEqual(Array.from({ length: 20 }, (_, n) => `${19 - n}  \ufffd "quoted" \\u0000`));
  });

  test('more entries are stored at once than a statement may have parameters for', async () => {
    const entries = Array.from(
      { length: 6_001 },
      (_, n): ActivityEntry => ({
        ...here,
        userId: null,
        activity: 'created',
        scope: 'Experiment',
        itemId: n,
        detail: { name: `${n}` },
      }),
    );
    await recordActivities(it.deps.db, it.deps, entries);
    const { count, results } = await read(`${PROJECT}/activity_log/?scope=Experiment&limit=1`);
    expect([count, results[0].item_id]).toEqual([6_001, '6000']);
    // other tests read the whole log
    await it.deps.db.deleteFrom('activity_log').where('scope', '=', 'Experiment').execute();
  });

  test('the number of statements does not grow with the number of entries, users and rules', async () => {
    const reader = await it.invite('counter@example.com');
    const statements = () => countStatements(() => read(`${PROJECT}/activity_log/?scope=Notebook`, reader));
    await note({ scope: 'Notebook', itemId: 1, activity: 'created', userId: await idOf('owner@example.com') });
    const few = await statements();
    for (let id = 2; id < 30; id += 1) {
      await it.invite(`writer${id}@example.com`);
      await note({ scope: 'Notebook', itemId: id, activity: 'created', userId: await idOf(`writer${id}@example.com`) });
      await it.call(it.owner, 'PUT', `${PROJECT}/resource_access_controls/`, { resource: 'notebook', access_level: 'viewer' });
    }
    expect(await statements()).toBe(few);
    expect((await read(`${PROJECT}/activity_log/?scope=Notebook`, reader)).count).toBe(29);
  });

  test.each(['scope=%00', 'item_id=a%00', `activity=${'x'.repeat(500)}`, 'user=', 'scope[a]=1', 'user=%ff'])(
    '?%s never causes a 500',
    async (query) => {
      const { statusCode } = await it.call(it.owner, 'GET', `${PROJECT}/activity_log/?${query}`);
      expect([200, 400]).toContain(statusCode);
    },
  );

  test('an update without changes adds no entry', async () => {
    await note({ scope: 'Annotation', itemId: 1, of: null, detail: { name: 'x', changes: [] } });
    expect((await read(`${PROJECT}/activity_log/?scope=Annotation`)).count).toBe(0);
  });
});

describe('access rules and the activity log', () => {
  let member: { cookie: string; uuid: string };
  let admin: { cookie: string };
  let maker: number;
  const LOG = `${PROJECT}/activity_log/`;
  const names = async (caller: Caller) =>
    (await read(`${LOG}?limit=1000`, caller)).results.map((entry: { detail: { name: string } }) => entry.detail.name);
  const rule = (resource: string, id: string | null, level: string) =>
    sql`insert into access_controls (id, project_id, resource, resource_id, access_level, created_at, updated_at)
      values (gen_random_uuid(), ${here.projectId}, ${resource}, ${id}, ${level}, now(), now())`.execute(it.deps.db);
  const makeDashboard = async (createdBy: number | null): Promise<number> => {
    const now = new Date();
    const { id } = await it.deps.db
      .insertInto('dashboards')
      .values({ project_id: here.projectId, created_at: now, updated_at: now, created_by: createdBy })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  };

  beforeAll(async () => {
    member = await it.invite('reader@example.com');
    admin = await it.invite('admin@example.com', 8);
    maker = await idOf('reader@example.com');
  });

  test('entries of a hidden object are missing for others, and visible to administrators and its creator', async () => {
    const [closed, own, open] = await Promise.all([makeDashboard(null), makeDashboard(maker), makeDashboard(null)]);
    for (const [name, id] of [
      ['closed', closed],
      ['own', own],
      ['open', open],
    ] as const) {
      await note({ scope: 'Dashboard', itemId: id, activity: 'created', detail: { name } });
      const of = { resource: 'dashboard', id } as const;
      await note({ scope: 'DashboardTile', itemId: 77, of, activity: 'created', detail: { name: `tile of ${name}` } });
      await note({ scope: 'SharingConfiguration', itemId: 78, of, activity: 'created', detail: { name: `sharing of ${name}` } });
    }
    await note({ scope: 'AccessControl', itemId: null, of: null, activity: 'created', detail: { name: 'of the project' } });
    const everything = await names(it.owner);
    expect(await names(member)).toEqual(everything);
    await rule('dashboard', String(closed), 'none');
    await rule('dashboard', String(own), 'none');
    expect(await names(it.owner)).toEqual(everything);
    expect(await names(admin)).toEqual(everything);
    expect(await names(member)).toEqual(everything.filter((name: string) => !name.includes('closed')));
    const filtered = await read(`${LOG}?scope=Dashboard&item_id=${closed}`, member);
    expect([filtered.count, filtered.results]).toEqual([0, []]);
  });

  test('a rule about all objects of a kind hides their entries too', async () => {
    await note({ scope: 'FeatureFlag', itemId: 3, activity: 'created', detail: { name: 'a flag' } });
    expect(await names(member)).toContain('a flag');
    await rule('feature_flag', null, 'none');
    expect(await names(member)).not.toContain('a flag');
    expect(await names(admin)).toContain('a flag');
    await rule('dashboard', null, 'none');
    const seen = await names(member);
    expect(seen).toContain('own');
    expect(seen).not.toContain('open');
    expect(seen).not.toContain('tile of open');
  });
});
