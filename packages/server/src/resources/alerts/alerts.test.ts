import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsApp, type Caller, startAccountsApp } from '../../testing/accounts-app.js';
import { type OwnProject, ownProject } from '../../testing/own-project.js';

let app: AccountsApp;
let member: Caller & { uuid: string };
let memberId: number;
let project: OwnProject;
let insight: { id: number; short_id: string };
let round = 0;
beforeAll(async () => {
  app = await startAccountsApp();
});
beforeEach(async () => {
  project = await ownProject(app);
  member = await app.invite(`member-${++round}-${Date.now()}@example.com`);
  memberId = (await app.call(member, 'GET', '/api/users/@me/')).json().id;
  insight = await makeInsight();
});
afterAll(() => app.close());

const TRENDS = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up' }] };
async function makeInsight(query: object = TRENDS) {
  const made = await project.call('POST', 'insights/', { name: 'Sign-ups', query });
  expect(made.statusCode, made.body).toBe(201);
  return made.json();
}
const FIELDS = {
  name: 'Too few sign-ups',
  condition: { type: 'absolute_value' },
  threshold: { configuration: { type: 'absolute', bounds: { lower: 10 } } },
};
const create = (fields: object = {}, caller?: Caller) =>
  project.call('POST', 'alerts/', { ...FIELDS, insight: insight.id, ...fields }, caller);
async function made(fields: object = {}, caller?: Caller) {
  const answer = await create(fields, caller);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}
const change = (id: string, fields: object, caller?: Caller) => project.call('PATCH', `alerts/${id}/`, fields, caller);
const read = (id: string, caller?: Caller) => project.call('GET', `alerts/${id}/`, undefined, caller);
const listed = async (query = '', caller?: Caller) => {
  const answer = await project.call('GET', `alerts/${query}`, undefined, caller);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
const idsOf = ({ results }: { results: { id: string }[] }) => results.map(({ id }) => id);
const setRule = (access_level: string | null, id = insight.id) =>
  project.call('PUT', `insights/${id}/access_controls/`, { access_level });
const jobs = () => app.deps.db.selectFrom('jobs').selectAll().where('project_id', '=', project.id).execute();

test('an alert is made, read, changed, deleted and restored, and all of it is in the activity log', async () => {
  const alert = await made({ webhook_url: 'https://hooks.example.com/services/T0/B0/secret-part' });
  expect(alert).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...FIELDS,
    insight: insight.id,
    insight_short_id: insight.short_id,
    insight_name: 'Sign-ups',
    enabled: true,
    calculation_interval: 'daily',
    threshold: { configuration: { type: 'absolute', bounds: { lower: 10, upper: null } } },
    config: { type: 'TrendsAlertConfig', series_index: 0, check_ongoing_interval: false },
    subscribed_users: [{ email: 'owner@example.com' }],
    has_webhook: true,
    webhook_url: 'https://hooks.example.com/services/T0/B0/secret-part',
    snoozed_until: null,
    state: 'Not firing',
    last_checked_at: null,
    last_value: null,
    last_notified_at: null,
    next_check_at: expect.stringMatching(/T01:00:00Z$/),
    checks: [],
    created_by: { email: 'owner@example.com' },
    last_modified_by: { email: 'owner@example.com' },
    deleted: false,
    can_edit: true,
  });
  // the first check does not wait for its time
  expect(await jobs()).toMatchObject([{ kind: 'alert-check', payload: { alert: alert.id } }]);
  expect((await read(alert.id)).json()).toEqual(alert);
  expect(await listed()).toMatchObject({ count: 1, next: null, results: [alert] });

  // what was answered can be sent back, and changes nothing but who saved it when
  const { updated_at: _, ...same } = alert;
  expect((await change(alert.id, alert)).json()).toMatchObject(same);
  expect(await jobs()).toHaveLength(1);

  const changed = await change(alert.id, {
    name: 'Far too few',
    calculation_interval: 'hourly',
    threshold: { configuration: { type: 'absolute', bounds: { lower: 5, upper: 100 } } },
    config: { check_ongoing_interval: true },
    subscribed_users: [memberId],
    webhook_url: null,
  });
  expect(changed.json()).toMatchObject({
    name: 'Far too few',
    threshold: { configuration: { bounds: { lower: 5, upper: 100 } } },
    config: { series_index: 0, check_ongoing_interval: true },
    subscribed_users: [{ id: memberId }],
    has_webhook: false,
    next_check_at: expect.stringMatching(/:05:00Z$/),
  });
  expect(await jobs()).toHaveLength(2);

  expect((await project.call('DELETE', `alerts/${alert.id}/`)).statusCode).toBe(204);
  expect([(await read(alert.id)).statusCode, (await change(alert.id, { name: 'x' })).statusCode]).toEqual([404, 404]);
  expect((await project.call('DELETE', `alerts/${alert.id}/`)).statusCode).toBe(404);
  expect(await listed()).toMatchObject({ count: 0 });
  expect((await change(alert.id, { deleted: false })).json()).toMatchObject({ name: 'Far too few', deleted: false });
  expect((await change(alert.id, { deleted: true })).json()).toMatchObject({ deleted: true });
  expect((await read(alert.id)).statusCode).toBe(404);

  const log = (await project.call('GET', `activity_log/?scope=Alert&item_id=${alert.id}`)).json();
  expect(log.results.map(({ activity }: { activity: string }) => activity)).toEqual([
    'deleted',
    'restored',
    'deleted',
    'updated',
    'created',
  ]);
  const { changes } = log.results[3].detail;
  expect(changes.map(({ field }: { field: string }) => field)).toEqual([
    'name',
    'calculation_interval',
    'threshold',
    'config',
    'subscribed_users',
    'webhook_url',
  ]);
  expect(JSON.stringify(log)).not.toContain('secret-part');
});

const bounded = (bounds: object, type = 'absolute') => ({ threshold: { configuration: { type, bounds } } });

test.each<[string, object, string, string]>([
  ['no name', { name: '' }, 'blank', 'name'],
  ['a long name', { name: 'x'.repeat(256) }, 'max_length', 'name'],
  ['no insight', { insight: null }, 'null', 'insight'],
  ['an unknown insight', { insight: 2_000_000_000 }, 'does_not_exist', 'insight'],
  ['an insight out of range', { insight: 9_000_000_000 }, 'does_not_exist', 'insight'],
  ['another interval', { calculation_interval: 'yearly' }, 'invalid_choice', 'calculation_interval'],
  ['another condition', { condition: { type: 'equal' } }, 'invalid_choice', 'condition__type'],
  ['no bound', bounded({}), 'invalid_input', 'threshold__configuration__bounds'],
  ['bounds that are null', bounded({ lower: null, upper: null }), 'invalid_input', 'threshold__configuration__bounds'],
  ['crossed bounds', bounded({ lower: 2, upper: 1 }), 'invalid_input', 'threshold__configuration__bounds'],
  ['a bound in words', bounded({ lower: 'ten' }), 'invalid_input', 'threshold__configuration__bounds__lower'],
  ['a huge bound', bounded({ upper: 1e300 }), 'invalid_input', 'threshold__configuration__bounds__upper'],
  ['a percentage of nothing', bounded({ lower: 0.1 }, 'percentage'), 'invalid_input', 'threshold__configuration__type'],
  ['a series that is not there', { config: { series_index: 1 } }, 'invalid_input', 'config__series_index'],
  ['another config', { config: { type: 'FunnelsAlertConfig' } }, 'invalid_choice', 'config__type'],
  ['skipped weekends', { skip_weekend: true }, 'invalid_input', 'skip_weekend'],
  ['a stranger', { subscribed_users: [2_000_000_000] }, 'does_not_exist', 'subscribed_users'],
  ['a webhook by FTP', { webhook_url: 'ftp://example.com/' }, 'invalid_input', 'webhook_url'],
  ['a webhook with a user', { webhook_url: 'https://a:b@example.com/' }, 'invalid_input', 'webhook_url'],
  ['a webhook that is no address', { webhook_url: 'example' }, 'invalid_input', 'webhook_url'],
  ['a webhook to the service', { webhook_url: 'http://127.0.0.1/' }, 'invalid_input', 'webhook_url'],
  ['the same in one number', { webhook_url: 'http://2130706433/' }, 'invalid_input', 'webhook_url'],
  ['the same in IPv6', { webhook_url: 'http://[::1]/' }, 'invalid_input', 'webhook_url'],
  ['the same as IPv4 in IPv6', { webhook_url: 'http://[::ffff:7f00:1]/' }, 'invalid_input', 'webhook_url'],
  ['a private network', { webhook_url: 'https://192.168.0.7/hook' }, 'invalid_input', 'webhook_url'],
  ['the metadata of a cloud', { webhook_url: 'http://169.254.169.254/latest/' }, 'invalid_input', 'webhook_url'],
  ['a shared network', { webhook_url: 'http://100.64.0.1/' }, 'invalid_input', 'webhook_url'],
  ['a private network in IPv6', { webhook_url: 'http://[fd00::1]/' }, 'invalid_input', 'webhook_url'],
  ['a translated address', { webhook_url: 'http://[64:ff9b::7f00:1]/' }, 'invalid_input', 'webhook_url'],
])('%s is refused', async (_, fields, code, attr) => {
  const answer = await create(fields);
  expect([answer.statusCode, answer.json()]).toMatchObject([400, { code, attr }]);
  expect(await listed()).toMatchObject({ count: 0 });
});

test.each([
  ['FunnelsQuery', { kind: 'FunnelsQuery', series: [{ event: 'a' }, { event: 'b' }] }],
  ['HogQLQuery', { kind: 'HogQLQuery', query: 'select 1' }],
  ['RetentionQuery', { kind: 'RetentionQuery', retentionFilter: {} }],
])('an insight of kind %s can have no alert', async (_, source) => {
  insight = await makeInsight({ kind: 'InsightVizNode', source });
  const answer = await create();
  expect([answer.statusCode, answer.json()]).toMatchObject([
    400,
    { attr: 'insight', detail: 'Only an insight that is a trend can have alerts.' },
  ]);
});

test('series are counted by formulas where the insight has any', async () => {
  insight = await makeInsight({
    ...TRENDS,
    series: [{ kind: 'EventsNode' }, { kind: 'EventsNode' }],
    trendsFilter: { formula: 'A / B' },
  });
  expect((await create({ config: { series_index: 1 } })).json()).toMatchObject({ attr: 'config__series_index' });
  await made({ config: { series_index: 0 } });
});

test('one number over a day that is not over needs the period that is not over', async () => {
  insight = await makeInsight({ ...TRENDS, dateRange: { date_from: 'today' }, trendsFilter: { display: 'BoldNumber' } });
  expect((await create()).json()).toMatchObject({ attr: 'config__check_ongoing_interval', code: 'invalid_input' });
  await made({ config: { check_ongoing_interval: true } });
});

describe('access', () => {
  test('who may change the insight changes its alerts; who may see it sees them without the webhook', async () => {
    const alert = await made({ webhook_url: 'https://hooks.example.com/secret-part' });
    const theirs = await made({ name: 'Of a member' }, member);
    expect(theirs).toMatchObject({ can_edit: true, subscribed_users: [{ id: memberId }] });
    await setRule('viewer');
    const seen = (await read(alert.id, member)).json();
    expect(seen).toMatchObject({ can_edit: false, has_webhook: true, webhook_url: null, name: FIELDS.name });
    expect(idsOf(await listed('', member)).sort()).toEqual([alert.id, theirs.id].sort());
    expect(JSON.stringify(await listed('', member))).not.toContain('secret-part');
    for (const answer of [
      await create({}, member),
      await change(theirs.id, { name: 'x' }, member),
      await project.call('DELETE', `alerts/${alert.id}/`, undefined, member),
    ])
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'permission_denied']);
    await setRule('none');
    expect((await read(alert.id, member)).statusCode).toBe(403);
    expect(await listed('', member)).toMatchObject({ count: 0 });
    expect((await project.call('GET', 'activity_log/?scope=Alert', undefined, member)).json()).toMatchObject({ count: 0 });
    expect((await project.call('GET', 'activity_log/?scope=Alert')).json().count).toBe(2);
  });

  test('a list has the alerts of the insights that one may see, whatever the rule about all insights', async () => {
    const alert = await made();
    insight = await makeInsight();
    await made({ name: 'Hidden' });
    await project.call('PUT', 'resource_access_controls/', { resource: 'insight', access_level: 'none' });
    expect(await listed('', member)).toMatchObject({ count: 0 });
    await setRule('viewer', alert.insight);
    expect(idsOf(await listed('', member))).toEqual([alert.id]);
    expect((await read(alert.id, member)).statusCode).toBe(200);
  });

  test('nobody moves an alert to an insight that they may not change', async () => {
    const alert = await made({}, member);
    const other = await makeInsight();
    await setRule('viewer', other.id);
    expect((await change(alert.id, { insight: other.id }, member)).statusCode).toBe(403);
    expect((await change(alert.id, { insight: other.id })).json()).toMatchObject({ insight: other.id });
  });

  test('keys need a scope, and those that only read are not shown webhooks', async () => {
    const alert = await made({ webhook_url: 'https://hooks.example.com/secret-part' });
    const reading = await app.makeKey(app.owner.cookie, { scopes: ['alert:read'] });
    const writing = await app.makeKey(app.owner.cookie, { scopes: ['alert:write'] });
    const other = await app.makeKey(app.owner.cookie, { scopes: ['insight:write'] });
    expect((await read(alert.id, { key: reading.key })).json()).toMatchObject({ webhook_url: null, has_webhook: true });
    expect((await change(alert.id, { name: 'x' }, { key: reading.key })).statusCode).toBe(403);
    expect((await read(alert.id, { key: writing.key })).json().webhook_url).toContain('secret-part');
    expect((await read(alert.id, { key: other.key })).statusCode).toBe(403);
  });

  test('alerts of a deleted insight are gone, and are restored with it', async () => {
    const alert = await made();
    const setDeleted = (deleted: boolean) => project.call('PATCH', `insights/${insight.id}/`, { deleted });
    await setDeleted(true);
    expect([(await read(alert.id)).statusCode, (await listed()).count]).toEqual([404, 0]);
    await setDeleted(false);
    expect([(await read(alert.id)).statusCode, (await listed()).count]).toEqual([200, 1]);
  });

  test('who leaves the organization is no subscriber any more', async () => {
    const alert = await made({ subscribed_users: [memberId] });
    await app.call(app.owner, 'DELETE', `/api/organizations/@current/members/${member.uuid}/`);
    expect((await read(alert.id)).json().subscribed_users).toEqual([]);
    // the response can be sent back all the same
    expect((await change(alert.id, { subscribed_users: [] })).statusCode).toBe(200);
    expect((await change(alert.id, { subscribed_users: [memberId] })).json()).toMatchObject({ code: 'does_not_exist' });
  });

  test('alerts of other projects are not found', async () => {
    const alert = await made();
    project = await ownProject(app);
    expect([(await read(alert.id)).statusCode, (await change(alert.id, {})).statusCode]).toEqual([404, 404]);
    expect((await create()).json()).toMatchObject({ code: 'does_not_exist', attr: 'insight' });
  });
});

test('lists are filtered by insight, state, subscription and name', async () => {
  const snoozed = await made({ name: 'Alpha', snoozed_until: '2090-01-01T00:00:00Z' });
  const plain = await made({ name: 'Beta', subscribed_users: [memberId] });
  insight = await makeInsight();
  const other = await made({ name: 'Gamma' });
  expect(idsOf(await listed())).toEqual([snoozed.id, plain.id, other.id]);
  expect(idsOf(await listed(`?insight_id=${other.insight}`))).toEqual([other.id]);
  expect(idsOf(await listed('?state=Snoozed'))).toEqual([snoozed.id]);
  expect(idsOf(await listed('?state=Firing,Errored'))).toEqual([]);
  expect(idsOf(await listed('?state=Firing,Not%20firing'))).toEqual([plain.id, other.id]);
  expect(idsOf(await listed('?subscribed=true', member))).toEqual([plain.id]);
  expect(idsOf(await listed('?search=ETA'))).toEqual([plain.id]);
  expect(await listed('?limit=1&offset=1')).toMatchObject({ count: 3, results: [{ id: plain.id }] });
  expect((await project.call('GET', 'alerts/?state=burning')).json()).toMatchObject({ code: 'invalid_choice', attr: 'state' });
});

test('a project has 500 alerts at most', async () => {
  const { id } = await made();
  const row = await app.deps.db.selectFrom('alerts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const json = (value: unknown) => JSON.stringify(value);
  const copies = Array.from({ length: 499 }, () => ({
    ...row,
    id: app.deps.ids.uuid(),
    condition: json(row.condition),
    threshold: json(row.threshold),
    config: json(row.config),
  }));
  await app.deps.db.insertInto('alerts').values(copies).execute();
  expect((await create()).json()).toMatchObject({ code: 'invalid_input', detail: 'A project may have 500 alerts.' });
  await change(id, { deleted: true });
  await made();
  expect((await change(id, { deleted: false })).json()).toMatchObject({ detail: 'A project may have 500 alerts.' });
});

describe('times of checks', () => {
  // moves the clock of the service forward only: each test is later than the one before
  const goTo = (time: string) => app.advance(Date.parse(time) - app.deps.clock.now());

  test.each([
    ['hourly', '2031-03-29T14:04:00Z', '2031-03-29T14:05:00Z'],
    ['hourly', '2031-03-29T14:05:00Z', '2031-03-29T15:05:00Z'],
    ['daily', '2031-03-29T23:30:00Z', '2031-03-30T00:00:00Z'],
    // 02:00 of this day is 03:00; the day has 23 hours
    ['daily', '2031-03-30T00:30:00Z', '2031-03-30T23:00:00Z'],
    // a week begins on Sunday by default, on the day of the change
    ['weekly', '2031-03-28T12:00:00Z', '2031-03-30T00:00:00Z'],
    ['weekly', '2031-03-30T12:00:00Z', '2031-04-05T23:00:00Z'],
    ['monthly', '2031-03-31T21:00:00Z', '2031-03-31T23:00:00Z'],
    ['monthly', '2031-10-26T12:00:00Z', '2031-11-01T00:00:00Z'],
  ])('%s at %s is next at %s in Berlin', async (calculation_interval, now, next) => {
    project = await ownProject(app, { timezone: 'Europe/Berlin' });
    insight = await makeInsight();
    goTo(now);
    expect(await made({ calculation_interval })).toMatchObject({ next_check_at: next });
  });

  test('an alert that is off has no next check', async () => {
    const alert = await made({ enabled: false });
    expect(alert.next_check_at).toBeNull();
    expect(await jobs()).toEqual([]);
    expect((await change(alert.id, { enabled: true })).json().next_check_at).not.toBeNull();
    expect(await jobs()).toHaveLength(1);
  });
});
