import { type ClickHouseServer, startClickHouseServer } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { eventRow, lines } from '../../testing/events-contract/index.js';
import { UNFIT_LINES } from '../../testing/unfit-lines.js';
import { createScheduler } from '../system/index.js';
import { openHttpEvents } from './http-events.js';
import { openEvents } from './index.js';

const options = { log: pino({ level: 'silent' }), scheduler: createScheduler() };
let server: ClickHouseServer;

beforeAll(async () => {
  server = await startClickHouseServer();
});
afterAll(() => server?.close());

const open = (address: string) => openEvents(loadConfig({ CLICKHOUSE_URL: address }), options);

describe('a ClickHouse server', () => {
  test('is prepared once by several servers that start together', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => open(`${server.url}/together`)));
    const applied = await stores[0]?.query({ sql: 'SELECT name FROM schema_migrations FINAL ORDER BY name' });
    expect(applied?.rows[0]).toEqual({ name: '0001_events.sql' });
    await stores[1]?.insert('events', lines(eventRow()), { token: 'a' });
    expect((await stores[2]?.query({ sql: 'SELECT count() AS n FROM events' }))?.rows).toEqual([{ n: 1 }]);
    for (const store of stores) await store.close();
  });

  test('gets a database of our name unless the address names one', async () => {
    const store = await open(server.url);
    expect((await store.query({ sql: 'SELECT currentDatabase() AS name' })).rows).toEqual([{ name: 'tidemark' }]);
    await store.close();
  });

  test('that goes away and comes back is unavailable meanwhile, and has what was acknowledged', async () => {
    const store = await open(`${server.url}/gone`);
    await store.insert('events', lines(eventRow()), { token: 'a' });
    await server.kill9();
    await expect(store.ping()).rejects.toMatchObject({ name: 'EventsUnavailable' });
    await expect(store.insert('events', lines(eventRow()), { token: 'b' })).rejects.toMatchObject({ name: 'EventsUnavailable' });
    await server.restart();
    expect((await store.query({ sql: 'SELECT count() AS n FROM events' })).rows).toEqual([{ n: 1 }]);
    await store.close();
  });

  test('that is not up yet is waited for', async () => {
    await server.kill9();
    const opening = open(`${server.url}/later`);
    await server.restart();
    await (await opening).close();
  });

  test.each(UNFIT_LINES)('takes no part of an insert with %s, and refuses it without quoting it', async (_, bad) => {
    const store = await open(`${server.url}/unfit`);
    const refused = store.insert('events', lines(eventRow(), bad, eventRow()), { token: bad });
    await expect(refused).rejects.toMatchObject({ name: 'EventsRejected', message: expect.not.stringContaining('secret') });
    expect((await store.query({ sql: 'SELECT count() AS n FROM events' })).rows).toEqual([{ n: 0 }]);
    await store.close();
  });

  test('that does not answer, or refuses the password, is told in one sentence without the password', async () => {
    const absent = openHttpEvents('http://user:secret@127.0.0.1:1/db', options, 1_000);
    await expect(absent).rejects.toMatchObject({
      name: 'EventsUnavailable',
      message: 'CLICKHOUSE_URL: no ClickHouse answers at http://127.0.0.1:1.',
    });
    const refused = open(server.url.replace('://', '://nobody:secret@'));
    await expect(refused).rejects.toMatchObject({
      name: 'EventsUnavailable',
      message: `CLICKHOUSE_URL: ${server.url} refuses to prepare the database tidemark: AUTHENTICATION_FAILED.`,
    });
  });
});
