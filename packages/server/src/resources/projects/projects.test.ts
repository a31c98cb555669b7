import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withServices } from '../../services.js';
import { type AccountsApp, startAccountsApp } from '../../testing/accounts-app.js';
import { noChanges } from '../../testing/no-changes.js';

let it: AccountsApp;
let plain: { cookie: string };
beforeAll(async () => {
  it = await startAccountsApp();
  plain = await it.invite('plain@example.com');
});
afterAll(() => it.close());
const create = async (body: object = {}) => (await it.call(it.owner, 'POST', '/api/projects/', body)).json();

test('the list is an envelope of the projects that the caller sees, the same under both prefixes', async () => {
  const list = (await it.call(it.owner, 'GET', '/api/projects')).json();
  expect(Object.keys(list)).toEqual(['count', 'next', 'previous', 'results']);
  expect(Object.keys(list.results[0])).toEqual([
    'id',
    'uuid',
    'organization',
    'api_token',
    'name',
    'completed_snippet_onboarding',
    'has_completed_onboarding_for',
    'ingested_event',
    'is_demo',
    'timezone',
    'access_control',
  ]);
  expect((await it.call(it.owner, 'GET', '/api/environments/')).json()).toEqual(list);
  expect((await it.call(it.owner, 'GET', '/api/organizations/@current/projects/')).json().results).toEqual(list.results);
});

test('a member may change settings, but not those that delete data', async () => {
  const { id } = await create({ name: 'Kept' });
  const patch = (who: { cookie: string }, body: object) => it.call(who, 'PATCH', `/api/projects/${id}/`, body);
  expect((await patch(plain, { surveys_opt_in: false })).statusCode).toBe(200);
  for (const name of ['events_retention_days', 'exports_retention_days', 'activity_retention_days']) {
    expect((await patch(plain, { [name]: 30 })).json()).toMatchObject({ code: 'permission_denied' });
    expect((await patch(it.owner, { [name]: 30 })).json()).toMatchObject({ [name]: 30 });
  }
});

test('a project is created, retrieved, changed and deleted', async () => {
  const made = await it.call(it.owner, 'POST', '/api/projects/', {
    name: 'Web',
    timezone: 'Europe/Berlin',
    app_urls: ['https://a.example'],
  });
  expect(made.statusCode).toBe(201);
  const project = made.json();
  expect(project).toMatchObject({
    name: 'Web',
    timezone: 'Europe/Berlin',
    app_urls: ['https://a.example'],
    effective_membership_level: 15,
    user_access_level: 'admin',
    group_types: [],
    has_group_types: false,
    session_recording_opt_in: false,
    anonymize_ips: false,
  });
  const urls = [
    `/api/projects/${project.id}/`,
    `/api/environments/${project.id}`,
    `/api/organizations/@current/projects/${project.id}/`,
  ];
  for (const url of urls) expect((await it.call(it.owner, 'GET', url)).json()).toEqual(project);

  const settings = {
    week_start_day: '1',
    test_account_filters: [{ key: 'x\u0000\ud800' }],
    anonymize_ips: 'yes',
    person_display_name_properties: ['email'],
  };
  await Promise.all([
    it.call(it.owner, 'PATCH', urls[0] ?? '', settings),
    it.call(it.owner, 'PATCH', urls[2] ?? '', { autocapture_opt_out: true, uuid: 'x', api_token: 'changed' }),
  ]);
  const changed = (await it.call(it.owner, 'GET', urls[0] ?? '')).json();
  expect(changed).toMatchObject({
    week_start_day: 1,
    test_account_filters: [{ key: 'x\ufffd' }],
    anonymize_ips: true,
    autocapture_opt_out: true,
    app_urls: ['https://a.example'],
    api_token: project.api_token,
    uuid: project.uuid,
  });
  expect((await it.call(it.owner, 'DELETE', urls[1] ?? '')).statusCode).toBe(204);
  expect((await it.call(it.owner, 'GET', urls[0] ?? '')).json().detail).toBe('Project not found.');
});

test.each([
  [{ name: '' }, 'name', 'blank'],
  [{ name: 'x'.repeat(201) }, 'name', 'max_length'],
  [{ timezone: 'Mars/Olympus' }, 'timezone', 'invalid_choice'],
  [{ timezone: 'europe/berlin' }, 'timezone', 'invalid_choice'],
  [{ timezone: '+02:00' }, 'timezone', 'invalid_choice'],
  [{ access_control: 'maybe' }, 'access_control', 'invalid_input'],
  [{ app_urls: 'x' }, 'app_urls', 'not_a_list'],
  [{ week_start_day: 7 }, 'week_start_day', 'invalid_choice'],
  [
    { session_recording_minimum_duration_milliseconds: 'soon' },
    'session_recording_minimum_duration_milliseconds',
    'invalid_input',
  ],
  [
    { session_recording_minimum_duration_milliseconds: 2 ** 31 },
    'session_recording_minimum_duration_milliseconds',
    'invalid_input',
  ],
  [{ api_token: 'tms_abc' }, 'api_token', 'invalid_input'],
  [{ api_token: 'phx_abc' }, 'api_token', 'invalid_input'],
  [{ api_token: 'with space' }, 'api_token', 'invalid_input'],
  [{ api_token: 'é' }, 'api_token', 'invalid_input'],
  [{ api_token: 'x'.repeat(65) }, 'api_token', 'max_length'],
])('creation with %j is refused', async (body, attr, code) => {
  const answer = await it.call(it.owner, 'POST', '/api/projects/', body);
  expect([answer.statusCode, answer.json()]).toEqual([400, { type: 'validation_error', code, detail: expect.any(String), attr }]);
});

test('the home page of a project is one of its own dashboards', async () => {
  const [project, other] = [await create(), await create()];
  const dashboardOf = async ({ id }: { id: number }) =>
    (await it.call(it.owner, 'POST', `/api/projects/${id}/dashboards/`, {})).json().id;
  const [own, foreign, deleted] = [await dashboardOf(project), await dashboardOf(other), await dashboardOf(project)];
  await it.call(it.owner, 'PATCH', `/api/projects/${project.id}/dashboards/${deleted}/`, { deleted: true });
  const url = `/api/projects/${project.id}/`;
  const patch = (primary_dashboard: unknown) => it.call(it.owner, 'PATCH', url, { primary_dashboard });
  expect((await patch(String(own))).json().primary_dashboard).toBe(own);
  for (const id of [foreign, deleted, 0, -1, 999_999, 99_999_999_999]) {
    const refused = { type: 'validation_error', code: 'does_not_exist', attr: 'primary_dashboard' };
    const answers = [await patch(id), await it.call(it.owner, 'POST', '/api/projects/', { primary_dashboard: id })];
    for (const answer of answers) {
      expect([answer.statusCode, answer.json()]).toEqual([
        400,
        { ...refused, detail: `Invalid pk "${id}" - object does not exist.` },
      ]);
    }
  }
  expect((await patch('x')).json().code).toBe('incorrect_type');
  expect((await it.call(it.owner, 'GET', url)).json().primary_dashboard).toBe(own);
  expect((await patch(null)).json().primary_dashboard).toBeNull();
});

test.each(['US/Pacific', 'Asia/Kolkata', 'UTC', 'America/Port-au-Prince'])('time zone %s', async (timezone) => {
  expect((await create({ timezone })).timezone).toBe(timezone);
});

test('a project with a key chosen by the caller is created once', async () => {
  const both = await Promise.all(
    [1, 2].map(() => it.call(it.owner, 'POST', '/api/projects/', { api_token: 'phc_from-elsewhere' })),
  );
  expect(both.map((one) => one.statusCode).sort()).toEqual([201, 400]);
  expect(both.find((one) => one.statusCode === 400)?.json()).toMatchObject({ attr: 'api_token', code: 'unique' });
});

test('changes that need an administrator are refused to others', async () => {
  const { id } = await create();
  const tooLow = 'Your organization access level is insufficient.';
  const inProject = "You don't have sufficient permissions in the project.";
  const url = `/api/projects/${id}/`;
  expect((await it.call(plain, 'POST', '/api/projects/', { name: '' })).json().detail).toBe(tooLow);
  expect((await it.call(plain, 'POST', '/api/organizations/@current/projects/', {})).json().detail).toBe(tooLow);
  expect((await it.call(plain, 'DELETE', url)).json().detail).toBe(inProject);
  expect((await it.call(plain, 'PATCH', `${url}reset_token/`)).json().detail).toBe(inProject);
  expect((await it.call(plain, 'PATCH', url, { access_control: true })).json().detail).toBe(
    'Your organization access level is insufficient to configure project access restrictions.',
  );
  expect((await it.call(plain, 'PATCH', url, { name: 'by a member' })).json()).toMatchObject({
    name: 'by a member',
    effective_membership_level: 1,
    user_access_level: 'member',
  });
});

describe('the project of a public key', () => {
  test('known, unknown and malformed keys', async () => {
    const { id, organization, api_token } = await create({ timezone: 'Europe/Paris' });
    const expected = {
      id,
      organizationId: organization,
      apiToken: api_token,
      timezone: 'Europe/Paris',
      anonymizeIps: false,
      isCookieless: false,
    };
    expect(await it.deps.services.projectKeys.find(api_token)).toEqual(expected);
    for (const key of ['tmk_unknown', '', 'x'.repeat(65), 'a\0b', 'é'])
      expect(await it.deps.services.projectKeys.find(key)).toBeNull();
  });

  test('changes made by the same server count at once', async () => {
    expect(await it.deps.services.projectKeys.find('chosen-key')).toBeNull();
    const { id } = await create({ api_token: 'chosen-key' });
    expect(await it.deps.services.projectKeys.find('chosen-key')).toMatchObject({ id, anonymizeIps: false });
    await it.call(it.owner, 'PATCH', `/api/projects/${id}/`, { anonymize_ips: true });
    expect(await it.deps.services.projectKeys.find('chosen-key')).toMatchObject({ anonymizeIps: true });
    const { api_token } = (await it.call(it.owner, 'PATCH', `/api/projects/${id}/reset_token/`)).json();
    expect(api_token).toMatch(/^tmk_[\w-]{43}$/);
    expect(await it.deps.services.projectKeys.find('chosen-key')).toBeNull();
    expect(await it.deps.services.projectKeys.find(api_token)).toMatchObject({ id });
    await it.call(it.owner, 'DELETE', `/api/projects/${id}/`);
    expect(await it.deps.services.projectKeys.find(api_token)).toBeNull();
  });

  test('changes without a notification count within seconds', async () => {
    const { id, api_token } = await create();
    const deaf = withServices({ ...it.deps, metrics: new Registry(), changes: noChanges });
    await deaf.services.projectKeys.find(api_token);
    await it.deps.db.updateTable('projects').set({ anonymize_ips: true }).where('id', '=', id).execute();
    expect(await deaf.services.projectKeys.find(api_token)).toMatchObject({ anonymizeIps: false });
    it.advance(5_000);
    expect(await deaf.services.projectKeys.find(api_token)).toMatchObject({ anonymizeIps: true });
  });

  test('a project that changes while it is read is not cached', async () => {
    const { id, api_token } = await create();
    it.deps.services.projectKeys.forget([api_token]);
    const before = it.deps.services.projectKeys.find(api_token);
    await it.call(it.owner, 'DELETE', `/api/projects/${id}/`);
    await before;
    expect(await it.deps.services.projectKeys.find(api_token)).toBeNull();
  });

  test('cached projects are used for minutes while the database is unavailable', async () => {
    const fresh = await startAccountsApp();
    const { api_token, id } = (await fresh.call(fresh.owner, 'GET', '/api/projects/@current/')).json();
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    let isAway = false;
    const db = new Proxy(fresh.deps.db, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return isAway
          ? () => {
              throw away;
            }
          : value.bind(target);
      },
    });
    const { projectKeys } = withServices({ ...fresh.deps, metrics: new Registry(), db }).services;
    expect(await projectKeys.find(api_token)).toMatchObject({ id });
    isAway = true;
    expect(await projectKeys.find(api_token)).toMatchObject({ id });
    fresh.advance(5 * 60_000);
    expect(await projectKeys.find(api_token)).toMatchObject({ id });
    await expect(projectKeys.find('tmk_never-seen')).rejects.toThrow('ECONNREFUSED');
    fresh.advance(10 * 60_000);
    await expect(projectKeys.find(api_token)).rejects.toThrow('ECONNREFUSED');
    isAway = false;
    expect(await projectKeys.find(api_token)).toMatchObject({ id });
    await fresh.close();
  });
});
