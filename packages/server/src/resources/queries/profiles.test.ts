import { eventMaker, eventually } from '@tidemark/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCHEMAS } from '../../analytics/query.js';
import { joinService, type ServiceMember } from '../../testing/join-service.js';
import { byPlan, NUMBERS_ALONE, OPEN, type Profile, plan, SHOWING, trend } from '../../testing/profile-queries.js';
import { startTestService, type TestService } from '../../testing/service.js';

/** Who has no access to persons or groups does not see them by a query either. */

let it: TestService;
let project: string;
let member: ServiceMember;

beforeAll(async () => {
  it = await startTestService();
  project = `/api/projects/${it.projectId}`;
  const event = eventMaker(1);
  const group = { $group_type: 'company', $group_key: 'acme', $group_set: { city: 'Oslo' } };
  const properties = { $set: { plan: 'secret-plan' }, $groups: { company: 'acme' }, price: 3 };
  const batch = [
    event({ event: '$groupidentify', distinct_id: 'ann', properties: group }),
    event({ event: 'bought', distinct_id: 'ann', properties }),
  ];
  await api('POST', '/batch/', { api_key: it.projectKey, batch });
  member = await joinService(it, 'member@example.com');
  await eventually(async () => expect((await api('GET', `${project}/persons/`)).results).toHaveLength(1));
});
afterAll(() => it?.close());
beforeEach(() => close());

/** Closes these to everybody but administrators, and opens the others. */
async function close(...closed: Profile[]): Promise<void> {
  for (const resource of ['person', 'group'] as const) {
    const access_level = closed.includes(resource) ? 'none' : null;
    await api('PUT', `${project}/resource_access_controls/`, { resource, access_level });
  }
}

async function api(method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, body?: object) {
  const answer = await it.call(method, url, { ...(body ? { body } : {}) });
  expect(answer.statusCode, `${method} ${url}: ${answer.body}`).toBeLessThan(300);
  return answer.statusCode === 204 ? null : answer.json();
}

const asMember = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
  it.call(method, `${project}/${path}`, { key: member.key, ...(body ? { body } : {}) });

const ask = (query: object, fields: object = {}) => asMember('POST', 'query/', { query, ...fields });

const WRAPPERS = [
  (source: object) => source,
  (source: object) => ({ kind: 'InsightVizNode', source }),
  (source: object) => ({ kind: 'DataTableNode', source }),
  (source: object) => ({ kind: 'DataVisualizationNode', source }),
];

test('each kind of query either has a case that shows profiles, or is known to be numbers alone', () => {
  const kinds = SCHEMAS.map((schema) => schema.meta()?.id);
  expect(kinds).toHaveLength(new Set(kinds).size);
  const judged = [...new Set(SHOWING.map(([{ kind }]) => kind)), ...Object.keys(NUMBERS_ALONE)];
  expect(judged.sort()).toEqual(kinds.sort());
});

describe.each(['person', 'group'] as const)('with %s none', (closed) => {
  beforeEach(() => close(closed));
  const name = (query: object) => JSON.stringify(query).slice(0, 150);

  test.each(SHOWING.map(([query, of, field]) => [name(query), { query, of, field }] as const))('%s', async (_, given) => {
    const { query, of, field } = given;
    if (of !== closed) {
      const answer = await ask(query);
      expect(answer.statusCode, answer.body).not.toBe(403);
      return;
    }
    for (const wrap of WRAPPERS) {
      const answer = await ask(wrap(query));
      expect(answer.statusCode, answer.body).toBe(403);
      expect(answer.json()).toEqual({
        type: 'authentication_error',
        code: 'permission_denied',
        detail: `You do not have viewer access to ${of}s, and this query shows them in ${field}.`,
        attr: `query__${field.replaceAll('.', '__')}`,
      });
    }
  });

  test('numbers and rows of events stay', async () => {
    for (const query of OPEN) {
      const answer = await ask(query);
      expect([answer.statusCode, answer.statusCode === 200 || answer.body, name(query)]).toEqual([200, true, name(query)]);
    }
  });
});

test('by default, and for administrators, all of them are computed', async () => {
  for (const [query] of SHOWING) expect((await ask(query)).body).not.toContain('permission_denied');
  await close('person', 'group');
  for (const [query] of SHOWING) {
    const answer = await it.call('POST', `${project}/query/`, { body: { query } });
    expect([200, 400], answer.body).toContain(answer.statusCode);
    expect(answer.body).not.toContain('access');
  }
});

describe('with persons hidden', () => {
  const insight = (query: object, fields: object = {}) =>
    api('POST', `${project}/insights/`, { name: 'By plan', query: { kind: 'InsightVizNode', source: query }, ...fields });

  test('a result that somebody else computed is not shown from the cache', async () => {
    const query = { ...trend, ...byPlan, dateRange: { date_from: '-30d' } };
    const { id, short_id } = await insight(query);
    const known = await api('GET', `${project}/insights/${id}/?refresh=blocking`);
    expect(JSON.stringify(known.result)).toContain('secret-plan');
    await close('person');
    for (const refresh of ['force_cache', 'blocking', 'force_blocking', 'async', 'lazy_async']) {
      const answer = await asMember('GET', `insights/${id}/?refresh=${refresh}`);
      expect(answer.body, refresh).not.toContain('secret-plan');
      expect(answer.statusCode).toBe(refresh === 'force_cache' ? 200 : 403);
      expect((await ask(query, { refresh })).statusCode).toBe(403);
    }
    const listed = await asMember('GET', `insights/?refresh=force_cache&short_id=${short_id}`);
    expect(listed.json().results).toMatchObject([{ result: null }]);
    expect((await api('GET', `${project}/insights/${id}/`)).result).toEqual(known.result);
  });

  test('a dashboard has the refusal in the place of the tile, also where its own breakdown shows them', async () => {
    const { id } = await api('POST', `${project}/dashboards/`, { name: 'Board' });
    const { id: plain } = await api('POST', `${project}/dashboards/`, {
      name: 'Plain',
      filters: { breakdown_filter: byPlan.breakdownFilter },
    });
    await insight({ ...trend, ...byPlan }, { dashboards: [id] });
    await insight(trend, { dashboards: [plain] });
    await close('person');
    for (const board of [id, plain]) {
      expect(JSON.stringify(await api('GET', `${project}/dashboards/${board}/?refresh=blocking`))).toContain('secret-plan');
      const answer = await asMember('GET', `dashboards/${board}/?refresh=blocking`);
      const [tile] = answer.json().tiles;
      expect(tile.insight.result).toBeNull();
      expect(tile.error).toMatchObject({ message: expect.stringContaining('viewer access to persons') });
      const streamed = await it.call('GET', `${project}/dashboards/${board}/stream_tiles/`, {
        key: null,
        headers: { cookie: member.cookie },
      });
      expect(streamed.body).toContain('viewer access to persons');
      expect(answer.body + streamed.body).not.toContain('secret-plan');
      // who may not see them cannot publish them either
      const shared = await asMember('PATCH', `dashboards/${board}/sharing/`, { enabled: true });
      expect([shared.statusCode, shared.json().code]).toEqual([403, 'permission_denied']);
    }
  });

  test('a public page shows what its publisher may see', async () => {
    const { id } = await api('POST', `${project}/dashboards/`, { name: 'Public' });
    await insight({ ...trend, ...byPlan }, { dashboards: [id] });
    const page = async () => (await it.call('GET', `/shared/${token}.json`, { key: null })).body;
    const shared = await asMember('PATCH', `dashboards/${id}/sharing/`, { enabled: true });
    const token: string = shared.json().access_token;
    expect(await page()).toContain('secret-plan');
    await close('person');
    expect(await page()).not.toContain('secret-plan');
    await api('PATCH', `${project}/dashboards/${id}/sharing/`, { enabled: false });
    await api('PATCH', `${project}/dashboards/${id}/sharing/`, { enabled: true });
    expect(await page()).toContain('secret-plan');
  });

  test('a query in the background is not polled or joined by its name', async () => {
    const query = { ...trend, ...byPlan, dateRange: { date_from: '-20d' } };
    await close('person');
    const started = await api('POST', `${project}/query/`, { query, client_query_id: 'plans', refresh: 'force_async' });
    expect(started.query_status.id).toBe('plans');
    const joined = await ask(trend, { client_query_id: 'plans', refresh: 'force_async' });
    expect(joined.body).not.toContain('secret-plan');
    expect(joined.statusCode).toBe(403);
    const unnamed = await api('POST', `${project}/query/`, { query, refresh: 'force_async' });
    const { id: insightId } = await insight(query);
    const ofInsight = await api('GET', `${project}/insights/${insightId}/?refresh=force_async`);
    for (const id of ['plans', unnamed.query_status.id, ofInsight.query_status.id]) {
      const polled = await asMember('GET', `query/${id}/`);
      expect([polled.statusCode, polled.json().code]).toEqual([403, 'permission_denied']);
    }
    const own = await ask(trend, { client_query_id: 'counts', refresh: 'force_async' });
    expect(own.statusCode).toBe(202);
    await eventually(async () => {
      const answer = await asMember('GET', 'query/counts/');
      expect(answer.json().query_status).toMatchObject({ complete: true, error: false });
    });
  });

  test('an export neither has them nor stays when they are hidden later', async () => {
    const { id } = await insight({ ...trend, ...byPlan });
    const done = async (body: object) => {
      const made = await asMember('POST', 'exports/', { export_format: 'text/csv', ...body });
      expect(made.statusCode, made.body).toBe(201);
      const { id: exportId } = made.json();
      return eventually(async () => {
        const one = (await asMember('GET', `exports/${exportId}/`)).json();
        expect(one.has_content === 'true' || one.exception !== null).toBe(true);
        return one;
      });
    };
    const sources = [
      { insight: id },
      { export_context: { source: { kind: 'ActorsQuery' } } },
      { export_context: { path: `${project}/persons/` } },
      { export_context: { path: `${project}/query/`, method: 'POST', body: { query: { kind: 'ActorsQuery' } } } },
    ];
    const before = [];
    for (const source of sources) before.push(await done(source));
    const harmless = await done({ export_context: { source: trend } });
    expect(before.map(({ exception }) => exception)).toEqual([null, null, null, null]);
    await close('person');
    for (const { id: exportId } of before) expect((await asMember('GET', `exports/${exportId}/content/`)).statusCode).toBe(404);
    expect((await asMember('GET', 'exports/')).json().results.map((one: { id: number }) => one.id)).toEqual([harmless.id]);
    for (const source of sources) expect((await done(source)).exception).toContain('access to');
  });

  test('alerts name no lines of an insight that shows them', async () => {
    const { id: insight_id } = await insight({ ...trend, ...byPlan });
    const threshold = { configuration: { type: 'absolute', bounds: { lower: 100 } } };
    const alert = { name: 'Few', insight: insight_id, condition: { type: 'absolute_value' }, threshold };
    const { id } = await api('POST', `${project}/alerts/`, {
      ...alert,
      config: { check_ongoing_interval: true, series_index: 0, type: 'TrendsAlertConfig' },
    });
    const checked = await eventually(async () => {
      const one = await api('GET', `${project}/alerts/${id}/`);
      expect(one.checks).toHaveLength(1);
      return one;
    });
    expect(JSON.stringify(checked)).toContain('secret-plan');
    await close('person');
    for (const path of [`alerts/${id}/`, 'alerts/']) {
      const seen = await asMember('GET', path);
      expect([seen.statusCode, seen.body.includes('secret-plan')]).toEqual([200, false]);
    }
    expect((await asMember('POST', 'alerts/', alert)).statusCode).toBe(403);
  });

  test('the activity log has no values of groups, and the test of a flag none of persons', async () => {
    const key = '?group_type_index=0&group_key=acme';
    await api('POST', `${project}/groups/update_property/${key}`, { key: 'city', value: 'secret-city' });
    const filters = { groups: [{ properties: plan, rollout_percentage: 100 }] };
    const { id } = await api('POST', `${project}/feature_flags/`, { key: 'by-plan', filters });
    const tested = () => asMember('POST', `feature_flags/${id}/test_evaluation/`, { distinct_id: 'ann' });
    expect((await asMember('GET', 'activity_log/')).body).toContain('secret-city');
    expect((await tested()).body).toContain('secret-plan');
    await close('person', 'group');
    expect((await asMember('GET', 'activity_log/')).body).not.toContain('secret-city');
    expect((await tested()).statusCode).toBe(403);
  });

  test('a key has no more than the access of its user, whatever its scopes', async () => {
    const cookie = { cookie: member.cookie };
    const body = { label: 'queries', scopes: ['query:read'] };
    const made = await it.call('POST', '/api/personal_api_keys/', { key: null, headers: cookie, body });
    const key: string = made.json().value;
    const listPersons = () => it.call('POST', `${project}/query/`, { key, body: { query: { kind: 'ActorsQuery' } } });
    expect((await listPersons()).statusCode).toBe(200);
    await close('person');
    expect((await listPersons()).statusCode).toBe(403);
    const session = await it.call('POST', `${project}/query/`, {
      key: null,
      headers: cookie,
      body: { query: { kind: 'ActorsQuery' } },
    });
    expect(session.statusCode).toBe(403);
  });

  test('lists of events and recordings have no persons', async () => {
    const now = new Date();
    const times = { start_time: now, end_time: now, updated_at: now };
    const recording = { project_id: it.projectId, session_id: '0192f3a1-7c1e-7b5a-9f58-3f1d2c4b5a69', distinct_id: 'ann' };
    await it.deps.db
      .insertInto('recordings')
      .values({ ...recording, ...times, snapshot_source: 'web', snapshot_library: 'web' })
      .execute();
    const paths = ['events/?event=bought&after=all', 'session_recordings/', `session_recordings/${recording.session_id}/`];
    for (const path of paths) expect((await asMember('GET', path)).body).toContain('secret-plan');
    await close('person');
    for (const path of paths) {
      const { statusCode, body } = await asMember('GET', path);
      expect(statusCode).toBe(200);
      if (path.startsWith('events'))
        expect(JSON.parse(body).results[0].person).toMatchObject({ distinct_id: 'ann', properties: {} });
      else expect(body).toContain('"person":null');
      // an event stays as it was sent
      expect(body.replaceAll('"$set":{"plan":"secret-plan"}', '')).not.toContain('secret-plan');
    }
  });
});
