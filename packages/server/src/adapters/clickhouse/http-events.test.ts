import { type ClickHouseServer, startClickHouseServer } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { eventRow, personRow } from '../../testing/events-contract/index.js';
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
  test('several servers that start together migrate it once', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => open(`${server.url}/together`)));
    const applied = await stores[0]?.query({ sql: 'SELECT name FROM schema_migrations FINAL ORDER BY name' });
    expect(applied?.rows[0]).toEqual({ name: '0001_events.sql' });
    await stores[1]?.insert('events', [eventRow()], { token: 'a' });
    expect((await stores[2]?.query({ sql: 'SELECT count() AS n FROM events' }))?.rows).toEqual([{ n: 1 }]);
    for (const store of stores) await store.close();
  });

  test('the default database is tidemark, unless the URL names another', async () => {
    const store = await open(server.url);
    expect((await store.query({ sql: 'SELECT currentDatabase() AS name' })).rows).toEqual([{ name: 'tidemark' }]);
    await store.close();
  });

  test('while it is down the store is unavailable, and afterwards it has every acknowledged row', async () => {
    const store = await open(`${server.url}/gone`);
    await store.insert('events', [eventRow()], { token: 'a' });
    await server.kill9();
    await expect(store.ping()).rejects.toMatchObject({ name: 'EventsUnavailable' });
    await expect(store.insert('events', [eventRow()], { token: 'b' })).rejects.toMatchObject({ name: 'EventsUnavailable' });
    await server.restart();
    expect((await store.query({ sql: 'SELECT count() AS n FROM events' })).rows).toEqual([{ n: 1 }]);
    await store.close();
  });

  test('a start waits for a server that is not up yet', async () => {
    await server.kill9();
    const opening = open(`${server.url}/later`);
    await server.restart();
    await (await opening).close();
  });

  test('rows that the table refuses are returned, and the rows around them are stored', async () => {
    const store = await open(`${server.url}/unfit`);
    const id = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
    const person = (person_id: string, properties = {}) => personRow({ project_id: 1, person_id, properties });
    const deep = person(id(2), JSON.parse(`{"deep":${'['.repeat(2_000)}${']'.repeat(2_000)}}`));
    const bad = person('no uuid', { a: 1 });
    const rows = [person(id(1)), deep, bad, person(id(3))];
    // the second time as after a lost response
    for (let time = 1; time <= 2; time++) expect(await store.insert('persons', rows, { token: 'some' })).toEqual([bad]);
    const { rows: stored } = await store.query({
      sql: 'SELECT person_id AS id, substring(properties.$raw_properties::String, 1, 11) AS raw FROM persons FINAL ORDER BY id',
    });
    expect(stored).toEqual([
      { id: id(1), raw: '' },
      { id: id(2), raw: '{"deep":[[[' },
      { id: id(3), raw: '' },
    ]);
    await store.close();
  });

  test('an event is stored once if a part of an insert is repeated with its token', async () => {
    const store = await open(`${server.url}/again`);
    const [first, second, third] = [eventRow(), eventRow(), eventRow()];
    await store.insert('events', [first, second, third], { token: 'a' });
    await store.insert('events', [first, second, third], { token: 'a' });
    // another part has another token, or it would be taken for the whole
    await store.insert('events', [second, { ...third, uuid: first.uuid }], { token: 'a' });
    await store.insert('events', [second, { ...third, uuid: first.uuid }], { token: 'a' });
    expect((await store.query({ sql: 'SELECT count() AS n FROM events' })).rows).toEqual([{ n: 5 }]);
    await store.close();
  });

  test('a server that does not respond, or rejects the password, is reported in one sentence without the password', async () => {
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
