import { type ClickHouseServer, startClickHouseServer } from '@tidemark/testkit';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from './migrate.js';

const log = pino({ level: 'silent' });
let server: ClickHouseServer;
beforeAll(async () => {
  server = await startClickHouseServer();
});
afterAll(() => server?.close());

async function run(database: string, query: string): Promise<string> {
  const response = await fetch(`${server.url}/?database=${database}`, { method: 'POST', body: query });
  const text = await response.text();
  if (!response.ok) throw new Error(`${query}: ${text}`);
  return text.trim();
}

/** A store on a database of its own; it ends before statement number `crashAt`. */
async function target(database: string, crashAt = Number.POSITIVE_INFINITY) {
  await run('default', `CREATE DATABASE IF NOT EXISTS ${database}`);
  let writes = 0;
  return {
    writes: () => writes,
    write: async (statement: string) => {
      if (++writes > crashAt) throw new Error('crash');
      await run(database, statement);
    },
    applied: async () => (await run(database, 'SELECT DISTINCT name FROM schema_migrations')).split('\n').filter(Boolean),
  };
}

const schemaOf = (database: string) =>
  run(
    database,
    `SELECT replaceAll(create_table_query, '${database}.', '') FROM system.tables WHERE database = '${database}' ORDER BY name`,
  );

test('after a crash between any two statements of the migrations the next start completes them', async () => {
  const whole = await target('whole');
  await migrate(whole, log);
  const schema = await schemaOf('whole');
  expect(whole.writes()).toBeGreaterThan(5);
  for (let at = 1; at < whole.writes(); at++) {
    const database = `crash_${at}`;
    await expect(migrate(await target(database, at), log)).rejects.toThrow('crash');
    await migrate(await target(database), log);
    expect(await schemaOf(database)).toBe(schema);
    await run('default', `DROP DATABASE ${database} SYNC`);
  }
});
