import { mkdtemp, rm } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { isConnectionFault } from '../../http/error-handler.js';
import type { DB } from '../../ports/db.js';
import { cuttable } from '../../testing/cuttable.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { createScheduler } from '../system/index.js';
import { openPostgres } from './index.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('a hung server of DATABASE_URL fails queries within seconds, a slow statement does not, and the server is used again afterwards', async () => {
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

/** The process of a connection's session. */
const processOf = async (db: Kysely<DB>) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid ?? 0;

const seconds = async (work: () => Promise<unknown>) => {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
};

describe('a session whose process is stopped', () => {
  test('its caller gets an error within 5 s, nothing is executed later, and it is not used again', async () => {
    const { db, close } = await openPostgres(
      loadConfig({ DATABASE_URL: database.url }),
      pino({ level: 'silent' }),
      createScheduler(),
    );
    await sql`create table late (n int)`.execute(db);
    const pid = await processOf(db);
    process.kill(pid, 'SIGSTOP');
    try {
      const insert = async () => {
        const outcome = await sql`insert into late values (1)`.execute(db).catch((error: Error) => error);
        expect(outcome instanceof Error && isConnectionFault(outcome)).toBe(true);
      };
      expect(await seconds(insert)).toBeLessThan(5);
      expect(await processOf(db)).not.toBe(pid);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const left = async () => (await sql`select from pg_stat_activity where pid = ${pid}`.execute(db)).rows.length;
    await expect.poll(left).toBe(0);
    expect((await sql`select from late`.execute(db)).rows).toHaveLength(0);
    await close();
  });

  test('on the embedded server its statement and locks are ended, and slow statements are not', async () => {
    const dataDir = await mkdtemp('/tmp/tidemark-stopped-');
    const config = loadConfig({ TIDEMARK_DATA: dataDir, TIDEMARK_FSYNC: 'off' });
    const { db, close } = await openPostgres(config, pino({ level: 'silent' }), createScheduler());
    await sql`create table counted as select 1 as n`.execute(db);
    const slow = sql<{ n: number }>`select 1 as n from pg_sleep(6)`.execute(db);
    let pid = 0;
    const stopped = db.transaction().execute(async (tx) => {
      pid = await processOf(tx);
      await sql`update counted set n = n + 1`.execute(tx);
      const sleeping = sql`select pg_sleep(20)`.execute(tx);
      setTimeout(() => process.kill(pid, 'SIGSTOP'), 100);
      await sleeping;
    });
    const failing = async () => {
      const outcome = await stopped.catch((error: Error) => error);
      expect(outcome instanceof Error && isConnectionFault(outcome)).toBe(true);
    };
    expect(await seconds(failing)).toBeLessThan(5);
    await sql`update counted set n = n + 10`.execute(db);
    expect((await sql<{ n: number }>`select n from counted`.execute(db)).rows).toEqual([{ n: 11 }]);
    expect((await slow).rows).toEqual([{ n: 1 }]);
    await close();
    await rm(dataDir, { recursive: true, force: true });
  });
});
