import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { countStatements } from '../../testing/count-statements.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let ann: Caller & { uuid: string; membership: string };
let bob: Caller & { uuid: string; membership: string };
let role: string;
let project: OwnProject;
beforeAll(async () => {
  app = await startWithMembers();
});
beforeEach(async () => {
  project = await ownProject(app);
});
afterAll(() => app.close());

async function startWithMembers(): Promise<AccountsApp> {
  const started = await startAccountsApp();
  const join = async (email: string) => {
    const joined = await started.invite(email);
    const members = (await started.call(started.owner, 'GET', '/api/organizations/@current/members/')).json().results;
    return { ...joined, membership: members.find(({ user }: { user: { email: string } }) => user.email === email).id };
  };
  [ann, bob] = [await join('ann@example.com'), await join('bob@example.com')];
  role = (await started.call(started.owner, 'POST', '/api/organizations/@current/roles/', { name: 'Analysts' })).json().id;
  await started.call(started.owner, 'POST', `/api/organizations/@current/roles/${role}/role_memberships/`, {
    user_uuid: bob.uuid,
  });
  return started;
}

const make = async (path: string, body: object): Promise<number> => (await project.call('POST', path, body)).json().id;
const audience = async (path: string, query = '', caller?: Caller) => {
  const answer = await project.call('GET', `${path}/sharing/audience/${query}`, undefined, caller);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
type Member = { user: { email: string }; can_edit: boolean; can_edit_after: boolean; reasons: string[]; roles: string[] };
const byEmail = ({ members }: { members: Member[] }): Record<string, Member> =>
  Object.fromEntries(members.map((one) => [one.user.email, one]));
const rule = (path: string, body: object) => project.call('PUT', `${path}/access_controls/`, body);

describe.each(['dashboards', 'insights'])('%s', (collection) => {
  let path: string;
  beforeEach(async () => {
    const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }] };
    path = `${collection}/${await make(`${collection}/`, collection === 'dashboards' ? { name: 'Board' } : { name: 'Insight', query })}`;
  });

  test('without any rule all members of the project see and change it, and the link is off', async () => {
    const shown = await audience(path);
    expect(shown).toMatchObject({
      now: { visible_to: 3, editable_by: 3, link: 'off' },
      after: { visible_to: 3, editable_by: 3, link: 'off' },
      organization_members: 3,
      is_link_allowed: true,
      passwords: 0,
      reasons: [
        { reason: 'organization_admin', count: 1 },
        { reason: 'default_level', count: 2 },
      ],
    });
    expect(byEmail(shown)['owner@example.com']).toMatchObject({ user_access_level: 'manager', can_edit: true, roles: [] });
  });

  test('a change of the link or the password that is thought of shows in `after` and changes nothing', async () => {
    expect(await audience(path, '?enabled=true')).toMatchObject({ now: { link: 'off' }, after: { link: 'anyone' } });
    expect(await audience(path, '?enabled=true&password_required=true')).toMatchObject({ after: { link: 'password' } });
    expect((await project.call('GET', `${path}/sharing/`)).json()).toMatchObject({ enabled: false, password_required: false });
    await project.call('POST', `${path}/sharing/passwords/`, {});
    await project.call('PATCH', `${path}/sharing/`, { enabled: true, password_required: true });
    expect(await audience(path, '?enabled=false')).toMatchObject({
      now: { link: 'password' },
      after: { link: 'off' },
      passwords: 1,
    });
    expect(await audience(path, '?password_required=false')).toMatchObject({
      now: { link: 'password' },
      after: { link: 'anyone' },
    });
  });

  test('an organization without public pages has no audience of links', async () => {
    const allow = (allow_publicly_shared_resources: boolean) =>
      app.call(app.owner, 'PATCH', '/api/organizations/@current/', { allow_publicly_shared_resources });
    await project.call('PATCH', `${path}/sharing/`, { enabled: true });
    await allow(false);
    expect(await audience(path, '?enabled=true')).toMatchObject({
      now: { link: 'off' },
      after: { link: 'off' },
      is_link_allowed: false,
    });
    await allow(true);
    expect(await audience(path)).toMatchObject({ now: { link: 'anyone' } });
  });

  test.each([
    ['none for everybody', () => [{ access_level: 'none' }]],
    ['viewer for everybody', () => [{ access_level: 'viewer' }]],
    [
      'none for everybody, editor for a member',
      () => [{ access_level: 'none' }, { access_level: 'editor', organization_member: ann.membership }],
    ],
    ['none for everybody, viewer for a role', () => [{ access_level: 'none' }, { access_level: 'viewer', role }]],
    ['none for a role', () => [{ access_level: 'none', role }]],
    [
      'viewer for a role and editor for its member',
      () => [
        { access_level: 'viewer', role },
        { access_level: 'editor', organization_member: bob.membership },
      ],
    ],
  ])('with %s it says what each member really gets', async (_name, rules) => {
    for (const one of rules()) expect((await rule(path, one)).statusCode).toBe(200);
    const members = byEmail(await audience(path));
    for (const [email, caller] of Object.entries({ 'ann@example.com': ann, 'bob@example.com': bob })) {
      const seen = await project.call('GET', `${path}/`, undefined, { cookie: caller.cookie ?? '' });
      expect([email, members[email] !== undefined]).toEqual([email, seen.statusCode === 200]);
      const changed = await project.call('PATCH', `${path}/sharing/`, {}, { cookie: caller.cookie ?? '' });
      expect([email, members[email]?.can_edit ?? false]).toEqual([email, changed.statusCode === 200]);
    }
  });

  test('the reason names the rule that decides, and the role', async () => {
    await rule(path, { access_level: 'none' });
    await rule(path, { access_level: 'viewer', role });
    await rule(path, { access_level: 'editor', organization_member: ann.membership });
    const shown = await audience(path);
    expect(byEmail(shown)).toMatchObject({
      'ann@example.com': { reasons: ['member_rule'], roles: [], can_edit: true },
      'bob@example.com': { reasons: ['role_rule'], roles: ['Analysts'], can_edit: false, user_access_level: 'viewer' },
    });
    await rule(path, { access_level: 'viewer' });
    await rule(path, { access_level: null, role });
    expect(byEmail(await audience(path))['bob@example.com']).toMatchObject({ reasons: ['everybody_rule'] });
    await project.call('PUT', 'resource_access_controls/', { resource: collection.slice(0, -1), access_level: 'none' });
    // a rule about the object wins over one about its kind
    expect((await audience(path)).now).toMatchObject({ visible_to: 3, editable_by: 2 });
  });

  test('a private project is seen by administrators and explicit members alone', async () => {
    await app.call(app.owner, 'PATCH', `/api/projects/${project.id}/`, { access_control: true });
    expect(await audience(path)).toMatchObject({ now: { visible_to: 1 }, organization_members: 3 });
    await project.call('POST', 'explicit_members/', { user_uuid: ann.uuid });
    const shown = await audience(path);
    expect(shown.now).toEqual({ visible_to: 2, editable_by: 2, link: 'off' });
    expect(byEmail(shown)['ann@example.com']?.reasons).toEqual(['default_level', 'explicit_member']);
  });

  test('the audience is for users who may change the sharing, in the same project', async () => {
    await rule(path, { access_level: 'viewer' });
    const viewer = await project.call('GET', `${path}/sharing/audience/`, undefined, { cookie: ann.cookie ?? '' });
    expect([viewer.statusCode, viewer.json().code]).toEqual([403, 'permission_denied']);
    const other = await ownProject(app);
    expect((await other.call('GET', `${path}/sharing/audience/`)).statusCode).toBe(404);
    const key = await app.makeKey(app.owner.cookie, { scopes: ['dashboard:read', 'insight:read'] });
    expect((await project.call('GET', `${path}/sharing/audience/`, undefined, key)).statusCode).toBe(403);
    const reading = await app.makeKey(app.owner.cookie, { scopes: ['sharing_configuration:read'] });
    expect((await project.call('GET', `${path}/sharing/audience/`, undefined, reading)).statusCode).toBe(200);
  });

  test.each([
    ['?enabled=perhaps', 'invalid_input', 'enabled'],
    ['?password_required=2', 'invalid_input', 'password_required'],
  ])('%s is refused', async (query, code, attr) => {
    const answer = await project.call('GET', `${path}/sharing/audience/${query}`);
    expect([answer.statusCode, answer.json()]).toEqual([400, expect.objectContaining({ code, attr })]);
  });
});

describe('collaborators of dashboards', () => {
  let path: string;
  beforeEach(async () => {
    path = `dashboards/${await make('dashboards/', { name: 'Board', restriction_level: 37 })}`;
  });

  test('a restricted dashboard is changed by administrators and collaborators; who would be one shows in `after`', async () => {
    expect((await audience(path)).now).toMatchObject({ visible_to: 3, editable_by: 1 });
    const shown = await audience(path, `?collaborator=${ann.uuid}`);
    expect(shown).toMatchObject({ now: { editable_by: 1 }, after: { editable_by: 2 } });
    expect(byEmail(shown)['ann@example.com']).toMatchObject({ can_edit: false, can_edit_after: true });
    expect((await audience(path, '?restriction_level=21')).after).toMatchObject({ editable_by: 3 });
    await project.call('POST', `${path}/collaborators/`, { user_uuid: ann.uuid, level: 37 });
    const after = await audience(path);
    expect(after.now).toMatchObject({ editable_by: 2 });
    expect(byEmail(after)['ann@example.com']?.reasons).toEqual(['default_level', 'collaborator']);
    expect((await project.call('PATCH', `${path}/`, { name: 'By Ann' }, { cookie: ann.cookie ?? '' })).statusCode).toBe(200);
  });

  test('an insight on it is changed by its collaborators alone', async () => {
    const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }] };
    const dashboard = Number(path.split('/')[1]);
    const insight = `insights/${await make('insights/', { name: 'On it', query, dashboards: [dashboard] })}`;
    expect((await audience(insight)).now).toMatchObject({ visible_to: 3, editable_by: 1 });
    await project.call('POST', `${path}/collaborators/`, { user_uuid: ann.uuid, level: 37 });
    expect((await audience(insight)).now).toMatchObject({ visible_to: 3, editable_by: 2 });
  });

  test.each([
    ['?collaborator=nobody', 'Must be a valid UUID.'],
    ['?collaborator=0197a3c1-5d6e-7b2f-9a31-4c8e2f60b7d1', 'This user has no access to the project.'],
    ['?restriction_level=3', '"3" is not a valid choice.'],
  ])('%s is refused', async (query, detail) => {
    const answer = await project.call('GET', `${path}/sharing/audience/${query}`);
    expect([answer.statusCode, answer.json().detail]).toEqual([400, detail]);
  });
});

test('the number of statements does not grow with the members and rules', async () => {
  const path = `dashboards/${await make('dashboards/', { name: 'Board' })}`;
  const count = () => countStatements(() => audience(path));
  await audience(path);
  const before = await count();
  await rule(path, { access_level: 'viewer' });
  await rule(path, { access_level: 'editor', role });
  await app.invite('carl@example.com');
  expect(await count()).toBe(before);
});
