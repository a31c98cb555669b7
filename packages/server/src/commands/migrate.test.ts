import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseServer, startClickHouseServer } from '@tidemark/testkit';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../config.js';
import { PACKAGE_FOLDER } from '../kernel/package-folder.js';
import { openMetadata } from '../open-metadata.js';
import { useEmbeddedService } from '../testing/command-services.js';
import { testDatabase } from '../testing/database.js';
import { runCommand } from '../testing/run-command.js';

const migrationsOf = (store: 'postgres' | 'clickhouse') =>
  readdirSync(new URL(`src/adapters/${store}/migrations/`, PACKAGE_FOLDER))
    .filter((name) => name.endsWith('.sql'))
    .sort();
const POSTGRES = migrationsOf('postgres');
const EVENTS = migrationsOf('clickhouse');
const lineOf = (name: string, applied: string[]) => `${name}: ${applied.length} applied, the newest ${applied.at(-1)}`;
const UP_TO_DATE = { code: 0, output: `${lineOf('PostgreSQL', POSTGRES)}\n${lineOf('ClickHouse', EVENTS)}\n`, errors: '' };
const NEWER = 'A newer Tidemark has migrated these stores: start that version or a later one.\n';
const MISSING = 'Migrations are missing: the next start of this version applies them, or "tidemark migrate".\n';

describe('embedded stores', () => {
  const target = useEmbeddedService();
  const status = () => runCommand(['migrate', '--status'], target.env);

  test('are compared while the service runs, and while it is stopped', { timeout: 300_000 }, async () => {
    const { it: service, env } = target;
    expect(await status()).toEqual(UP_TO_DATE);
    expect(await runCommand(['migrate', '--status'], { ...env, PORT: '1' })).toMatchObject({
      code: 1,
      output: '',
      errors: expect.stringMatching(/^A Tidemark runs on .* run this with its PORT and HOST\.\n$/),
    });
    expect(await runCommand(['migrate'], env)).toMatchObject({
      code: 1,
      output: '',
      errors: expect.stringContaining(service.dataDir),
    });
    await service.stop();
    expect(await status()).toEqual(UP_TO_DATE);

    // as a newer version would leave it, which a start refuses
    const change = async (statement: string) => {
      const { db, close } = await openMetadata(loadConfig(env), pino({ level: 'silent' }), { keepsSchema: true });
      await sql.raw(statement).execute(db).finally(close);
    };
    await change("insert into schema_migrations (version, name) values (9999, '9999_of_tomorrow.sql')");
    expect(await status()).toEqual({
      code: 1,
      output: `${lineOf('PostgreSQL', POSTGRES)}\n  newer    9999_of_tomorrow.sql\n${lineOf('ClickHouse', EVENTS)}\n`,
      errors: NEWER,
    });
    expect(await runCommand(['migrate'], env)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('made by a newer Tidemark'),
    });
    await change('delete from schema_migrations where version = 9999');
    expect(await runCommand(['migrate'], env)).toEqual(UP_TO_DATE);
    await service.restart();
  });

  test('a directory without data has none, and gets none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-migrate-'));
    const none = await runCommand(['migrate', '--status'], { TIDEMARK_DATA: folder });
    const lines = [...POSTGRES, ...EVENTS].map((name) => `  missing  ${name}`);
    expect(none).toMatchObject({ code: 1, errors: MISSING });
    expect(none.output.split('\n').filter((line) => line.startsWith('  '))).toEqual(lines);
    expect(readdirSync(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

describe('servers', () => {
  let clickhouse: ClickHouseServer;
  beforeAll(async () => {
    clickhouse = await startClickHouseServer();
  });
  afterAll(() => clickhouse?.close());
  const on = async (query: string) => {
    const response = await fetch(clickhouse.url, { method: 'POST', body: query });
    expect([response.status, await response.text()]).toEqual([200, '']);
  };

  test('what a server lacks is listed, and applied without --status', { timeout: 120_000 }, async () => {
    const database = await testDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-migrate-'));
    const name = `m${Date.now()}`;
    const env = { DATABASE_URL: database.url, CLICKHOUSE_URL: `${clickhouse.url}/${name}`, TIDEMARK_DATA: folder };
    try {
      const before = await runCommand(['migrate', '--status'], env);
      expect(before).toEqual({
        code: 1,
        output: `${lineOf('PostgreSQL', POSTGRES)}\nClickHouse: 0 applied\n${EVENTS.map((file) => `  missing  ${file}\n`).join('')}`,
        errors: MISSING,
      });
      expect(await runCommand(['migrate'], env)).toEqual(UP_TO_DATE);
      expect(await runCommand(['migrate', '--status'], env)).toEqual(UP_TO_DATE);
      await on(`INSERT INTO ${name}.schema_migrations (name) VALUES ('9999_of_tomorrow.sql')`);
      await sql`delete from schema_migrations where version = (select max(version) from schema_migrations)`.execute(database.db);
      const after = await runCommand(['migrate', '--status'], env);
      expect(after).toMatchObject({ code: 1, errors: `${NEWER.trimEnd()} ${MISSING}` });
      expect(after.output).toBe(
        `${lineOf('PostgreSQL', POSTGRES.slice(0, -1))}\n  missing  ${POSTGRES.at(-1)}\n${lineOf('ClickHouse', EVENTS)}\n  newer    9999_of_tomorrow.sql\n`,
      );
    } finally {
      await database.close();
      await rm(folder, { recursive: true });
    }
  });

  test('a server that does not answer is reported in one sentence', { timeout: 60_000 }, async () => {
    const database = await testDatabase();
    const away = await runCommand(['migrate', '--status'], {
      DATABASE_URL: database.url,
      CLICKHOUSE_URL: 'http://127.0.0.1:1/x',
    });
    expect(away).toEqual({ code: 1, output: '', errors: 'CLICKHOUSE_URL: no ClickHouse answers at http://127.0.0.1:1.\n' });
    await database.close();
  });
});
