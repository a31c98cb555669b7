import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinService } from '../../testing/join-service.js';
import { startTestService, type TestService } from '../../testing/service.js';

let it: TestService;
let project: string;
beforeAll(async () => {
  it = await startTestService();
  project = `/api/projects/${it.projectId}`;
  const hours = (count: number) => new Date(it.clock.now() - count * 3_600_000).toISOString();
  const batch = [
    { event: 'bought', distinct_id: 'ann', timestamp: hours(50), properties: { plan: 'pro' } },
    { event: 'bought', distinct_id: 'bob', timestamp: hours(3), properties: { plan: 'free', amount: 5 } },
    { event: 'looked', distinct_id: 'ann', timestamp: hours(2), properties: { plan: 'pro', $groups: { company: 'acme' } } },
    { event: 'bought', distinct_id: 'ann', timestamp: hours(1), properties: { plan: 'Pro', $set: { email: 'ann@example.com' } } },
  ];
  const sent = await it.call('POST', '/batch/', { key: null, body: { api_key: it.projectKey, batch } });
  expect(sent.statusCode).toBe(200);
});
afterAll(() => it.close());

const get = async (path: string) => (await it.call('GET', `${project}${path}`)).json();
const names = async (query: string): Promise<string[]> =>
  (await get(`/events/?${query}`)).results.map(({ event, distinct_id }: Record<string, string>) => `${event} ${distinct_id}`);

test('events/ lists events, newest first, and its parameters filter them', async () => {
  expect(await names('')).toEqual(['bought ann', 'looked ann', 'bought bob']);
  expect(await names('after=all')).toHaveLength(4);
  expect(await names('event=bought')).toEqual(['bought ann', 'bought bob']);
  expect(await names('distinct_id=bob')).toEqual(['bought bob']);
  expect(await names(`properties=${encodeURIComponent('[{"key":"amount","value":4,"operator":"gt"}]')}`)).toEqual(['bought bob']);
  const [first] = (await get('/events/?event=looked')).results;
  expect(first).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    properties: { plan: 'pro', $group_0: 'acme' },
    person: { properties: { email: 'ann@example.com' } },
    elements: [],
    elements_chain: '',
  });
  expect(await names(`person_id=${first.person.uuid}`)).toEqual(['bought ann', 'looked ann']);
});

test('the pages of events/ follow each other without gaps or repetitions', async () => {
  const seen: string[] = [];
  let path: string | null = '/events/?after=all&limit=3';
  while (path !== null) {
    const page: { next: string | null; results: { id: string }[] } = await get(path);
    seen.push(...page.results.map(({ id }) => id));
    path = page.next && new URL(page.next).pathname.replace(project, '') + new URL(page.next).search;
  }
  expect([seen.length, new Set(seen).size]).toEqual([4, 4]);
});

test.each([2, 130])('events of a person with %d merged distinct ids are found by any of them', async (count) => {
  const id = `many-${count}`;
  const anonymous = Array.from({ length: count }, (_, index) => `${id}-${index}`);
  const seen = anonymous.map((distinct_id) => ({ event: 'seen', distinct_id, properties: {} }));
  const merged = anonymous.map(($anon_distinct_id) => ({
    event: '$identify',
    distinct_id: id,
    properties: { $anon_distinct_id },
  }));
  for (const batch of [seen, merged]) {
    await it.call('POST', '/batch/', { key: null, body: { api_key: it.projectKey, batch } });
  }
  const [{ person }] = (await get(`/events/?distinct_id=${id}`)).results;
  const found: string[] = await names(`event=seen&person_id=${person.uuid}&limit=200`);
  expect(found.toSorted()).toEqual(anonymous.map((one) => `seen ${one}`).toSorted());
});

test('values of properties are listed by frequency', async () => {
  expect(await get('/events/values/?key=plan')).toEqual([
    { name: 'pro', count: 2 },
    { name: 'Pro', count: 1 },
    { name: 'free', count: 1 },
  ]);
  expect(await get('/events/values/?key=plan&event_name=looked&value=PR')).toEqual([{ name: 'pro', count: 1 }]);
  expect(await get('/persons/values/?key=email&value=ann')).toEqual([{ name: 'ann@example.com', count: 1 }]);
  expect(await get('/persons/values/?key=none')).toEqual([]);
});

test('values of recent days come first, and older days are read until there are enough', async () => {
  const days = (count: number) => new Date(it.clock.now() - count * 86_400_000).toISOString();
  const sent = (day: number, color: string) => ({
    event: 'painted',
    distinct_id: 'ann',
    timestamp: days(day),
    properties: { color, nested: { deep: 1 }, parts: [1, 2], size: 3 },
  });
  const batch = [sent(0, 'red'), sent(5, 'blue'), sent(5, 'red'), sent(20, 'green'), sent(60, 'gray'), sent(200, 'old')];
  await it.call('POST', '/batch/', { key: null, body: { api_key: it.projectKey, batch } });
  expect(await get('/events/values/?key=color')).toEqual([
    { name: 'red', count: 2 },
    { name: 'blue', count: 1 },
    { name: 'gray', count: 1 },
    { name: 'green', count: 1 },
  ]);
  expect(await get('/events/values/?key=color&limit=1')).toEqual([{ name: 'red', count: 1 }]);
  expect(await get('/events/values/?key=color&value=%25')).toEqual([]);
  expect(await get('/events/values/?key=color&event_name=bought')).toEqual([]);
  expect(await get('/events/values/?key=size&limit=1')).toEqual([{ name: '3', count: 1 }]);
  expect(await get('/events/values/?key=parts&limit=1')).toEqual([{ name: '[1,2]', count: 1 }]);
  expect(await get('/events/values/?key=nested')).toEqual([]);
});

test('property_definitions/seen_together/ returns which events have a property', async () => {
  const query = `event_names=${encodeURIComponent('["bought","looked","never"]')}&property_name=amount`;
  await expect
    .poll(() => get(`/property_definitions/seen_together/?${query}`))
    .toEqual({ bought: true, looked: false, never: false });
});

test.each([
  ['/events/?after=someday', 'after'],
  ['/events/?person_id=7', 'person_id'],
  ['/events/?properties={', 'properties'],
  ['/events/?action_id=7', 'action_id'],
  ['/events/values/', 'key'],
  ['/persons/values/?key=%5E%60b', 'key'],
  ['/events/values/?key=a&limit=many', 'limit'],
  ['/property_definitions/seen_together/?property_name=a', 'event_names'],
])('%s is refused', async (path, attr) => {
  const answer = await it.call('GET', `${project}${path}`);
  expect([answer.statusCode, answer.json().attr]).toEqual([400, attr]);
});

test('members whom a rule keeps from persons see neither values of persons nor the people in a cohort', async () => {
  const { key } = await joinService(it, 'member@example.com');
  const cohort = (await it.call('POST', `${project}/cohorts/`, { body: { name: 'All', is_static: true } })).json();
  const paths = ['/persons/', '/persons/values/?key=email', `/cohorts/${cohort.id}/persons/`];
  const statuses = async () =>
    (await Promise.all(paths.map((path) => it.call('GET', `${project}${path}`, { key })))).map(({ statusCode }) => statusCode);
  expect(await statuses()).toEqual([200, 200, 200]);
  const rule = (access_level: string | null) =>
    it.call('PUT', `${project}/resource_access_controls/`, { body: { resource: 'person', access_level } });
  await rule('none');
  expect(await statuses()).toEqual([403, 403, 403]);
  await rule(null);
  expect(await statuses()).toEqual([200, 200, 200]);
});
