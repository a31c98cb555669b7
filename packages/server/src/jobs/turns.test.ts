import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/database.js';
import { takeTurn } from './turns.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('one of several servers takes each turn, and a clock that was set back ends no turn for ever', async () => {
  const servers = [database.db, database.asOtherServer(), database.asOtherServer()];
  const ask = async () => {
    const taken = await Promise.all(servers.map((db) => takeTurn(db, 'purge', 3_600_000)));
    return taken.filter(Boolean).length;
  };
  expect(await ask()).toBe(1);
  expect(await ask()).toBe(0);
  expect(await takeTurn(database.db, 'other', 3_600_000)).toBe(true);
  for (const next of [sql`clock_timestamp() - interval '1 second'`, sql`clock_timestamp() + interval '10 years'`]) {
    await sql`update turns set next_at = ${next}`.execute(database.db);
    expect(await ask()).toBe(1);
    expect(await ask()).toBe(0);
  }
});
