import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { isConnectionFault } from '../../http/error-handler.js';
import { cuttable } from '../../testing/cuttable.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { createScheduler } from '../system/index.js';
import { openPostgres } from './index.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('a server of DATABASE_URL that hangs is waited for a few seconds, not for a statement that takes long, and is used again when it goes on', async () => {
  const way = await cuttable(database.url);
  const { db, close } = await openPostgres(loadConfig({ DATABASE_URL: way.url }), pino({ level: 'silent' }), createScheduler());
  const ask = async () => (await sql<{ one: number }>`select 1 as one`.execute(db)).rows;
  expect(await ask()).toEqual([{ one: 1 }]);
  await sql`select pg_sleep(10)`.execute(db);

  way.stall();
  const began = performance.now();
  const calls = [ask(), sql`select pg_sleep(0)`.execute(db), db.transaction().execute((tx) => sql`select 1`.execute(tx))];
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome.status === 'rejected' && isConnectionFault(outcome.reason)).toBe(true);
  }
  // before, a statement was waited for during 35 s
  expect(performance.now() - began).toBeLessThan(25_000);
  await expect(ask()).rejects.toMatchObject({ code: 'ETIMEDOUT' });

  await way.mend();
  await expect.poll(() => ask().catch(() => null)).toEqual([{ one: 1 }]);
  await close();
  await way.close();
});
