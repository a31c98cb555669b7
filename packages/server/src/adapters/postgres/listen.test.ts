import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { cuttable } from '../../testing/cuttable.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { createScheduler } from '../system/index.js';
import { listen } from './listen.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('who listens over a network that lost its way hears of that, and listens again once there is a way', async () => {
  const way = await cuttable(database.url);
  const heard: string[] = [];
  const listener = {
    notified: (payload: string) => heard.push(payload),
    lost: () => heard.push('lost'),
    found: () => heard.push('found'),
  };
  const stop = await listen(way.url, 'test_channel', listener, {
    log: pino({ level: 'silent' }),
    scheduler: createScheduler(),
  });
  way.stall();
  await vi.waitFor(() => expect(heard).toEqual(['lost']), { timeout: 60_000 });
  await way.mend();
  await vi.waitFor(() => expect(heard).toEqual(['lost', 'found']), { timeout: 60_000 });
  await sql`select pg_notify('test_channel', 'hello')`.execute(database.db);
  await vi.waitFor(() => expect(heard).toEqual(['lost', 'found', 'hello']), { timeout: 60_000 });
  await stop();
  await way.close();
}, 180_000);
