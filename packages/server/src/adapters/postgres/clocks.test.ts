import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { type TestDatabase, testDatabase } from '../../testing/database.js';
import { createScheduler } from '../system/index.js';
import { openPostgres } from './index.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());

const open = (ahead: number) =>
  openPostgres(loadConfig({ DATABASE_URL: database.url }), pino({ level: 'silent' }), createScheduler(), {
    clock: { now: () => Date.now() + ahead },
  });

test.each([
  [3_600_000, /^DATABASE_URL: the clock of PostgreSQL is 3(59\d|600) s behind this machine's: let NTP set the clocks/],
  [-20_000, /^DATABASE_URL: the clock of PostgreSQL is (19|20|21) s ahead of this machine's/],
])('a start is refused in one sentence while this machine is %i ms ahead of PostgreSQL', async (ahead, sentence) => {
  await expect(open(ahead)).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringMatching(sentence) });
});

test('clocks may differ by some seconds', async () => {
  await (await open(5_000)).close();
});
