import { eventMaker, eventually } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinService, type ServiceMember } from './testing/join-service.js';
import type { TestService } from './testing/service.js';
import { startWatchedService, type WatchedRoute } from './testing/watched-service.js';

/** Who is a viewer, or nobody, on every kind of object changes nothing by any route. */
let service: TestService;
let routes: readonly WatchedRoute[];
let member: ServiceMember;
let project: string;
/** Objects of the owner by the part of the path that comes before their id. */
const objects: Record<string, string> = {};
let kinds: string[];

/** Routes below a project that change nothing of it, or only what is the caller's own, with the reason. */
const OPEN: Record<string, string> = {
  'POST /query/': 'reads; what it may read is a matter of scopes',
  'DELETE /query/:id/': "ends the caller's own query",
  'POST /insights/:id/viewed/': "notes the caller's own look, for a viewer",
  'POST /dashboards/:id/viewed/': "notes the caller's own look, for a viewer",
  'POST /feature_flags/:id/viewed/': "notes the caller's own look, for a viewer",
  'PATCH /session_recordings/:id/': "notes the caller's own look, for a viewer",
  'POST /feature_flags/user_blast_radius/': 'counts people; changes nothing',
  'POST /cohorts/count/': 'counts people; changes nothing',
  'POST /feature_flags/:id/test_evaluation/': 'evaluates a flag for a viewer; changes nothing',
  'POST /experiments/running_time/': 'computes; changes nothing',
  'DELETE /explicit_members/:parent_membership__user__uuid/': 'one may leave a project; others are for administrators',
};

/** Routes that answer 405 to everybody. */
const NEVER = new Set(['DELETE /dashboards/:id/', 'DELETE /annotations/:id/', 'DELETE /actions/:id/']);

beforeAll(async () => {
  ({ service, routes } = await startWatchedService());
  project = `/api/projects/${service.projectId}`;
  const event = eventMaker(1);
  const properties = { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme' } };
  const batch = [event({ distinct_id: 'ann' }), event({ event: '$groupidentify', distinct_id: 'ann', properties })];
  await api('POST', '/batch/', { api_key: service.projectKey, batch });
  member = await joinService(service, 'viewer@example.com');
  const make = async (path: string, body: object) => (await api('POST', `${project}/${path}/`, body)).id;
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }] };
  objects['actions'] = await make('actions', { name: 'Signed up', steps: [{ event: 'signed up' }] });
  objects['annotations'] = await make('annotations', { content: 'Released', date_marker: '2026-01-01T00:00:00Z' });
  objects['dashboards'] = await make('dashboards', { name: 'Board' });
  objects['insights'] = await make('insights', { name: 'Insight', query });
  const threshold = { configuration: { type: 'absolute', bounds: { lower: 1 } } };
  const alert = { name: 'Alert', insight: objects['insights'], condition: { type: 'absolute_value' }, threshold };
  objects['alerts'] = await make('alerts', alert);
  objects['feature_flags'] = await make('feature_flags', { key: 'flag' });
  objects['cohorts'] = await make('cohorts', { name: 'Static', is_static: true });
  objects['experiments'] = await make('experiments', { name: 'Experiment', feature_flag_key: 'experiment' });
  objects['surveys'] = await make('surveys', { name: 'Survey', type: 'api', questions: [{ type: 'open', question: 'Why?' }] });
  objects['early_access_feature'] = await make('early_access_feature', { name: 'Feature', stage: 'beta' });
  objects['scheduled_changes'] = await make('scheduled_changes', {
    record_id: String(objects['feature_flags']),
    model_name: 'FeatureFlag',
    payload: { operation: 'update_status', value: false },
    scheduled_at: '2030-01-01T00:00:00Z',
  });
  objects['session_recordings'] = '0192f3a1-7c1e-7b5a-9f58-3f1d2c4b5a69';
  const now = new Date();
  const recording = { project_id: service.projectId, session_id: objects['session_recordings'], distinct_id: 'ann' };
  const times = { start_time: now, end_time: now, updated_at: now };
  await service.deps.db
    .insertInto('recordings')
    .values({ ...recording, ...times, snapshot_source: 'web', snapshot_library: 'web' })
    .execute();
  objects['persons'] = await eventually(async () => {
    const { results } = await api('GET', `${project}/persons/`);
    if (!results[0]) throw new Error('The person is not there yet.');
    return String(results[0].id);
  });
  const { detail } = (
    await service.call('PUT', `${project}/resource_access_controls/`, { body: { resource: '?', access_level: 'viewer' } })
  ).json();
  expect(detail).toContain('not a valid choice');
  const schema = (await api('GET', '/api/schema/?format=json')) as { paths: Record<string, Record<string, unknown>> };
  const put = JSON.stringify(schema.paths['/api/environments/{project_id}/resource_access_controls/']?.['put']);
  kinds = /"resource":\{[^}]*"enum":\[([^\]]+)\]/.exec(put)?.[1]?.replaceAll('"', '').split(',') ?? [];
});
afterAll(() => service?.close());

async function api(method: 'GET' | 'POST' | 'PUT', url: string, body?: object) {
  const answer = await service.call(method, url, { ...(body ? { body } : {}) });
  expect(answer.statusCode, `${method} ${url}: ${answer.body}`).toBeLessThan(300);
  return answer.json();
}

test.each(['viewer', 'none'])('with %s on every kind, no route changes anything', { timeout: 300_000 }, async (access_level) => {
  expect(kinds).toEqual(expect.arrayContaining(['person', 'group', 'export', 'project_settings', 'session_recording']));
  for (const resource of kinds) await api('PUT', `${project}/resource_access_controls/`, { resource, access_level });
  const prefix = '/api/projects/:project_id';
  const changing = routes.filter(
    ({ method, url }) => url.startsWith(`${prefix}/`) && !['GET', 'HEAD', 'OPTIONS'].includes(method),
  );
  expect(changing.length).toBeGreaterThan(60);
  const accepted: string[] = [];
  for (const { method, url } of changing) {
    const path = url.slice(prefix.length);
    if (`${method} ${path}` in OPEN || NEVER.has(`${method} ${path}`)) continue;
    const [, collection = ''] = path.split('/');
    const filled = path.replace(/:(\w+)/, () => objects[collection] ?? '1').replace(/:(\w+)/g, '1');
    const query = path.includes('_property') ? '?group_type_index=0&group_key=acme' : '';
    const body = bodyFor(path);
    for (const caller of [{ key: member.key }, { key: null, headers: { cookie: member.cookie } }]) {
      const answer = await service.call(method as 'POST', `${project}${filled}${query}`, {
        ...caller,
        ...(body ? { body } : {}),
      });
      if (answer.statusCode !== 403) accepted.push(`${method} ${path} ${answer.statusCode} ${answer.body.slice(0, 150)}`);
    }
  }
  expect(accepted).toEqual([]);
  // all that was asked for is there yet
  for (const path of ['persons', 'dashboards', 'insights', 'feature_flags', 'surveys', 'session_recordings']) {
    expect((await service.call('GET', `${project}/${path}/${objects[path]}/`)).statusCode, path).toBe(200);
  }
});

test('by default every member can do what members could do before access rules', async () => {
  for (const resource of kinds)
    await service.call('PUT', `${project}/resource_access_controls/`, { body: { resource, access_level: null } });
  const group = { group_type_index: 0, group_key: 'globex', group_properties: {} };
  const statuses = [
    await service.call('POST', `${project}/groups/`, { key: member.key, body: group }),
    await service.call('PATCH', `${project}/`, { key: member.key, body: { app_urls: ['https://example.com'] } }),
    await service.call('PATCH', `${project}/early_access_feature/${objects['early_access_feature']}/`, {
      key: member.key,
      body: { description: 'New' },
    }),
    await service.call('POST', `${project}/exports/`, {
      key: member.key,
      body: { insight: objects['insights'], export_format: 'text/csv' },
    }),
    await service.call('DELETE', `${project}/persons/${objects['persons']}/`, { key: member.key }),
  ].map(({ statusCode }) => statusCode);
  expect(statuses).toEqual([201, 200, 200, 201, 204]);
});

/** A body that would be taken, where the rights are looked at after it. */
function bodyFor(path: string): object | undefined {
  if (path.endsWith('/bulk_delete/')) return { session_recording_ids: [objects['session_recordings']] };
  if (path === '/alerts/') {
    const threshold = { configuration: { type: 'absolute', bounds: { lower: 1 } } };
    return { name: 'Theirs', insight: objects['insights'], condition: { type: 'absolute_value' }, threshold };
  }
  if (path === '/access_controls/') return { access_level: 'admin' };
  if (path.endsWith('access_controls/')) return { resource: 'insight', access_level: 'manager' };
  if (path.startsWith('/scheduled_changes/')) {
    const payload = { operation: 'update_status', value: true };
    const what = { record_id: String(objects['feature_flags']), model_name: 'FeatureFlag', payload };
    return { ...what, scheduled_at: '2031-01-01T00:00:00Z' };
  }
  return { name: 'changed' };
}
