import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AccountsApp, Caller } from '../../testing/accounts-app.js';
import { testProject } from '../../testing/people.js';
import { type SharingApp, startSharingApp } from '../../testing/sharing-app.js';

let it: AccountsApp;
let owner: Caller;
let maker: Caller;
let member: SharingApp['member'];
let projectId: number;
let make: SharingApp['make'];
let otherProject: number;
beforeAll(async () => {
  ({ it, owner, maker, member, projectId, make } = await startSharingApp());
  otherProject = await testProject(it.deps.db);
});
afterAll(() => it.close());

const denied = (detail: string) => ({ type: 'authentication_error', code: 'permission_denied', detail, attr: null });
const missing = (detail: string) => ({ type: 'invalid_request', code: 'not_found', detail, attr: null });
const refusal = (detail: string, code: string, attr: string | null) => ({ type: 'validation_error', code, detail, attr });
const times = () => ({ created_at: new Date(), updated_at: new Date() });

describe.each(['dashboard', 'insight'] as const)('sharing of one %s', (kind) => {
  let id: number;
  let url: string;
  beforeEach(async () => {
    id = await make[kind]({});
    url = `/api/environments/${projectId}/${kind}s/${id}/sharing/`;
  });

  const get = async (by: Caller = maker) => (await it.call(by, 'GET', url)).json();
  const patch = (body: unknown, by: Caller = maker) => it.call(by, 'PATCH', url, body);
  const addPassword = (body: unknown, by: Caller = maker) => it.call(by, 'POST', `${url}passwords/`, body);
  const column = kind === 'dashboard' ? 'dashboard_id' : 'insight_id';
  const rows = () => it.deps.db.selectFrom('sharing_configurations').selectAll().where(column, '=', id).execute();

  /** The access rule for everybody but the maker. */
  const rule = (access_level: string) =>
    it.deps.db
      .insertInto('access_controls')
      .values({
        id: it.deps.ids.uuid(),
        project_id: projectId,
        resource: kind,
        resource_id: String(id),
        access_level,
        ...times(),
      })
      .execute();

  test('spec 2.4 the record has created_at, enabled and access_token first, then the additional fields', async () => {
    const answer = await it.call(maker, 'GET', url);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        enabled: false,
        access_token: expect.stringMatching(/^[\w-]{30}$/),
        settings: {},
        password_required: false,
        view_count: 0,
        share_passwords: [],
      },
    ]);
    expect(Object.keys(answer.json()).slice(0, 3)).toEqual(['created_at', 'enabled', 'access_token']);
  });

  test('spec 4.3 List: one object, created by the first request and then unchanged, at both prefixes', async () => {
    const first = await get();
    it.advance(60_000);
    for (const path of [url, url.replace('environments', 'projects'), url.slice(0, -1), url.replace(/\d+/, '@current')]) {
      expect((await it.call(member, 'GET', path)).json()).toEqual(first);
    }
    expect(await rows()).toHaveLength(1);
  });

  test('spec 4.3 List: concurrent first requests get the same configuration', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => get()));
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(await rows()).toHaveLength(1);
  });

  test('spec 4.3 Scope: sharing_configuration:read for the list, sharing_configuration:write for changes', async () => {
    const key = async (...scopes: string[]) => ({ key: (await it.makeKey(maker.cookie ?? '', { scopes })).key });
    const [reader, writer, none] = await Promise.all([
      key('sharing_configuration:read'),
      key('sharing_configuration:write'),
      key(`${kind}:write`),
    ]);
    const lacks = (scope: string) => denied(`API key missing required scope 'sharing_configuration:${scope}'`);
    expect((await it.call(reader, 'GET', url)).statusCode).toBe(200);
    expect((await it.call(writer, 'GET', url)).statusCode).toBe(200);
    expect((await it.call(none, 'GET', url)).json()).toEqual(lacks('read'));
    for (const by of [reader, none]) {
      expect((await patch({ enabled: true }, by)).json()).toEqual(lacks('write'));
      expect((await it.call(by, 'POST', `${url}refresh/`)).json()).toEqual(lacks('write'));
      expect((await addPassword({}, by)).json()).toEqual(lacks('write'));
      expect((await it.call(by, 'DELETE', `${url}passwords/1/`)).json()).toEqual(lacks('write'));
    }
    expect((await patch({ enabled: true }, writer)).statusCode).toBe(200);
    expect((await it.call({}, 'GET', url)).statusCode).toBe(401);
  });

  test('the token stays the same when sharing is switched off and on', async () => {
    const before = await get();
    for (const enabled of [true, 'true', false, 1]) {
      const answer = await patch({ enabled });
      expect([answer.statusCode, answer.json()]).toEqual([200, { ...before, enabled: enabled !== false }]);
      expect(await get()).toEqual(answer.json());
    }
  });

  test('sharing can be enabled before any other request, also by concurrent ones', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => patch({ enabled: true })));
    expect(new Set(answers.map((one) => `${one.statusCode} ${one.body}`)).size).toBe(1);
    expect(answers[0]?.json()).toMatchObject({ enabled: true });
    expect(await rows()).toHaveLength(1);
  });

  test('forms are accepted, unknown and read-only fields are ignored, and an empty body changes nothing', async () => {
    const before = await get();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await it.call(maker, 'PATCH', url, 'enabled=on&access_token=mine&created_at=2001-01-01&x=1', form);
    expect(answer.json()).toEqual({ ...before, enabled: true });
    expect((await patch({})).json()).toEqual({ ...before, enabled: true });
  });

  test('settings are replaced as a whole; unknown ones are dropped; null clears them', async () => {
    const settings = async (value: unknown) => (await patch({ settings: value, password_required: true })).json().settings;
    expect(await settings({ whitelabel: 'yes', theme: 'dark', nonsense: 7 })).toEqual({ whitelabel: true, theme: 'dark' });
    expect(await settings({ legend: false, showInspector: false })).toEqual({ legend: false, showInspector: false });
    expect(await settings(null)).toEqual({});
    expect(await get()).toMatchObject({ settings: {}, password_required: true, enabled: false });
  });

  test.each([
    [{ enabled: 'perhaps' }, refusal('Must be a valid boolean.', 'invalid_input', 'enabled')],
    [{ enabled: null }, refusal('This field may not be null.', 'null', 'enabled')],
    [{ settings: [] }, refusal('Not a valid object.', 'invalid_input', 'settings')],
    [{ settings: { theme: 'pink' } }, refusal('"pink" is not a valid choice.', 'invalid_choice', 'settings__theme')],
    [
      { settings: { showInspector: true } },
      refusal('Public pages have no inspector.', 'invalid_input', 'settings__showInspector'),
    ],
    [{ settings: 1, enabled: 2 }, refusal('Must be a valid boolean.', 'invalid_input', 'enabled')],
    [{ password_required: {} }, refusal('Must be a valid boolean.', 'invalid_input', 'password_required')],
    [7, refusal('Invalid data. Expected a dictionary.', 'invalid_input', null)],
  ])('%j is refused', async (body, expected) => {
    const answer = await patch(body);
    expect([answer.statusCode, answer.json()]).toEqual([400, expected]);
  });

  test.each(['POST', 'PUT', 'DELETE'] as const)('%s of it: 405', async (method) => {
    const answer = await it.call(maker, method, url, {});
    expect([answer.statusCode, answer.json()]).toEqual([
      405,
      { type: 'invalid_request', code: 'method_not_allowed', detail: `Method "${method}" not allowed.`, attr: null },
    ]);
  });

  test('a refreshed token: the old one works for five minutes more if sharing is enabled', async () => {
    const before = await get();
    expect((await it.call(maker, 'POST', `${url}refresh/`)).json().access_token).not.toBe(before.access_token);
    expect(await rows()).toMatchObject([{ previous_token: null, previous_token_expires_at: null }]);
    const open = (await patch({ enabled: true })).json();
    const now = it.deps.clock.now();
    const answer = await it.call(maker, 'POST', `${url}refresh/`);
    expect([answer.statusCode, answer.json()]).toEqual([200, { ...open, access_token: expect.stringMatching(/^[\w-]{30}$/) }]);
    const [row] = await rows();
    expect(row?.previous_token).toBe(open.access_token);
    const lasts = (row?.previous_token_expires_at?.getTime() ?? 0) - now;
    expect(lasts).toBeGreaterThanOrEqual(5 * 60_000);
    expect(lasts).toBeLessThan(5 * 60_000 + 5000);
    expect((await get()).access_token).toBe(answer.json().access_token);
  });

  test('an organization that forbids sharing: 403 on enabling, for every caller; disabling and other requests still work', async () => {
    await patch({ enabled: true });
    const allow = (allowed: boolean) =>
      it.call(owner, 'PATCH', '/api/organizations/@current/', { allow_publicly_shared_resources: allowed });
    expect((await allow(false)).json()).toMatchObject({ allow_publicly_shared_resources: false });
    const answer = await patch({ enabled: true }, owner);
    expect([answer.statusCode, answer.json()]).toEqual([403, denied('Public sharing is disabled for this organization.')]);
    expect((await patch({ enabled: false })).json()).toMatchObject({ enabled: false });
    expect((await patch({ settings: {} })).statusCode).toBe(200);
    await allow(true);
    expect((await patch({ enabled: true })).json()).toMatchObject({ enabled: true });
  });

  test('a viewer of the object reads its sharing and changes nothing, and is refused before the body is read', async () => {
    await rule('viewer');
    const before = await get(member);
    for (const answer of [
      await patch({ enabled: 'nonsense' }, member),
      await it.call(member, 'POST', `${url}refresh/`),
      await addPassword({ raw_password: 7 }, member),
      await it.call(member, 'DELETE', `${url}passwords/x/`),
    ]) {
      expect([answer.statusCode, answer.json()]).toEqual([403, denied(`You don't have edit permissions for this ${kind}.`)]);
    }
    expect(await get()).toEqual(before);
    expect((await patch({ enabled: true }, owner)).statusCode).toBe(200);
  });

  test('the sharing of a hidden object is hidden', async () => {
    await rule('none');
    for (const answer of [await it.call(member, 'GET', url), await patch({ enabled: true }, member)]) {
      expect([answer.statusCode, answer.json()]).toEqual([403, denied('You do not have viewer access to this resource.')]);
    }
  });

  test('objects of another project, unknown and deleted ones are not found, and no configuration is created', async () => {
    const theirs = await make[kind]({ project_id: otherProject });
    const deleted = await make[kind]({ deleted: true });
    const count = async () => (await it.deps.db.selectFrom('sharing_configurations').select('id').execute()).length;
    const before = await count();
    for (const segment of [theirs, deleted, 2_147_483_647, 99_999_999_999, 'no-such-thing-here', '-1', '1%00']) {
      const path = url.replace(`/${id}/`, `/${segment}/`);
      for (const answer of [
        await it.call(owner, 'GET', path),
        await it.call(owner, 'PATCH', path, { enabled: 'nonsense' }),
        await it.call(owner, 'POST', `${path}refresh/`),
        await it.call(owner, 'POST', `${path}passwords/`, {}),
        await it.call(owner, 'DELETE', `${path}passwords/1/`),
      ]) {
        const detail = kind === 'dashboard' ? 'Dashboard not found.' : 'Not found.';
        expect([answer.statusCode, answer.json()]).toEqual([404, missing(detail)]);
      }
    }
    expect(await count()).toBe(before);
  });

  test('any body is accepted or refused with a documented error', async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(true, 'on', '\0', '\ud800', 1e300, 'x'.repeat(300)));
    const settings = fc.dictionary(fc.constantFrom('whitelabel', 'theme', 'legend', '__proto__', '\0'), value);
    const body = fc.oneof(
      fc.record({ enabled: value, settings: fc.oneof(settings, value), password_required: value }, { requiredKeys: [] }),
      fc.jsonValue({ maxDepth: 2 }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const before = await get();
        const answer = await patch(sent);
        if (answer.statusCode === 200) {
          expect(await get()).toEqual(answer.json());
          return;
        }
        expect([answer.statusCode, Object.keys(answer.json())]).toEqual([400, ['type', 'code', 'detail', 'attr']]);
        expect(await get()).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});

describe('sharing of a restricted dashboard', () => {
  test('its creator, administrators and invited editors change it; others get 403', async () => {
    const id = await make.dashboard({});
    const url = `/api/projects/${projectId}/dashboards/${id}/sharing/`;
    const enable = async (by: Caller) => {
      const answer = await it.call(by, 'PATCH', url, { enabled: true });
      return answer.statusCode === 200 ? 200 : answer.json();
    };
    await it.deps.db.updateTable('dashboards').set({ restriction_level: 37 }).where('id', '=', id).execute();
    const NO_EDIT = denied("You don't have edit permissions for this dashboard.");
    expect(await enable(member)).toEqual(NO_EDIT);
    expect([await enable(maker), await enable(owner)]).toEqual([200, 200]);
    const invite = (level: number) =>
      it.call(maker, 'POST', url.replace('sharing', 'collaborators'), { level, user_uuid: member.uuid });
    await invite(21);
    expect(await enable(member)).toEqual(NO_EDIT);
    await it.call(maker, 'DELETE', `${url.replace('sharing', 'collaborators')}${member.uuid}/`);
    await invite(37);
    expect(await enable(member)).toBe(200);
  });

  test('spec 2.2 is_shared of a dashboard equals enabled', async () => {
    const id = await make.dashboard({});
    const url = `/api/projects/${projectId}/dashboards/${id}/`;
    const isShared = async () => (await it.call(maker, 'GET', url)).json().is_shared;
    expect(await isShared()).toBe(false);
    await it.call(maker, 'PATCH', `${url}sharing/`, { enabled: true });
    expect(await isShared()).toBe(true);
    await it.call(maker, 'PATCH', `${url}sharing/`, { enabled: false });
    expect(await isShared()).toBe(false);
  });
});

test('the number of a dashboard does not reach an insight, and the reverse', async () => {
  const [dashboard, insight] = await Promise.all([make.dashboard({}), make.insight({})]);
  const token = async (path: string) =>
    (await it.call(maker, 'GET', `/api/projects/${projectId}/${path}/sharing/`)).json().access_token;
  expect(await token(`dashboards/${dashboard}`)).not.toBe(await token(`insights/${insight}`));
});
