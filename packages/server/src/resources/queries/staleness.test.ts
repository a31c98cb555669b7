import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CHEAP_MS } from '../../analytics/cache/freshness.js';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';

const HOUR = 3_600_000;

let it: TestService;
let other: number;
let stored = 0;
/** How many statements about the event of the test the engine ran. */
let statements = 0;
/** The event of a test, which makes its query one of its own. */
let name = '';

beforeAll(async () => {
  it = await startTestService({ stalenessSeconds: 10 });
  // results are of an hour: the tests must not run into the next one
  it.clock.advance(HOUR - (it.clock.now() % HOUR));
  const { organization } = (await it.call('GET', '/api/projects/@current/')).json();
  other = (await it.call('POST', `/api/organizations/${organization}/projects/`, { body: { name: 'Other' } })).json().id;
  const { events } = it.deps;
  const query = events.query.bind(events);
  // a query that takes long to compute
  events.query = async (statement) => {
    if (!Object.values(statement.params ?? {}).includes(name)) return query(statement);
    statements += 1;
    await sleep(CHEAP_MS * 2);
    return query(statement);
  };
});
afterAll(() => it.close());

beforeEach(async (context) => {
  name = `event of ${context.task.name}`;
  await store();
});

async function store(projectId = it.projectId): Promise<void> {
  stored += 1;
  const row = eventRow(stored, { project_id: projectId, event: name, timestamp: it.clock.now() - 1_000 });
  await it.deps.events.insert('events', [row], { token: `${stored}` });
}

const ask = (more: object = {}) => {
  const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: name }], dateRange: { date_from: '-1d' } };
  return it.call('POST', `/api/projects/${it.projectId}/query/`, { body: { query, refresh: 'blocking', ...more } });
};

async function answer(more: object = {}) {
  const body = (await ask(more)).json();
  return { count: body.results[0].count, isCached: body.is_cached, completeUntil: body.complete_until };
}

test('a result that took long is returned after new events, until it is too old', async () => {
  const first = await answer();
  expect(first).toMatchObject({ count: 1, isCached: false });
  await store();
  expect(await answer()).toEqual({ ...first, isCached: true });
  // however long it took
  it.clock.advance(600_000);
  const second = await answer();
  expect(second).toMatchObject({ count: 2, isCached: false });
  expect(Date.parse(second.completeUntil) - Date.parse(first.completeUntil)).toBeGreaterThanOrEqual(600_000);
});

test('a result is renewed in the background, once for all callers', async () => {
  await answer();
  await store();
  it.clock.advance(8_000);
  const before = statements;
  const seen = await Promise.all([answer(), answer(), answer()]);
  expect(seen.map(({ count }) => count)).toEqual([1, 1, 1]);
  await expect.poll(answer).toMatchObject({ count: 2, isCached: true });
  expect(statements - before).toBe(1);
});

test('callers share a computation that takes long, whatever is stored meanwhile', async () => {
  await answer();
  it.clock.advance(600_000);
  await store();
  const before = statements;
  const first = answer();
  await expect.poll(() => statements).toBe(before + 1);
  await store();
  expect((await answer()).count).toBe((await first).count);
  expect(statements).toBe(before + 1);
});

test('a request may want a current result', async () => {
  await answer();
  await store();
  expect(await answer({ staleness: 0 })).toMatchObject({ count: 2, isCached: false });
  await store();
  expect(await answer({ refresh: 'force_blocking' })).toMatchObject({ count: 3, isCached: false });
});

test('a project has a staleness of its own', async () => {
  const patch = (seconds: number | null) =>
    it.call('PATCH', `/api/projects/${it.projectId}/`, { body: { query_staleness_seconds: seconds } });
  await answer();
  await store();
  expect((await patch(0)).statusCode).toBe(200);
  expect(await answer()).toMatchObject({ count: 2 });
  await patch(null);
  await store();
  expect(await answer()).toMatchObject({ count: 2, isCached: true });
  expect((await patch(3_601)).json()).toMatchObject({ attr: 'query_staleness_seconds' });
});

test('lists of events and SQL are always current', async () => {
  const lists = [
    { kind: 'EventsQuery', select: ['event'], event: name },
    { kind: 'HogQLQuery', query: `select event from events where event = '${name}'` },
  ];
  const rows = async (query: object) => (await ask({ query })).json().results.length;
  for (const query of lists) await rows(query);
  await store();
  for (const query of lists) expect(await rows(query)).toBe(2);
});

test('events of another project change nothing, and the result is complete until now', async () => {
  const first = await answer();
  await store(other);
  it.clock.advance(60_000);
  const second = await answer();
  expect(second).toMatchObject({ count: 1, isCached: true });
  expect(Date.parse(second.completeUntil) - Date.parse(first.completeUntil)).toBeGreaterThanOrEqual(60_000);
});

test.each([-1, 3_601, 'soon'])('a staleness of %j is refused', async (staleness) => {
  const refused = await ask({ staleness });
  expect([refused.statusCode, refused.json().attr]).toEqual([400, 'staleness']);
});
