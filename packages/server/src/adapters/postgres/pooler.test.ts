import { findPgBouncer, type PgBouncer, startPgBouncer } from '@tidemark/testkit';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config.js';
import { type PostgresServer, startPostgresServer } from '../../testing/postgres-server.js';
import { createScheduler } from '../system/index.js';
import { openPostgres, type Postgres } from './index.js';

if (!findPgBouncer()) console.log('THERE IS NO PGBOUNCER, so its tests are skipped: install pgbouncer');

let server: PostgresServer;
let other: PostgresServer;
const poolers: PgBouncer[] = [];
const opened: Postgres[] = [];
const lines: string[] = [];
const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line).msg) });

beforeAll(async () => {
  [server, other] = await Promise.all([startPostgresServer(), startPostgresServer()]);
});
afterEach(async () => {
  for (const postgres of opened.splice(0)) await postgres.close();
  for (const pooler of poolers.splice(0)) await pooler.close();
  lines.length = 0;
});
afterAll(async () => {
  await Promise.all([server?.close(), other?.close()]);
});

/** Address of the database through a PgBouncer. */
async function pooled(mode: 'session' | 'transaction', settings: string[] = []): Promise<string> {
  const pooler = await startPgBouncer({
    server: { port: server.port, user: 'tidemark', password: server.password },
    mode,
    settings,
  });
  poolers.push(pooler);
  return `postgres://tidemark:${server.password}@127.0.0.1:${pooler.port}/tidemark`;
}

async function open(env: Record<string, string>): Promise<Postgres> {
  const postgres = await openPostgres(loadConfig(env), log, createScheduler(), { patience: 5_000 });
  opened.push(postgres);
  return postgres;
}

/** Uses many statements often, several at a time, so that they would be prepared on some session and used on another. */
async function useAll({ db }: Postgres): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const answers = [1, 2, 3, 4].map(async (n) =>
      db.transaction().execute(async (tx) => (await sql<{ n: number }>`select ${n}::int as n`.execute(tx)).rows[0]?.n),
    );
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4]);
  }
}

/** Sends a notification through the database until it is heard. */
async function expectHearing(postgres: Postgres): Promise<void> {
  const changes = await postgres.listenToChanges();
  const heard: (number | null)[] = [];
  changes.onChange((project) => heard.push(project));
  await sql`select pg_notify('tidemark_changes', '7')`.execute(postgres.db);
  await expect.poll(() => heard).toEqual([7]);
}

const LIMITS = /^the connection pooler of DATABASE_URL refuses limits of statements/;

describe.runIf(findPgBouncer())('through PgBouncer', () => {
  test('in session mode everything works, without limits of statements, which the log says', async () => {
    const postgres = await open({ DATABASE_URL: await pooled('session') });
    await useAll(postgres);
    await expectHearing(postgres);
    expect(lines).toEqual([expect.stringMatching(LIMITS)]);
  });

  test('that ignores the parameters of limits the log says nothing if the role has limits', async () => {
    await server.run("alter role tidemark set statement_timeout = '30s'");
    try {
      await useAll(await open({ DATABASE_URL: await pooled('session') }));
      expect(lines).toEqual([]);
    } finally {
      await server.run('alter role tidemark reset statement_timeout');
    }
  });

  test('in transaction mode the start is refused in one sentence', async () => {
    await expect(open({ DATABASE_URL: await pooled('transaction') })).rejects.toThrow(
      'DATABASE_URL leads to a connection pooler in transaction mode, through which changes by other servers are not heard: set DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
    );
  });

  test('in transaction mode with the direct address of PostgreSQL everything works', async () => {
    const postgres = await open({ DATABASE_URL: await pooled('transaction'), DATABASE_DIRECT_URL: server.url() });
    await useAll(postgres);
    await expectHearing(postgres);
    const { rows } = await server.run("select 1 from pg_stat_activity where query like 'listen \"tidemark_changes%'");
    expect(rows).toHaveLength(1);
  });

  test('a direct address that leads through a pooler in transaction mode, too, or to another database, is refused', async () => {
    const sentence =
      'What is sent through DATABASE_URL is not heard at DATABASE_DIRECT_URL: it must be the address of PostgreSQL itself, and of the same database.';
    const address = await pooled('transaction');
    await expect(open({ DATABASE_URL: address, DATABASE_DIRECT_URL: await pooled('transaction') })).rejects.toThrow(sentence);
    await expect(open({ DATABASE_URL: address, DATABASE_DIRECT_URL: other.url() })).rejects.toThrow(sentence);
  });
});

test('a direct address alone is refused', () => {
  expect(() => loadConfig({ DATABASE_DIRECT_URL: server.url() })).toThrow(
    'DATABASE_DIRECT_URL is of no use without DATABASE_URL.',
  );
});
