import { randomBytes } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DB } from '../../ports/db.js';
import { cuttable } from '../../testing/cuttable.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { createScheduler } from '../system/index.js';
import { openPool } from './pool.js';
import { prepared } from './prepared.js';
import { createServers } from './servers.js';

let database: TestDatabase;
const role = `few_${randomBytes(6).toString('hex')}`;
let few: Kysely<DB>;

beforeAll(async () => {
  database = await testDatabase();
  await sql`create role ${sql.id(role)} login password 'few' connection limit 2`.execute(database.db);
  const url = new URL(database.url);
  url.username = role;
  url.password = 'few';
  few = database.asOtherServer(url.href);
});
afterAll(async () => {
  await few.destroy();
  await sql`drop role ${sql.id(role)}`.execute(database.db);
  await database.close();
});

const ask = async (n: number) => (await sql<{ n: number }>`select ${n}::int as n, pg_sleep(0.01)`.execute(few)).rows[0]?.n;

test('a PostgreSQL with fewer connections than the pool serves all queries, one after the other', async () => {
  const numbers = Array.from({ length: 60 }, (_, n) => n);
  expect(await Promise.all(numbers.map(ask))).toEqual(numbers);
});

test('while the network is interrupted statements fail, also within transactions, and afterwards they work', async () => {
  const way = await cuttable(database.url);
  const servers = createServers(way.url);
  const pool = openPool(servers, 2, pino({ level: 'silent' }), 2_000);
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: prepared(pool, servers, createScheduler()) }) });
  const ask = async () => (await sql<{ one: number }>`select 1 as one`.execute(db)).rows;
  await Promise.all([ask(), ask()]);
  const silence = { code: 'ETIMEDOUT' };
  const transaction = db.transaction().execute(async (tx) => {
    way.stall();
    await Promise.all([sql`select 2`.execute(tx), ask()].map((refused) => expect(refused).rejects.toMatchObject(silence)));
  });
  await expect(transaction).rejects.toMatchObject(silence);
  // what was held up for others is lost with their connections
  await way.mend();
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]);
  await db.destroy();
  await way.close();
});
