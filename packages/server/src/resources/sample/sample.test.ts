import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeSample } from '../../commands/sample.js';
import { joinService } from '../../testing/join-service.js';
import { startTestService, type TestService } from '../../testing/service.js';
import { makeShop } from './shop.js';

let service: TestService;
let url: string;
beforeAll(async () => {
  service = await startTestService();
  url = `/api/projects/${service.projectId}/`;
});
afterAll(() => service.close());

const call = async (method: 'GET' | 'POST' | 'DELETE' | 'PUT', path: string, body?: object, key?: string) => {
  const answer = await service.call(method, url + path, { ...(body ? { body } : {}), ...(key ? { key } : {}) });
  return { status: answer.statusCode, body: answer.json() };
};
const rows = async (query: string): Promise<unknown[][]> =>
  (await call('POST', 'query/', { query: { kind: 'HogQLQuery', query } })).body.results;
const state = async () => (await call('GET', 'sample_data/')).body.state;
const slowly = { timeout: 280_000, interval: 500 };

test('the same seed and end make the same shop, and another seed another one', async () => {
  const end = Date.UTC(2026, 4, 20, 15);
  const make = (seed: number) => makeShop(seed, end, { surveyId: null }, async () => {});
  const [one, same, other] = [await make(1), await make(1), await make(2)];
  expect(same).toEqual(one);
  expect(other.events[0]?.uuid).not.toBe(one.events[0]?.uuid);
  expect(one.events.length).toBeGreaterThan(35_000);
  expect(one.events.length).toBeLessThan(70_000);
  expect(one.distinctIds.length).toBeGreaterThan(2_000);
  expect(one.distinctIds.length).toBeLessThan(5_000);
  expect(one.events.every(({ timestamp, properties }) => timestamp <= end && properties['$sample'] === true)).toBe(true);
  const count = (name: string) => one.events.filter(({ event }) => event === name).length;
  const steps = ['product_viewed', 'added_to_cart', 'checkout_started', 'order_completed'].map(count);
  expect(steps).toEqual(steps.toSorted((a, b) => b - a));
  expect(new Set(one.events.map(({ uuid }) => uuid)).size).toBe(one.events.length);
});

test('sample data comes in, can be queried, and goes again without a trace', { timeout: 600_000 }, async () => {
  expect((await call('GET', 'sample_data/')).body).toMatchObject({ state: 'none', done: 0, dashboard_id: null });
  const real = { event: 'real', distinct_id: 'ada', properties: { color: 'red', $set: { email: 'ada@example.com' } } };
  const batch = [real, { event: '$pageview', distinct_id: 'ada' }];
  await service.call('POST', '/batch/', { key: null, body: { api_key: service.projectKey, batch } });
  expect((await call('POST', 'sample_data/')).status).toBe(202);
  expect((await call('POST', 'sample_data/')).body).toMatchObject({ code: 'invalid_input' });
  await expect.poll(state, slowly).toBe('loaded');
  const { body: loaded } = await call('GET', 'sample_data/');
  expect(loaded).toMatchObject({ done: loaded.total, total: expect.any(Number), error: null, dashboard_id: expect.any(Number) });
  const [[events, people] = []] = await rows(
    'select count(), count(distinct person_id) from events where properties.$sample = true',
  );
  expect(Number(events)).toBeGreaterThan(35_000);
  expect(Number(people)).toBeGreaterThan(2_000);
  const [[located, countries] = []] = await rows(
    'select count(properties.$geoip_country_code), count(distinct properties.$geoip_country_name) from persons',
  );
  expect([Number(located), Number(countries)]).toEqual([Number(people), 8]);
  const { body: dashboard } = await call('GET', `dashboards/${loaded.dashboard_id}/`);
  expect([dashboard.name, dashboard.tiles.length]).toEqual(['Sample: Shop', 6]);
  expect((await call('GET', 'feature_flags/')).body.count).toBe(2);
  expect((await call('GET', 'experiments/')).body.count).toBe(1);
  expect((await call('GET', 'surveys/')).body.count).toBe(1);

  expect((await call('DELETE', 'sample_data/')).status).toBe(202);
  await expect.poll(state, slowly).toBe('none');
  expect(await rows('select event, distinct_id from events order by event')).toEqual([
    ['$pageview', 'ada'],
    ['real', 'ada'],
  ]);
  expect(await rows('select properties.email from persons')).toEqual([['ada@example.com']]);
  for (const path of ['dashboards', 'insights', 'feature_flags', 'experiments', 'surveys']) {
    expect([path, (await call('GET', `${path}/`)).body.count]).toEqual([path, 0]);
  }
  const names = async (path: string) => (await call('GET', path)).body.results.map(({ name }: { name: string }) => name);
  expect(await names('event_definitions/')).toEqual(['$pageview', 'real']);
  expect(await names('property_definitions/?type=event')).toContain('color');
  expect(await names('property_definitions/?type=event')).not.toContain('$sample');
  expect(await names('property_definitions/?type=person')).not.toContain('plan');
  expect((await call('GET', 'groups/?group_type_index=0')).body.results).toEqual([]);
  // it can be loaded again, and is removed while it is being loaded
  const change = (named: string, isRemoval = false) =>
    changeSample({ db: service.deps.db, clock: service.clock }, named, isRemoval);
  const id = String(service.projectId);
  expect(await change(id)).toBe('The service loads sample data into "Test project".');
  await expect(change(service.projectKey)).rejects.toThrow('has sample data already');
  expect(await change(id, true)).toBe('The service removes the sample data of "Test project".');
  await expect.poll(state, slowly).toBe('none');
  expect(await rows('select count() from events')).toEqual([[2]]);
  await expect(change(id, true)).rejects.toThrow('The project "Test project" has no sample data.');
  await expect(change('nowhere')).rejects.toThrow('no project nowhere');
});

test('only members who may change the project load or remove sample data', async () => {
  const member = await joinService(service, 'viewer@example.com');
  await call('PUT', 'resource_access_controls/', { resource: 'project_settings', access_level: 'viewer' });
  expect((await call('GET', 'sample_data/', undefined, member.key)).status).toBe(200);
  expect((await call('POST', 'sample_data/', undefined, member.key)).status).toBe(403);
  expect((await call('DELETE', 'sample_data/', undefined, member.key)).status).toBe(403);
});
