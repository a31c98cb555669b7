import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../../testing/accounts-app.js';
import { runDueChanges } from '../index.js';

let app: AccountsApp;
let owner: Caller;
let member: { cookie: string; uuid: string };
let project: string;
let flag: { id: number };
let round = 0;

beforeAll(async () => {
  app = await startAccountsApp();
  owner = { key: app.owner.key };
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.deps.db.deleteFrom('scheduled_changes').execute();
  round += 1;
  project = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: `P${round}` })).json().id}`;
  member = await app.invite(`member${round}@example.com`);
  flag = await send('POST', '/feature_flags/', { key: 'a', active: false });
});

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
async function send(method: Method, path: string, body?: unknown, who: Caller = owner) {
  const answer = await app.call(who, method, `${project}${path}`, body);
  if (answer.statusCode < 300) return answer.body === '' ? null : answer.json();
  const { code, detail, attr } = answer.json();
  return [answer.statusCode, code, attr, detail];
}
const inFuture = (ms: number): string => new Date(app.deps.clock.now() + ms).toISOString();
const schedule = (payload: object, ms = 60_000, who: Caller = owner, extra: object = {}) =>
  send(
    'POST',
    '/scheduled_changes/',
    { record_id: flag.id, model_name: 'FeatureFlag', payload, scheduled_at: inFuture(ms), ...extra },
    who,
  );
const on = { operation: 'update_status', value: true };
const get = () => send('GET', `/feature_flags/${flag.id}/`);
const find = (id: number) => send('GET', `/scheduled_changes/${id}/`);

describe('scheduled changes', () => {
  test('a scheduled change is retrieved, updated and deleted', async () => {
    const made = await schedule(on);
    expect(made).toMatchObject({
      team_id: Number(project.split('/').at(-1)),
      record_id: String(flag.id),
      model_name: 'FeatureFlag',
      payload: on,
      executed_at: null,
      failure_reason: null,
      created_by: { email: 'owner@example.com' },
    });
    expect(await find(made.id)).toEqual(made);
    expect(await send('GET', `/scheduled_changes/?model_name=FeatureFlag&record_id=${flag.id}`)).toMatchObject({
      count: 1,
      results: [made],
    });
    expect((await send('GET', '/scheduled_changes/?record_id=x')).count).toBe(0);
    const off = { operation: 'update_status', value: false };
    expect((await send('PATCH', `/scheduled_changes/${made.id}/`, { payload: off })).payload).toEqual(off);
    expect((await send('PUT', `/scheduled_changes/${made.id}/`, { scheduled_at: '2030-01-01T00:00:00Z' })).scheduled_at).toBe(
      '2030-01-01T00:00:00Z',
    );
    expect(await send('DELETE', `/scheduled_changes/${made.id}/`)).toBeNull();
    expect(await find(made.id)).toEqual([404, 'not_found', null, 'Not found.']);
  });

  test.each([
    [{ record_id: undefined }, 'required', 'record_id'],
    [{ record_id: 999_999 }, 'does_not_exist', 'record_id'],
    [{ record_id: 'x' }, 'does_not_exist', 'record_id'],
    [{ model_name: 'Dashboard' }, 'invalid_choice', 'model_name'],
    [{ scheduled_at: 'soon' }, 'invalid_input', 'scheduled_at'],
    [{ payload: [] }, 'invalid_input', 'payload'],
    [{ payload: {} }, 'invalid_input', 'payload'],
    [{ payload: { operation: 'update_status', value: 'true' } }, 'invalid_input', 'payload'],
    [{ payload: { operation: 'add_release_condition', value: { groups: [] } } }, 'invalid_input', 'payload'],
    [
      { payload: { operation: 'add_release_condition', value: { groups: [{ rollout_percentage: 101 }] } } },
      'invalid_input',
      'payload',
    ],
    [
      { payload: { operation: 'update_variants', value: { variants: [{ key: 'x', rollout_percentage: 10 }] } } },
      'invalid_input',
      'payload',
    ],
  ])('%j is refused', async (fields, code, attr) => {
    expect((await schedule(on, 60_000, owner, fields)).slice(0, 3)).toEqual([400, code, attr]);
  });

  test('only callers who may change the flag can schedule changes of it', async () => {
    const made = await schedule(on);
    await send('PUT', `/feature_flags/${flag.id}/access_controls/`, { access_level: 'viewer' });
    const denied = [403, 'permission_denied', null, 'You do not have editor access to this resource.'];
    expect(await schedule(on, 1, member)).toEqual(denied);
    expect(await send('DELETE', `/scheduled_changes/${made.id}/`, undefined, member)).toEqual(denied);
    expect(await send('PATCH', `/scheduled_changes/${made.id}/`, {}, member)).toEqual(denied);
    expect((await send('GET', '/scheduled_changes/', undefined, member)).count).toBe(1);
    await send('PUT', `/feature_flags/${flag.id}/access_controls/`, { access_level: 'none' });
    expect((await send('GET', '/scheduled_changes/', undefined, member)).count).toBe(0);
    expect((await send('GET', `/scheduled_changes/${made.id}/`, undefined, member))[0]).toBe(403);
    project = `/api/projects/${(await app.call(owner, 'POST', '/api/projects/', { name: 'Other' })).json().id}`;
    expect(await find(made.id)).toEqual([404, 'not_found', null, 'Not found.']);
    expect((await schedule(on))[2]).toBe('record_id');
  });
});

describe('due changes', () => {
  test('a due change is made once, and the activity log has it under the user who scheduled it', async () => {
    const made = await schedule(on, 60_000, member);
    expect(await runDueChanges(app.deps)).toBe(0);
    expect((await get()).active).toBe(false);
    app.advance(61_000);
    expect((await Promise.all([1, 2, 3].map(() => runDueChanges(app.deps)))).reduce((a, b) => a + b)).toBe(1);
    expect(await get()).toMatchObject({ active: true, version: 2, last_modified_by: { uuid: member.uuid } });
    expect(await find(made.id)).toMatchObject({ failure_reason: null, executed_at: expect.any(String) });
    const [entry] = (await send('GET', `/feature_flags/${flag.id}/activity/`)).results;
    expect(entry).toMatchObject({
      activity: 'updated',
      user: { uuid: member.uuid },
      detail: {
        name: 'a',
        changes: [{ field: 'active', after: true }],
        trigger: { job_type: 'scheduled_change', job_id: String(made.id) },
      },
    });
    const past = [400, 'invalid_input', null, 'This change has been made already.'];
    expect(await send('PATCH', `/scheduled_changes/${made.id}/`, { payload: on })).toEqual(past);
  });

  test('conditions and variants are applied in order to the current flag', async () => {
    const variants = [{ key: 'x', rollout_percentage: 100 }];
    await schedule({ operation: 'update_variants', value: { variants, payloads: { x: '1' } } }, 2_000);
    await schedule({ operation: 'add_release_condition', value: { groups: [{ properties: [], rollout_percentage: 5 }] } }, 1_000);
    await send('PATCH', `/feature_flags/${flag.id}/`, { filters: { groups: [{ properties: [], rollout_percentage: 1 }] } });
    app.advance(5_000);
    const counts = await Promise.all([runDueChanges(app.deps), runDueChanges(app.deps)]);
    expect(counts[0] + counts[1]).toBe(2);
    expect(await get()).toMatchObject({
      version: 4,
      filters: {
        groups: [
          { properties: [], rollout_percentage: 1 },
          { properties: [], rollout_percentage: 5 },
        ],
        multivariate: { variants },
        payloads: { x: '1' },
      },
    });
  });

  test('a change that fails has a reason, and does not block others', async () => {
    const gone = await schedule(on, 0);
    await send('PATCH', `/feature_flags/${flag.id}/`, { deleted: true });
    flag = await send('POST', '/feature_flags/', { key: 'b' });
    const needed = await schedule({ operation: 'update_status', value: false }, 0);
    const filters = {
      groups: [{ properties: [{ key: String(flag.id), type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
    };
    await send('POST', '/feature_flags/', { key: 'c', filters });
    const theirs = await schedule(on, 0, member);
    await send('PUT', `/feature_flags/${flag.id}/access_controls/`, { access_level: 'viewer' });
    const fine = await schedule({ operation: 'add_release_condition', value: { groups: [{ rollout_percentage: 5 }] } }, 0);
    expect(await runDueChanges(app.deps)).toBe(4);
    expect((await find(gone.id)).failure_reason).toBe('The feature flag is deleted.');
    expect((await find(needed.id)).failure_reason).toContain('other active flags depend on it: c');
    expect((await find(theirs.id)).failure_reason).toBe('You do not have editor access to this resource.');
    expect((await find(fine.id)).failure_reason).toBeNull();
    expect((await get()).version).toBe(2);
  });

  test('changes of a user who has left fail', async () => {
    const made = await schedule(on, 0, member);
    const members = (await app.call(owner, 'GET', '/api/organizations/@current/members/')).json().results;
    expect(members.some(({ user }: { user: { uuid: string } }) => user.uuid === member.uuid)).toBe(true);
    await app.call(owner, 'DELETE', `/api/organizations/@current/members/${member.uuid}/`);
    await runDueChanges(app.deps);
    expect((await find(made.id)).failure_reason).toBe("You don't have access to the project.");
    expect((await get()).active).toBe(false);
  });
});
