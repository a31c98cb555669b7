import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { group, paid, experiment as startExperiment } from '../../testing/experiments.js';
import { joinService, type ServiceMember } from '../../testing/join-service.js';
import { startTestService, type TestService } from '../../testing/service.js';

/* Who loses an experiment loses its results wherever they were computed before: in files of exports and in stored results of queries. */

let it: TestService;
let member: ServiceMember;
let url: string;
let root: string;
let query: object;
beforeAll(async () => {
  it = await startTestService();
  member = await joinService(it, 'member@example.com');
  const people = [...group('control', 400, paid(40)), ...group('test', 400, paid(84))];
  const metric = { metric_type: 'funnel', name: 'Purchases', series: [{ kind: 'EventsNode', event: 'paid' }] };
  const started = await startExperiment(it, people, { metrics: [metric] }, {});
  url = started.url;
  root = `/api/projects/${started.project.id}`;
  query = { kind: 'ExperimentQuery', experiment_id: (await it.call('GET', url)).json().id };
});
afterAll(() => it.close());

const as = (method: 'GET' | 'POST', path: string, body?: object) =>
  it.call(method, `${root}/${path}`, { key: member.key, ...(body ? { body } : {}) });
const rule = async (access_level: string | null) =>
  expect((await it.call('PUT', `${url}access_controls/`, { body: { access_level } })).statusCode).toBeLessThan(300);
const poll = (path: string, done: (body: ReturnType<typeof JSON.parse>) => boolean) =>
  vi.waitFor(
    async () => {
      const answer = await as('GET', path);
      expect(answer.statusCode, answer.body).toBe(200);
      expect(done(answer.json())).toBe(true);
    },
    { timeout: 60_000, interval: 30 },
  );

test('the file of an export that shows an experiment is gone while its maker may not see the experiment', async () => {
  const board = (await as('POST', 'dashboards/', { name: 'Checkout' })).json().id;
  const insight = (await as('POST', 'insights/', { name: 'Buyers', query, dashboards: [board] })).json().id;
  const path = new URL(url, 'http://localhost').pathname;
  const bodies = [
    { insight },
    { dashboard: board },
    { export_context: { source: query } },
    { export_context: { path } },
    { export_context: { path: `${root}/insights/${insight}/` } },
  ];
  const ids: number[] = [];
  for (const body of bodies) {
    const made = await as('POST', 'exports/', { export_format: 'application/json', ...body });
    expect(made.statusCode, made.body).toBe(201);
    ids.push(made.json().id);
  }
  const other = (
    await as('POST', 'exports/', { export_format: 'application/json', export_context: { path: `${root}/actions/` } })
  ).json().id;
  for (const id of [...ids, other]) await poll(`exports/${id}/`, ({ has_content }) => has_content === 'true');
  const statuses = async () => {
    const answers = ids.flatMap((id) => [as('GET', `exports/${id}/`), as('GET', `exports/${id}/content/`)]);
    return (await Promise.all(answers)).map(({ statusCode }) => statusCode);
  };
  const listed = async () => (await as('GET', 'exports/')).json().results.map(({ id }: { id: number }) => id);
  const all = [...ids, other].sort((a, b) => b - a);
  expect([await statuses(), await listed()]).toEqual([bodies.flatMap(() => [200, 200]), all]);
  await rule('none');
  expect([await statuses(), await listed()]).toEqual([bodies.flatMap(() => [404, 404]), [other]]);
  // the same where the whole kind is closed
  await rule(null);
  const kind = (access_level: string | null) =>
    it.call('PUT', `${root}/resource_access_controls/`, { body: { resource: 'experiment', access_level } });
  await kind('none');
  expect([await statuses(), await listed()]).toEqual([bodies.flatMap(() => [404, 404]), [other]]);
  await kind(null);
  expect([await statuses(), await listed()]).toEqual([bodies.flatMap(() => [200, 200]), all]);
});

test('the stored result of a query in the background is refused while the caller may not see the experiment', async () => {
  const begun = await as('POST', 'query/', { query, async: true, client_query_id: 'mine' });
  expect([200, 202]).toContain(begun.statusCode);
  await poll('query/mine/', ({ query_status }) => query_status.complete && query_status.results !== null);
  await rule('none');
  const refused = await as('GET', 'query/mine/');
  expect([refused.statusCode, refused.json().code]).toEqual([403, 'permission_denied']);
  expect(refused.body).not.toContain('control');
  await rule(null);
  expect((await as('GET', 'query/mine/')).statusCode).toBe(200);
});
