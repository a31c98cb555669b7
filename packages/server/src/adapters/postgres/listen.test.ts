import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { cuttable } from '../../testing/cuttable.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { createScheduler } from '../system/index.js';
import { listen, listenToChanges } from './listen.js';
import { createServers } from './servers.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('a listener is notified of a lost connection, of its return, and then of the channel again', async () => {
  const way = await cuttable(database.url);
  const heard: string[] = [];
  const listener = {
    notified: (payload: string) => heard.push(payload),
    disconnected: () => heard.push('disconnected'),
    reconnected: () => heard.push('reconnected'),
  };
  const stop = await listen(createServers(way.url), 'test_channel', listener, {
    log: pino({ level: 'silent' }),
    scheduler: createScheduler(),
  });
  way.stall();
  await vi.waitFor(() => expect(heard).toEqual(['disconnected']), { timeout: 60_000 });
  await way.mend();
  await vi.waitFor(() => expect(heard).toEqual(['disconnected', 'reconnected']), { timeout: 60_000 });
  await sql`select pg_notify('test_channel', 'hello')`.execute(database.db);
  await vi.waitFor(() => expect(heard).toEqual(['disconnected', 'reconnected', 'hello']), { timeout: 60_000 });
  await stop();
  await way.close();
}, 180_000);

test('a lost connection invalidates everything, and so does its return, because changes were missed meanwhile', async () => {
  const proxy = await cuttable(database.url);
  const changes = await listenToChanges(createServers(proxy.url), {
    log: pino({ level: 'silent' }),
    scheduler: createScheduler(),
  });
  const notices: [project: number | null, heard: boolean][] = [];
  changes.onChange((project) => notices.push([project, changes.isListening()]));
  proxy.stall();
  await vi.waitFor(() => expect(notices).toEqual([[null, false]]), { timeout: 60_000 });
  await proxy.mend();
  await vi.waitFor(
    () =>
      expect(notices).toEqual([
        [null, false],
        [null, true],
      ]),
    { timeout: 60_000 },
  );
  await changes.close();
  await proxy.close();
}, 180_000);
