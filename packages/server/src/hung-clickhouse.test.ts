import { randomUUID } from 'node:crypto';
import { type ClickHouseServer, eventually, startClickHouseServer } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from './testing/service.js';

let clickhouse: ClickHouseServer;
let service: TestService;
beforeAll(async () => {
  clickhouse = await startClickHouseServer();
  service = await startTestService({
    clickhouseUrl: `${clickhouse.url}/hung`,
    databaseUrl: 'postgres://db.example.com/tidemark',
  });
});
afterAll(async () => {
  process.kill(clickhouse.pid, 'SIGCONT');
  await service?.close();
  await clickhouse?.close();
});

const eventOf = () => ({ event: 'sent', distinct_id: 'ann', uuid: randomUUID(), timestamp: new Date().toISOString() });
const capture = (batch: object[]) => service.call('POST', '/batch/', { key: null, body: { api_key: service.projectKey, batch } });
const query = (text: string) =>
  service.call('POST', `/api/projects/${service.projectId}/query/`, {
    body: { query: { kind: 'HogQLQuery', query: text }, refresh: 'force_blocking' },
  });

test('while a ClickHouse server hangs requests are refused for now, and afterwards each event is stored once', async () => {
  const batches = Array.from({ length: 8 }, () => [eventOf(), eventOf()]);
  expect((await capture(batches[0] ?? [])).statusCode).toBe(200);
  process.kill(clickhouse.pid, 'SIGSTOP');
  const began = performance.now();
  const answers = await Promise.all([...batches.slice(1).map(capture), query('select count() from events')]);
  // the bench holds the figure of 5 s; an insert alone would be waited for during 35 s
  expect(performance.now() - began).toBeLessThan(25_000);
  for (const answer of answers) expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, expect.any(String)]);
  // at once, now that it is known
  const again = performance.now();
  expect((await capture(batches[1] ?? [])).statusCode).toBe(503);
  expect(performance.now() - again).toBeLessThan(3_000);

  process.kill(clickhouse.pid, 'SIGCONT');
  for (const batch of batches) await eventually(async () => expect((await capture(batch)).statusCode).toBe(200));
  expect((await query('select count(), count(distinct uuid) from events')).json().results).toEqual([[16, 16]]);
});

test('a statement that takes longer than the hang timeout is awaited', async () => {
  const sql = 'SELECT sum(sleepEachRow(1)) AS slept FROM numbers(10) SETTINGS max_block_size = 1';
  expect((await service.deps.events.query({ sql })).rows).toEqual([{ slept: 0 }]);
  expect(service.deps.events.acceptsInserts()).toBe(true);
});
