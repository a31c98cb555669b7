import { type ClickHouseCluster, eventually, type Service, startClickHouseCluster, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let cluster: ClickHouseCluster;
let service: Service;
beforeAll(async () => {
  cluster = await startClickHouseCluster({ shards: 2 });
  const env = { CLICKHOUSE_URL: `${cluster.url}/shop`, CLICKHOUSE_CLUSTER: cluster.name };
  service = await startService({ env });
});
afterAll(async () => {
  await service?.close();
  await cluster?.close();
});

const batchOf = (event: string) =>
  Array.from({ length: 100 }, (_, at) => ({
    uuid: crypto.randomUUID(),
    event,
    distinct_id: `visitor ${at}`,
    properties: { $set: { plan: at % 2 ? 'team' : 'free' } },
  }));

const capture = async (batch: object[]): Promise<number> =>
  (await service.call('POST', '/batch/', { key: null, body: { api_key: service.account.projectKey, batch } })).status;

const query = async (sql: string) =>
  service.post('/api/projects/@current/query/', { query: { kind: 'HogQLQuery', query: sql }, refresh: 'blocking' });

const counts = (event: string) => query(`select count(), uniq(uuid), uniq(person_id) from events where event = '${event}'`);

test('events and persons of two shards are queried together', async () => {
  expect(await capture(batchOf('viewed'))).toBe(200);
  expect(await counts('viewed')).toMatchObject({ status: 200, body: { results: [[100, 100, 100]] } });
  const teams = "select count() from events where event = 'viewed' and person.properties.plan = 'team'";
  await eventually(async () => expect(await query(teams)).toMatchObject({ body: { results: [[50]] } }));
});

test('while a shard is away nothing is acknowledged or answered in part, and afterwards each event is stored once', async () => {
  const batch = batchOf('bought');
  await cluster.nodes[1]?.kill9();
  expect(await capture(batch)).toBe(503);
  expect((await counts('bought')).status).toBe(503);
  // what needs no events still works, so balancers have to send requests
  expect((await fetch(`${service.url}/_ready`)).status).toBe(200);
  await cluster.nodes[1]?.restart();
  // as clients do
  await eventually(async () => expect(await capture(batch)).toBe(200), { within: 60_000 });
  expect(await counts('bought')).toMatchObject({ status: 200, body: { results: [[100, 100, 100]] } });
});
