import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, cookieOf, PASSWORD, startAccountsApp } from '../../../testing/accounts-app.js';

let it: AccountsApp;
let owner: Caller;
let projectId: number;
let dashboardId: number;
let url: string;
let maker: Person;
let member: Person;
let other: Person;
let stranger: { key: string; uuid: string; projectId: number };

interface Person extends Caller {
  uuid: string;
  id: number;
}

beforeAll(async () => {
  it = await startAccountsApp({ openSignup: true });
  owner = { key: it.owner.key };
  projectId = (await it.call(owner, 'GET', '/api/projects/')).json().results[0].id;
  [maker, member, other] = await Promise.all([person('maker'), person('member'), person('other')]);
  stranger = await anotherOrganization();
});
afterAll(() => it.close());
beforeEach(async () => {
  dashboardId = await makeDashboard({ restriction_level: 37, created_by: maker.id });
  url = `/api/environments/${projectId}/dashboards/${dashboardId}/collaborators/`;
});

async function person(name: string): Promise<Person> {
  const joined = await it.invite(`${name}@example.com`);
  const { id } = await it.deps.db.selectFrom('users').select('id').where('uuid', '=', joined.uuid).executeTakeFirstOrThrow();
  return { ...joined, id };
}

/** A user, a project and a key of an organization that nobody else here belongs to. */
async function anotherOrganization() {
  const account = { email: 'stranger@example.com', password: PASSWORD, first_name: 'Stranger', organization_name: 'Second' };
  const signedUp = await it.call({}, 'POST', '/api/signup/', account);
  const cookie = cookieOf(signedUp);
  const { key } = await it.makeKey(cookie, { scopes: ['*'] });
  const [project] = (await it.call({ cookie }, 'GET', '/api/projects/')).json().results;
  return { key, uuid: signedUp.json().uuid, projectId: project.id };
}

async function makeDashboard(fields: {
  restriction_level: number;
  created_by: number | null;
  deleted?: boolean;
  project_id?: number;
}) {
  const { id } = await it.deps.db
    .insertInto('dashboards')
    .values({ project_id: projectId, name: 'Numbers', created_at: new Date(), updated_at: new Date(), ...fields })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const add = (user: { uuid: string }, level: unknown = 37, by: Caller = maker) =>
  it.call(by, 'POST', url, { level, user_uuid: user.uuid });
const levels = async () =>
  (await it.call(owner, 'GET', url)).json().map((one: { level: number; user: { uuid: string } }) => [one.user.uuid, one.level]);

const refusal = (detail: string, code = 'invalid_input', attr: string | null = null) => ({
  type: 'validation_error',
  code,
  detail,
  attr,
});
const denied = (detail: string) => ({ type: 'authentication_error', code: 'permission_denied', detail, attr: null });
const NO_EDIT = denied("You don't have edit permissions for this dashboard.");
const NO_DASHBOARD = { type: 'invalid_request', code: 'not_found', detail: 'Dashboard not found.', attr: null };
const NO_ROW = { ...NO_DASHBOARD, detail: 'Not found.' };

test('spec 2.3 the record of a collaborator has exactly these fields', async () => {
  const answer = await add(member);
  expect([answer.statusCode, answer.json()]).toEqual([
    201,
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      dashboard_id: dashboardId,
      user: {
        id: member.id,
        uuid: member.uuid,
        distinct_id: expect.any(String),
        first_name: 'New',
        last_name: '',
        email: 'member@example.com',
        is_email_verified: false,
        hedgehog_config: {},
      },
      level: 37,
      added_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      user_uuid: member.uuid,
    },
  ]);
});

test('spec 2.3 id, dashboard_id, user and the times are read-only: a body cannot set them', async () => {
  const made = await it.call(maker, 'POST', url, {
    level: '37',
    user_uuid: member.uuid.replaceAll('-', '').toUpperCase(),
    id: '00000000-0000-4000-8000-000000000000',
    dashboard_id: 1,
    user: { uuid: other.uuid },
    added_at: '2001-01-01T00:00:00Z',
  });
  expect(made.statusCode).toBe(201);
  expect(made.json()).toMatchObject({ dashboard_id: dashboardId, user: { uuid: member.uuid }, level: 37 });
  expect(made.json().id).not.toBe('00000000-0000-4000-8000-000000000000');
  expect(made.json().added_at).not.toContain('2001');
});

test('spec 4.2 List: every member of the project gets a bare array in the order of adding, at both prefixes', async () => {
  expect((await it.call(other, 'GET', url)).json()).toEqual([]);
  const first = (await add(member)).json();
  it.advance(1000);
  const second = (await add(other, 21)).json();
  for (const path of [url, url.replace('environments', 'projects'), url.slice(0, -1), url.replace(/\d+/, '@current')]) {
    const answer = await it.call(other, 'GET', path);
    expect([answer.statusCode, answer.json()]).toEqual([200, [first, second]]);
  }
});

test.each([21, 37])('spec 4.2 Create: level %i on a dashboard of either restriction level', async (level) => {
  expect((await add(member, level)).statusCode).toBe(201);
  const open = await makeDashboard({ restriction_level: 21, created_by: maker.id });
  url = url.replace(String(dashboardId), String(open));
  expect((await add(member, level)).json()).toMatchObject({ dashboard_id: open, level });
  expect(await levels()).toEqual([[member.uuid, level]]);
});

test('spec 4.2 Delete: 204 without a body, on a dashboard of either restriction level', async () => {
  await add(member);
  const gone = await it.call(maker, 'DELETE', `${url}${member.uuid}/`);
  expect([gone.statusCode, gone.body]).toEqual([204, '']);
  expect(await levels()).toEqual([]);
  const again = await it.call(maker, 'DELETE', `${url}${member.uuid}/`);
  expect([again.statusCode, again.json()]).toEqual([404, NO_ROW]);

  await add(member);
  await it.deps.db.updateTable('dashboards').set({ restriction_level: 21 }).where('id', '=', dashboardId).execute();
  expect(await levels()).toEqual([[member.uuid, 37]]);
  expect((await it.call(maker, 'DELETE', `${url}${member.uuid.replaceAll('-', '')}`)).statusCode).toBe(204);
});

test('spec 4.2 Scope: dashboard:read for the list, dashboard:write for the rest', async () => {
  const key = async (...scopes: string[]) => ({ key: (await it.makeKey(maker.cookie ?? '', { scopes })).key });
  const [reader, writer, none] = [await key('dashboard:read'), await key('dashboard:write'), await key('insight:write')];
  const lacks = (scope: string) => denied(`API key missing required scope '${scope}'`);
  expect((await it.call(reader, 'GET', url)).statusCode).toBe(200);
  expect((await it.call(writer, 'GET', url)).statusCode).toBe(200);
  expect((await it.call(none, 'GET', url)).json()).toEqual(lacks('dashboard:read'));
  for (const by of [reader, none]) {
    expect((await add(member, 37, by)).json()).toEqual(lacks('dashboard:write'));
    expect((await it.call(by, 'DELETE', `${url}${member.uuid}/`)).json()).toEqual(lacks('dashboard:write'));
  }
  expect((await add(member, 37, writer)).statusCode).toBe(201);
  expect((await it.call(writer, 'DELETE', `${url}${member.uuid}/`)).statusCode).toBe(204);
  expect((await it.call({}, 'GET', url)).statusCode).toBe(401);
});

test.each(['GET', 'PATCH', 'PUT'] as const)('spec 4.2 there is no %s of one collaborator: 405', async (method) => {
  await add(member);
  const answer = await it.call(maker, method, `${url}${member.uuid}/`, method === 'GET' ? undefined : { level: 21 });
  expect([answer.statusCode, answer.json()]).toEqual([
    405,
    { type: 'invalid_request', code: 'method_not_allowed', detail: `Method "${method}" not allowed.`, attr: null },
  ]);
  expect(await levels()).toEqual([[member.uuid, 37]]);
});

describe('refused collaborators', () => {
  test.each([
    [{}, refusal('This field is required.', 'required', 'level')],
    [{ user_uuid: 'x' }, refusal('This field is required.', 'required', 'level')],
    [{ level: 37 }, refusal('This field is required.', 'required', 'user_uuid')],
    [{ level: null, user_uuid: 'x' }, refusal('This field may not be null.', 'null', 'level')],
    [{ level: 5, user_uuid: 'x' }, refusal('"5" is not a valid choice.', 'invalid_choice', 'level')],
    [{ level: 21, user_uuid: 'x' }, refusal('Must be a valid UUID.', 'invalid_input', 'user_uuid')],
    [{ level: 21, user_uuid: '00000000-0000-4000-8000-000000000000' }, refusal('User does not exist.')],
    [[], refusal('Invalid data. Expected a dictionary.')],
  ])('%j', async (body, expected) => {
    const answer = await it.call(maker, 'POST', url, body);
    expect([answer.statusCode, answer.json()]).toEqual([400, expected]);
    expect(await levels()).toEqual([]);
  });

  test('a deactivated user', async () => {
    const off = await person('off');
    await add(off);
    await it.deps.db.updateTable('users').set({ is_active: false }).where('id', '=', off.id).execute();
    expect((await add(off)).json()).toEqual(refusal('User does not exist.'));
    expect(await levels()).toEqual([]);
  });

  test('a user of another organization', async () => {
    const answer = await add(stranger);
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      refusal('Cannot add collaborators that have no access to the project.'),
    ]);
  });

  test('a member who has no access to the private project', async () => {
    await it.deps.db.updateTable('projects').set({ access_control: true }).where('id', '=', projectId).execute();
    try {
      expect((await add(member, 37, owner)).json()).toEqual(
        refusal('Cannot add collaborators that have no access to the project.'),
      );
    } finally {
      await it.deps.db.updateTable('projects').set({ access_control: false }).where('id', '=', projectId).execute();
    }
  });

  test('the creator of the dashboard and administrators', async () => {
    const expected = refusal(
      'Cannot add collaborators that already have inherent access (the dashboard owner or a project admins).',
    );
    const me = (await it.call(owner, 'GET', '/api/users/@me/')).json();
    expect((await add(maker)).json()).toEqual(expected);
    expect((await add(me)).json()).toEqual(expected);
    expect(await levels()).toEqual([]);
  });

  test('a user who already is a collaborator, at any level', async () => {
    await add(member, 37);
    const again = await add(member, 21);
    expect([again.statusCode, again.json()]).toEqual([400, refusal('User already is a collaborator.')]);
    expect(await levels()).toEqual([[member.uuid, 37]]);
  });

  test('of concurrent requests for the same user one adds the row, and the others get that refusal', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(member)));
    expect(answers.map((one) => one.statusCode).sort()).toEqual([201, ...Array(11).fill(400)]);
    for (const one of answers.filter(({ statusCode }) => statusCode === 400)) {
      expect(one.json()).toEqual(refusal('User already is a collaborator.'));
    }
    expect(await levels()).toEqual([[member.uuid, 37]]);
  });

  test('of concurrent removals one succeeds', async () => {
    await add(member);
    const answers = await Promise.all(Array.from({ length: 6 }, () => it.call(maker, 'DELETE', `${url}${member.uuid}/`)));
    expect(answers.map((one) => one.statusCode).sort()).toEqual([204, 404, 404, 404, 404, 404]);
  });

  test('a caller who may not edit the restricted dashboard is refused before the body is read', async () => {
    await add(member, 21);
    for (const by of [other, member]) {
      for (const answer of [
        await it.call(by, 'POST', url, {}),
        await it.call(by, 'DELETE', `${url}${member.uuid}/`),
        await it.call(by, 'DELETE', `${url}nobody/`),
      ]) {
        expect([answer.statusCode, answer.json()]).toEqual([403, NO_EDIT]);
      }
    }
    await it.call(maker, 'DELETE', `${url}${member.uuid}/`);
    await add(member, 37);
    expect((await add(other, 21, member)).statusCode).toBe(201);
  });

  test('a caller whom access rules make a viewer of an unrestricted dashboard', async () => {
    const open = await makeDashboard({ restriction_level: 21, created_by: maker.id });
    const { db, ids } = it.deps;
    const times = { created_at: new Date(), updated_at: new Date() };
    await db
      .insertInto('access_controls')
      .values({
        id: ids.uuid(),
        project_id: projectId,
        resource: 'dashboard',
        resource_id: String(open),
        access_level: 'viewer',
        ...times,
      })
      .execute();
    url = url.replace(String(dashboardId), String(open));
    expect((await it.call(other, 'GET', url)).statusCode).toBe(200);
    const answer = await add(member, 37, other);
    expect([answer.statusCode, answer.json()]).toEqual([403, denied('You do not have editor access to this resource.')]);
  });
});

describe('isolation of projects', () => {
  test('dashboards of another project, unknown and deleted dashboards are not found, for any method and body', async () => {
    const deleted = await makeDashboard({ restriction_level: 37, created_by: maker.id, deleted: true });
    const theirs = await makeDashboard({ restriction_level: 37, created_by: null, project_id: stranger.projectId });
    for (const id of [deleted, theirs, 2_147_483_647, 99_999_999_999, 'x', '-1', '1%00']) {
      const path = url.replace(`/${dashboardId}/`, `/${id}/`);
      for (const answer of [
        await it.call(owner, 'GET', path),
        await it.call(owner, 'POST', path, {}),
        await it.call(owner, 'POST', path, { level: 37, user_uuid: member.uuid }),
        await it.call(owner, 'DELETE', `${path}${member.uuid}/`),
      ]) {
        expect([answer.statusCode, answer.json()]).toEqual([404, NO_DASHBOARD]);
      }
    }
    expect(
      await it.deps.db.selectFrom('dashboard_collaborators').select('id').where('dashboard_id', '=', theirs).execute(),
    ).toEqual([]);
  });

  test('users of another organization cannot reach the project', async () => {
    for (const answer of [
      await it.call({ key: stranger.key }, 'GET', url),
      await add(member, 37, { key: stranger.key }),
      await it.call({ key: stranger.key }, 'DELETE', `${url}${member.uuid}/`),
    ]) {
      expect([answer.statusCode, answer.json().detail]).toEqual([404, 'Project not found.']);
    }
  });

  test('a user who left the organization is not listed', async () => {
    const leaver = await person('leaver');
    await add(leaver);
    await it.deps.db.deleteFrom('organization_memberships').where('user_id', '=', leaver.id).execute();
    expect(await levels()).toEqual([]);
    expect((await it.call(maker, 'DELETE', `${url}${leaver.uuid}/`)).statusCode).toBe(204);
  });
});

test('any body is accepted or refused with a documented error, and a refused body stores nothing', async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(21, 37, '37', 37.5, 1e300, member.uuid, '\0', '\ud800', 'x'.repeat(5000)),
  );
  const body = fc.oneof(
    fc.record({ level: value, user_uuid: value }, { requiredKeys: [] }),
    fc.record({ level: fc.constantFrom(21, 37), user_uuid: fc.oneof(fc.uuid(), value) }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const before = await levels();
      const answer = await it.call(maker, 'POST', url, sent);
      if (answer.statusCode === 201) {
        expect(await levels()).toHaveLength(before.length + 1);
        await it.call(maker, 'DELETE', `${url}${answer.json().user_uuid}/`);
        return;
      }
      expect(answer.statusCode).toBe(400);
      expect(Object.keys(answer.json())).toEqual(['type', 'code', 'detail', 'attr']);
      expect(await levels()).toEqual(before);
    }),
    { numRuns: 80 },
  );
});

test('the activity log has who added and removed which collaborator', async () => {
  await add(member, 21);
  await add(member, 21);
  await it.call(maker, 'DELETE', `${url}${member.uuid}/`);
  const entries = await it.deps.db
    .selectFrom('activity_log')
    .select(['activity', 'scope', 'user_id', 'detail'])
    .where('scope', '=', 'DashboardCollaborator')
    .orderBy('id', 'desc')
    .limit(2)
    .execute();
  const collaborator = { user_uuid: member.uuid, email: 'member@example.com', level: 21 };
  const change = { type: 'DashboardCollaborator', field: 'collaborator' };
  const entry = { scope: 'DashboardCollaborator', user_id: maker.id };
  expect(entries).toMatchObject([
    { ...entry, activity: 'deleted', detail: { name: 'Numbers', changes: [{ ...change, before: collaborator, after: null }] } },
    { ...entry, activity: 'created', detail: { name: 'Numbers', changes: [{ ...change, before: null, after: collaborator }] } },
  ]);
});
