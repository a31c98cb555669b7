import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type ClickHouseServer, startClickHouseServer } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import type { EventsStore } from '../../ports/events.js';
import { eventRow } from '../../testing/events-contract/index.js';
import { createScheduler } from '../system/index.js';
import { openHttpEvents } from './http-events.js';
import { openEvents } from './index.js';

/*
 * Two servers with tables of their own: which of them has answered shows in what it has stored.
 */

const options = { log: pino({ level: 'silent' }), scheduler: createScheduler() };
let first: ClickHouseServer;
let second: ClickHouseServer;
let database: string;
const opened: EventsStore[] = [];

beforeAll(async () => {
  [first, second] = await Promise.all([startClickHouseServer(), startClickHouseServer()]);
});
afterAll(() => Promise.all([first?.close(), second?.close()]));
beforeEach(() => {
  database = `db_${randomUUID().slice(0, 8)}`;
});
afterEach(async () => {
  for (const server of [first, second]) {
    const isThere = await fetch(`${server.url}/ping`, { signal: AbortSignal.timeout(60_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isThere) await server.restart();
  }
  for (const store of opened.splice(0)) await store.close();
});

async function open(address: string): Promise<EventsStore> {
  const store = await openEvents(loadConfig({ CLICKHOUSE_URL: address }), options);
  opened.push(store);
  return store;
}
const both = () => `${first.url},127.0.0.1:${second.httpPort}/${database}`;
const ofSecond = () => `${second.url}/${database}`;
const portOf = async (store: EventsStore) =>
  (await store.query<{ port: string }>({ sql: "SELECT getServerPort('http_port') AS port" })).rows[0]?.port;
const countIn = async (store: EventsStore) => (await store.query({ sql: 'SELECT count() AS n FROM events' })).rows;

test('the first server is used as long as it is there, then the second one, also after the first one has returned', async () => {
  // both have the tables
  await open(ofSecond());
  const store = await open(both());
  await store.insert('events', [eventRow()], { token: 'a' });
  expect([await portOf(store), await countIn(store)]).toEqual([first.httpPort, [{ n: 1 }]]);

  await first.kill9();
  // a read finds the other one by itself
  expect([await countIn(store), await portOf(store)]).toEqual([[{ n: 0 }], second.httpPort]);
  await store.insert('events', [eventRow(), eventRow()], { token: 'b' });
  await first.restart();
  expect([await portOf(store), await countIn(store)]).toEqual([second.httpPort, [{ n: 2 }]]);

  await second.kill9();
  await expect.poll(() => portOf(store).catch(() => null)).toBe(first.httpPort);
  expect(await countIn(store)).toEqual([{ n: 1 }]);
});

test('an insert meets the server that is gone and reports that its result is unknown; the next one is stored by the other', async () => {
  await open(ofSecond());
  const store = await open(both());
  await first.kill9();
  const row = eventRow();
  await expect(store.insert('events', [row], { token: 'a' })).rejects.toMatchObject({ name: 'EventsUnavailable' });
  expect(await store.insert('events', [row], { token: 'a' })).toEqual([]);
  expect([await portOf(store), await countIn(store)]).toEqual([second.httpPort, [{ n: 1 }]]);
});

test('a server that is stopping is left, and the other one answers', async () => {
  await open(ofSecond());
  const store = await open(both());
  await first.kill9();
  const refusing = createServer((request, response) => {
    request.resume().on('end', () => {
      const text = 'Code: 236. DB::Exception: Table is being dropped or server is shutting down. (ABORTED) (version 26.7.2.1)';
      response.writeHead(500, { 'x-clickhouse-exception-code': '236' }).end(text);
    });
  }).listen(first.httpPort, '127.0.0.1');
  await once(refusing, 'listening');
  expect(await Promise.all([portOf(store), portOf(store)])).toEqual([second.httpPort, second.httpPort]);
  // a server that starts meanwhile
  expect(await portOf(await open(both()))).toBe(second.httpPort);
  refusing.closeAllConnections();
  refusing.close();
  await once(refusing, 'close');
});

test('a server that hangs is left, and the other one answers the reads that wait for it', async () => {
  await open(ofSecond());
  const store = await open(both());
  process.kill(first.pid, 'SIGSTOP');
  expect(await Promise.all([portOf(store), portOf(store)])).toEqual([second.httpPort, second.httpPort]);
  expect(store.acceptsInserts()).toBe(true);
  process.kill(first.pid, 'SIGCONT');
});

test('an insert of events into a server that hangs is given up for the other one', async () => {
  await open(ofSecond());
  const store = await open(both());
  process.kill(first.pid, 'SIGSTOP');
  await expect(store.insert('events', [eventRow()], { token: 'a' })).rejects.toMatchObject({ name: 'EventsUnavailable' });
  await expect.poll(() => store.insert('events', [eventRow()], { token: 'b' }).catch(() => null)).toEqual([]);
  expect(await portOf(store)).toBe(second.httpPort);
  process.kill(first.pid, 'SIGCONT');
});

test('a start takes the second server while the first one hangs or is away', async () => {
  process.kill(first.pid, 'SIGSTOP');
  const store = await open(both());
  expect(await portOf(store)).toBe(second.httpPort);
  process.kill(first.pid, 'SIGCONT');
  await first.kill9();
  expect(await portOf(await open(both()))).toBe(second.httpPort);
});

test('when no server is there, the sentence names them all without the password', async () => {
  const absent = openHttpEvents('http://user:secret@127.0.0.1:1,127.0.0.1:2/db', options, 1_000);
  await expect(absent).rejects.toMatchObject({
    name: 'EventsUnavailable',
    message: 'CLICKHOUSE_URL: no ClickHouse answers at http://127.0.0.1:1 or http://127.0.0.1:2.',
  });
});
